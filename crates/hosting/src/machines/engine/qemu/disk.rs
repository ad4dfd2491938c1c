//! Disk images, and the disks of machines, which are overlays of them.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde::Deserialize;
use tokio::fs;
use tokio::process::Command;
use uuid::Uuid;

use super::launch::first_line;
use crate::machines::engine::EngineError;

/// A disk image, which machines never write to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DiskImage {
    pub(super) path: PathBuf,
    pub(super) format: DiskFormat,
    /// A kernel to start instead of the boot loader on the disk.
    pub(super) kernel: Option<GuestKernel>,
}

/// The formats of images. The format is never guessed from the content of a file: a guest could write the
/// header of another format, which names files of the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DiskFormat {
    Qcow2,
    Raw,
}

/// A Linux kernel beside an image: `NAME.vmlinuz`, with `NAME.initrd` and `NAME.cmdline` if they exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GuestKernel {
    pub(super) file: PathBuf,
    pub(super) initrd: Option<PathBuf>,
    pub(super) command_line: String,
}

impl DiskFormat {
    /// Returns the name that QEMU has for the format, which is also the ending of file names.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Qcow2 => "qcow2",
            Self::Raw => "raw",
        }
    }
}

/// Finds the image with a name.
pub(super) async fn find_image(images_dir: &Path, name: &str) -> Result<DiskImage, EngineError> {
    if !is_image_name(name) {
        let reason = format!("{name:?} is not the name of an image");
        return Err(EngineError::Refused(reason));
    }
    for format in [DiskFormat::Qcow2, DiskFormat::Raw] {
        let path = images_dir.join(format!("{name}.{}", format.word()));
        if fs::try_exists(&path).await? {
            return Ok(DiskImage {
                path,
                format,
                kernel: find_kernel(images_dir, name).await?,
            });
        }
    }
    let reason = format!("the image {name} does not exist");
    Err(EngineError::Refused(reason))
}

/// Tells whether a name consists of letters, digits, `.`, `_` and `-`, and so names no other folder.
fn is_image_name(name: &str) -> bool {
    name.len() <= 64
        && name.starts_with(|letter: char| letter.is_ascii_alphanumeric())
        && name
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-'))
}

async fn find_kernel(images_dir: &Path, name: &str) -> Result<Option<GuestKernel>, EngineError> {
    let beside = |ending: &str| images_dir.join(format!("{name}.{ending}"));
    let file = beside("vmlinuz");
    if !fs::try_exists(&file).await? {
        return Ok(None);
    }
    let initrd = beside("initrd");
    let command_line = match fs::read_to_string(beside("cmdline")).await {
        Ok(text) => text.trim().to_owned(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error.into()),
    };
    let has_initrd = fs::try_exists(&initrd).await?;
    Ok(Some(GuestKernel {
        file,
        initrd: has_initrd.then_some(initrd),
        command_line,
    }))
}

/// The program that makes disks.
#[derive(Debug, Clone)]
pub(super) struct DiskTool(PathBuf);

impl DiskTool {
    /// Finds `qemu-img` beside the emulator, or leaves it to `PATH`.
    pub(super) fn beside(emulator: &Path) -> Self {
        let sibling = emulator.with_file_name("qemu-img");
        let is_path = emulator.components().count() > 1;
        if is_path && sibling.exists() {
            Self(sibling)
        } else {
            Self("qemu-img".into())
        }
    }

    /// Returns the path or the name of the program.
    pub(super) fn program(&self) -> &Path {
        &self.0
    }

    /// Makes a disk that has the content of an image and keeps changes to itself.
    pub(super) async fn make_overlay(
        &self,
        image: &DiskImage,
        disk: &Path,
        bytes: u64,
    ) -> Result<(), EngineError> {
        let smallest = self.virtual_size(image).await?;
        if bytes < smallest {
            let reason = format!(
                "the disk has {bytes} bytes, which is less than its image with {smallest} bytes"
            );
            return Err(EngineError::Refused(reason));
        }
        // A disk exists whole or not at all. An attempt that died leaves a file with another name.
        let new = disk.with_file_name(format!("disk.{}.new", Uuid::new_v4()));
        let size = bytes.to_string();
        let mut command = self.command();
        command
            .args(["create", "-q", "-f", "qcow2", "-F", image.format.word()])
            .arg("-b")
            .arg(&image.path)
            .arg(&new)
            .arg(size);
        let made = run(command).await;
        if let Err(error) = made {
            // It may not exist.
            fs::remove_file(&new).await.ok();
            return Err(error);
        }
        Ok(fs::rename(new, disk).await?)
    }

    /// Returns the size that a guest sees, in bytes.
    async fn virtual_size(&self, image: &DiskImage) -> Result<u64, EngineError> {
        #[derive(Deserialize)]
        struct ImageInfo {
            #[serde(rename = "virtual-size")]
            virtual_size: u64,
        }
        let mut command = self.command();
        command
            .args(["info", "--output=json", "-f", image.format.word()])
            .arg(&image.path);
        let output = run(command).await?;
        let info: ImageInfo = serde_json::from_slice(&output)
            .map_err(|error| EngineError::Internal(format!("qemu-img: {error}")))?;
        Ok(info.virtual_size)
    }

    fn command(&self) -> Command {
        Command::new(&self.0)
    }
}

/// Runs a program and returns what it wrote.
async fn run(mut command: Command) -> Result<Vec<u8>, EngineError> {
    command.stdin(Stdio::null()).kill_on_drop(true);
    let output = command
        .output()
        .await
        .map_err(|error| EngineError::Unreachable(format!("qemu-img cannot be run: {error}")))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let message = first_line(&output.stderr);
    if message.contains("No space left on device") {
        return Err(EngineError::DiskFull);
    }
    Err(EngineError::Internal(message))
}

/// Deletes the files of attempts to make a disk that died.
pub(super) async fn delete_attempts(folder: &Path) -> io::Result<()> {
    let mut entries = fs::read_dir(folder).await?;
    while let Some(entry) = entries.next_entry().await? {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with("disk.") && name.ends_with(".new") {
            fs::remove_file(entry.path()).await?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_name_never_leaves_the_folder_of_images() {
        let folder = tempfile::tempdir().unwrap();
        let images = folder.path().join("images");
        std::fs::create_dir(&images).unwrap();
        std::fs::write(folder.path().join("secret.raw"), "").unwrap();
        let secret = folder.path().join("secret");
        let absolute = secret.to_str().unwrap();
        let names = [
            "../secret",
            absolute,
            "",
            ".",
            "..",
            "-f",
            "a/../../secret",
            "a\0",
            "ä",
        ];
        for name in names.into_iter().chain([&*"a".repeat(65)]) {
            let error = find_image(&images, name).await.unwrap_err();
            let expected = format!("{name:?} is not the name of an image");
            assert_eq!(error, EngineError::Refused(expected));
        }
    }

    #[tokio::test]
    async fn the_ending_of_the_name_is_the_format() {
        let folder = tempfile::tempdir().unwrap();
        let images = folder.path();
        let error = find_image(images, "debian-12").await.unwrap_err();
        let expected = "the host refused: the image debian-12 does not exist";
        assert_eq!(error.to_string(), expected);
        std::fs::write(images.join("debian-12.raw"), "QFI\u{fb}").unwrap();
        let image = find_image(images, "debian-12").await.unwrap();
        assert_eq!((image.format, image.kernel), (DiskFormat::Raw, None));
        std::fs::write(images.join("debian-12.qcow2"), "").unwrap();
        std::fs::write(images.join("debian-12.vmlinuz"), "").unwrap();
        std::fs::write(images.join("debian-12.cmdline"), "quiet\n").unwrap();
        let image = find_image(images, "debian-12").await.unwrap();
        assert_eq!(image.format, DiskFormat::Qcow2);
        let kernel = image.kernel.unwrap();
        assert_eq!((kernel.initrd, &*kernel.command_line), (None, "quiet"));
    }
}
