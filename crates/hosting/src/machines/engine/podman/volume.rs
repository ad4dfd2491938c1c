//! The volume of a machine, where its data lives, and how much disk the machine uses.
//!
//! Where the filesystem has quotas, the volume cannot grow beyond its size: by a project quota, which the
//! engine sets, or as a subvolume of btrfs, which is made here. Elsewhere the size is only measured.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::Ordering;

use rustix::fs::statfs;
use serde::{Deserialize, Serialize};
use tokio::process::Command;
use tokio::task::spawn_blocking;
use uuid::Uuid;

use super::log::joined;
use super::names::{MACHINE_LABEL, resource_name};
use super::{PodmanEngine, tools};
use crate::machines::engine::EngineError;

/// What `statfs` returns for btrfs.
const BTRFS_MAGIC: u64 = 0x9123_683E;
/// The number of the root folder of every subvolume of btrfs.
const SUBVOLUME_INODE: u64 = 256;
/// The size of a block in the metadata of files, in bytes.
const BLOCK: u64 = 512;

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct VolumeRequest {
    name: String,
    driver_opts: HashMap<&'static str, String>,
    labels: HashMap<&'static str, String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct VolumeBody {
    mountpoint: PathBuf,
}

impl PodmanEngine {
    /// Makes the volume of a machine if it is missing, with a quota if there can be one.
    pub(super) async fn ensure_volume(
        &self,
        machine: Uuid,
        disk_bytes: u64,
    ) -> Result<(), EngineError> {
        let folder = match self.volume_folder(machine).await? {
            Some(folder) => folder,
            None => self.create_volume(machine, disk_bytes).await?,
        };
        if self.reads_files && is_on_btrfs(&folder) {
            limit_subvolume(&folder, disk_bytes).await;
        }
        Ok(())
    }

    async fn create_volume(&self, machine: Uuid, disk_bytes: u64) -> Result<PathBuf, EngineError> {
        if self.is_podman && self.has_project_quota.load(Ordering::Relaxed) {
            let options = HashMap::from([("o", format!("size={disk_bytes}"))]);
            match self.request_volume(machine, options).await {
                Err(EngineError::Internal(message)) if message.contains("Project Quota") => {
                    self.has_project_quota.store(false, Ordering::Relaxed);
                }
                outcome => return outcome,
            }
        }
        self.request_volume(machine, HashMap::new()).await
    }

    async fn request_volume(
        &self,
        machine: Uuid,
        options: HashMap<&'static str, String>,
    ) -> Result<PathBuf, EngineError> {
        let request = VolumeRequest {
            name: resource_name(machine),
            driver_opts: options,
            labels: HashMap::from([(MACHINE_LABEL, machine.to_string())]),
        };
        let volume: VolumeBody = self.socket.post_json("/volumes/create", &request).await?;
        Ok(volume.mountpoint)
    }

    async fn volume_folder(&self, machine: Uuid) -> Result<Option<PathBuf>, EngineError> {
        let path = format!("/volumes/{}", resource_name(machine));
        let volume: Option<VolumeBody> = self.socket.get_json(&path).await?;
        Ok(volume.map(|volume| volume.mountpoint))
    }

    /// Deletes the volume of a machine whose container is gone.
    pub(super) async fn remove_volume(&self, machine: Uuid) -> Result<(), EngineError> {
        let path = format!("/volumes/{}", resource_name(machine));
        match self.socket.delete(&path).await {
            Ok(()) | Err(EngineError::NotFound) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Returns how many bytes the volume has, and what the current run wrote outside of it.
    pub(super) async fn measure_disk(&self, machine: Uuid) -> Result<u64, EngineError> {
        let mut folders = Vec::from_iter(self.volume_folder(machine).await?);
        if let Some(container) = self.container(machine).await? {
            folders.extend(container.layer);
        }
        joined(spawn_blocking(move || used_bytes(folders)).await)
    }
}

/// Returns how many bytes the files in folders use. A file with several names counts once; what vanishes
/// meanwhile does not count.
fn used_bytes(mut folders: Vec<PathBuf>) -> io::Result<u64> {
    let mut total = 0;
    let mut linked = HashSet::new();
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if is_gone(&error) => continue,
            Err(error) => return Err(error),
        };
        for entry in entries {
            let entry = entry?;
            let metadata = match entry.metadata() {
                Ok(metadata) => metadata,
                Err(error) if is_gone(&error) => continue,
                Err(error) => return Err(error),
            };
            if metadata.nlink() <= 1
                || metadata.is_dir()
                || linked.insert((metadata.dev(), metadata.ino()))
            {
                total += metadata.blocks() * BLOCK;
            }
            if metadata.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    Ok(total)
}

fn is_gone(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

fn is_on_btrfs(folder: &Path) -> bool {
    // The folder itself may be missing, see `limit_subvolume`.
    let parent = folder.parent().unwrap_or(folder);
    let filesystem = statfs(parent);
    filesystem.is_ok_and(|filesystem| u64::try_from(filesystem.f_type) == Ok(BTRFS_MAGIC))
}

/// Makes the empty folder of a new volume a subvolume and limits its size. A volume without a limit is
/// measured like on other filesystems, so failures are only reported.
async fn limit_subvolume(folder: &Path, disk_bytes: u64) {
    let inode = match fs::metadata(folder) {
        Ok(metadata) => Some(metadata.ino()),
        // A crash between the next two commands leaves no folder.
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(_) => return,
    };
    if inode != Some(SUBVOLUME_INODE) {
        // Fails, as it should, if the folder has files: it was made without a quota.
        if inode.is_some() && fs::remove_dir(folder).is_err() {
            return;
        }
        if !btrfs(&["subvolume", "create"], folder).await {
            // Without the program, the volume is a folder like elsewhere.
            if let Err(error) = fs::create_dir(folder) {
                tracing::warn!(%error, folder = %folder.display(), "cannot make the folder of a volume");
            }
            return;
        }
    }
    let size = disk_bytes.to_string();
    if !btrfs(&["qgroup", "limit", &size], folder).await {
        let enabled = btrfs(&["quota", "enable"], folder).await;
        if !enabled || !btrfs(&["qgroup", "limit", &size], folder).await {
            tracing::warn!(folder = %folder.display(), "cannot limit the size of a volume");
        }
    }
}

async fn btrfs(arguments: &[&str], folder: &Path) -> bool {
    let Some(program) = tools::find("btrfs") else {
        return false;
    };
    let status = Command::new(program)
        .args(arguments)
        .arg(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .await;
    status.is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::used_bytes;

    #[test]
    fn a_file_with_two_names_counts_once() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("region")).unwrap();
        let file = folder.path().join("region/r.0.0.mca");
        fs::write(&file, vec![7; 1 << 20]).unwrap();
        let once = used_bytes(vec![folder.path().to_owned()]).unwrap();
        assert!((1 << 20..2 << 20).contains(&once), "{once}");
        fs::hard_link(&file, folder.path().join("copy")).unwrap();
        assert_eq!(used_bytes(vec![folder.path().to_owned()]).unwrap(), once);
        let missing = folder.path().join("missing");
        assert_eq!(used_bytes(vec![missing]).unwrap(), 0);
    }
}
