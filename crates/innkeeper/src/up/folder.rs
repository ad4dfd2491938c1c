//! The data folder of `innkeeper up`.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use serde_json::Value;

use super::short_path;

/// The file that is locked while an `innkeeper up` runs, and that marks a folder as a data folder.
const LOCK: &str = "up.lock";

/// A log larger than this, in bytes, is rotated at the next start.
const MAX_LOG: u64 = 16 * 1024 * 1024;

/// A data folder, locked against other processes until this value is dropped.
#[derive(Debug)]
pub(super) struct DataFolder {
    root: PathBuf,
    _lock: File,
}

impl DataFolder {
    /// Creates the folder if it is missing, and locks it. Refuses a folder with foreign files.
    pub(super) fn open(root: &Path) -> anyhow::Result<Self> {
        DirBuilder::new()
            .recursive(true)
            // PostgreSQL may run as another user and must reach its subfolder; all files are private.
            .mode(0o711)
            .create(root)
            .map_err(|error| unusable(root, &error))?;
        let is_ours = root.join(LOCK).exists();
        let mut files = fs::read_dir(root).map_err(|error| unusable(root, &error))?;
        if !is_ours && files.next().is_some() {
            bail!(
                "{} is not empty and was not created by `innkeeper up`; choose another folder with \
                 --data-dir",
                root.display()
            );
        }
        let lock = lock(root)?;
        let folder = Self {
            root: root.to_owned(),
            _lock: lock,
        };
        // The files hold secrets and belong to this machine.
        folder.write_once(".gitignore", "*\n")?;
        Ok(folder)
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// The file of the settings, for the user to change.
    pub(super) fn settings(&self) -> PathBuf {
        self.root.join(".env")
    }

    /// The file that announces the running `innkeeper up` to programs.
    pub(super) fn announcement(&self) -> PathBuf {
        self.root.join("up.json")
    }

    /// The folder of the private PostgreSQL, or a symbolic link to it.
    pub(super) fn cluster(&self) -> PathBuf {
        self.root.join("postgres")
    }

    /// The folder of articles, images, plans and status checks, for the user to change.
    pub(super) fn content(&self) -> PathBuf {
        self.root.join("content")
    }

    /// Creates the folder of the disks and logs of machines if it is missing, and returns a short path to it.
    pub(super) fn machines(&self) -> anyhow::Result<PathBuf> {
        let path = self.root.join("machines");
        let short_path = || {
            // Emulators may run as another user and must reach their subfolder.
            DirBuilder::new()
                .recursive(true)
                .mode(0o711)
                .create(&path)?;
            short_path::to(&path.canonicalize()?)
        };
        short_path().map_err(|error| anyhow!("cannot use {}: {error}", path.display()))
    }

    /// The folder of the mailbox's mails.
    pub(super) fn mails(&self) -> PathBuf {
        self.root.join("mail")
    }

    /// Creates the log file if it is missing, readable by its owner only, and returns its path.
    pub(super) fn log(&self) -> anyhow::Result<PathBuf> {
        let path = self.root.join("innkeeper.log");
        let create = || -> io::Result<()> {
            if fs::metadata(&path).is_ok_and(|log| log.len() > MAX_LOG) {
                fs::rename(&path, self.root.join("innkeeper.log.1"))?;
            }
            OpenOptions::new()
                .append(true)
                .create(true)
                .mode(0o600)
                .open(&path)?;
            Ok(())
        };
        create().map_err(|error| anyhow!("cannot write {}: {error}", path.display()))?;
        Ok(path)
    }

    /// Writes a file atomically, readable by its owner only.
    pub(super) fn write(&self, name: &str, text: &str) -> anyhow::Result<()> {
        let path = self.root.join(name);
        let unfinished = self.root.join(format!("{name}.new"));
        let write = || -> io::Result<()> {
            remove(&unfinished)?;
            let mut file = OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(&unfinished)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            fs::rename(&unfinished, &path)
        };
        write().map_err(|error| anyhow!("cannot write {}: {error}", path.display()))
    }

    /// Adds a text to a file, which is created if it is missing, as [`write`](Self::write) does.
    pub(super) fn append(&self, name: &str, text: &str) -> anyhow::Result<()> {
        let path = self.root.join(name);
        let existing = match fs::read_to_string(&path) {
            Ok(existing) => existing,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => bail!("cannot read {}: {error}", path.display()),
        };
        let end = if existing.is_empty() || existing.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        self.write(name, &format!("{existing}{end}{text}"))
    }

    /// Reads a JSON document; `None` if the file is missing.
    pub(super) fn read_json(&self, name: &str) -> anyhow::Result<Option<Value>> {
        let path = self.root.join(name);
        match fs::read(&path) {
            Ok(text) => serde_json::from_slice(&text)
                .map(Some)
                .with_context(|| format!("{} is not JSON; delete it", path.display())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => bail!("cannot read {}: {error}", path.display()),
        }
    }

    /// Deletes a file if it exists.
    pub(super) fn remove_file(&self, name: &str) -> anyhow::Result<()> {
        let path = self.root.join(name);
        remove(&path).map_err(|error| anyhow!("cannot delete {}: {error}", path.display()))
    }

    /// Writes a file as [`write`](Self::write) does, unless it exists.
    pub(super) fn write_once(&self, name: &str, text: &str) -> anyhow::Result<()> {
        if self.root.join(name).exists() {
            return Ok(());
        }
        self.write(name, text)
    }

    /// Deletes `up.json`: nothing is running any more, or not yet.
    pub(super) fn withdraw_announcement(&self) -> anyhow::Result<()> {
        self.remove_file("up.json")
    }
}

/// Removes a file if it exists.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Locks the folder until this process ends, in whichever way.
fn lock(root: &Path) -> anyhow::Result<File> {
    let path = root.join(LOCK);
    let opened = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(&path);
    let mut file = opened.map_err(|error| unusable(&path, &error))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut owner = String::new();
            // The id of the process is a help only.
            let _ = file.read_to_string(&mut owner);
            bail!(
                "cannot use the folder {}: another `innkeeper up` runs there, process {}",
                root.display(),
                owner.trim()
            );
        }
        Err(TryLockError::Error(error)) => return Err(unusable(&path, &error)),
    }
    let written = file
        .set_len(0)
        .and_then(|()| writeln!(file, "{}", std::process::id()));
    written.map_err(|error| unusable(&path, &error))?;
    Ok(file)
}

/// Whether a process has locked a folder.
pub(super) fn is_locked(root: &Path) -> bool {
    let Ok(file) = File::open(root.join(LOCK)) else {
        return false;
    };
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}

/// Says in words why a file or folder cannot be used.
fn unusable(path: &Path, error: &io::Error) -> anyhow::Error {
    let advice = "choose another folder with --data-dir";
    // What does not exist was to be created in the nearest folder that does.
    let existing = path.ancestors().find(|path| path.exists());
    let existing = existing.unwrap_or(Path::new("."));
    let shown = existing.display();
    match error.kind() {
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
            anyhow!("{shown} is a file and not a folder; {advice}")
        }
        io::ErrorKind::PermissionDenied => {
            anyhow!("this user may not write to {shown}; {advice}")
        }
        io::ErrorKind::ReadOnlyFilesystem => {
            anyhow!("{shown} is on a file system that is read-only; {advice}")
        }
        _ => anyhow!("cannot use {}: {error}; {advice}", path.display()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::DataFolder;

    #[test]
    fn a_folder_is_used_by_one_process_at_a_time() {
        let parent = tempfile::tempdir().unwrap();
        let root = parent.path().join("a/b");
        let folder = DataFolder::open(&root).unwrap();
        let refused = DataFolder::open(&root).unwrap_err().to_string();
        assert!(
            refused.ends_with(&format!("runs there, process {}", std::process::id())),
            "{refused}"
        );
        drop(folder);
        DataFolder::open(&root).unwrap();
    }

    #[test]
    fn a_folder_of_somebody_else_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("thesis.txt"), "mine").unwrap();
        let refused = DataFolder::open(folder.path()).unwrap_err().to_string();
        assert!(refused.contains("is not empty"), "{refused}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn files_are_private_and_written_in_whole() {
        let folder = tempfile::tempdir().unwrap();
        let folder = DataFolder::open(folder.path()).unwrap();
        folder.write("up.json", "{}").unwrap();
        folder.write("up.json", "{\"pid\":1}").unwrap();
        let text = fs::read_to_string(folder.announcement()).unwrap();
        assert_eq!(text, "{\"pid\":1}");
        for path in [folder.announcement(), folder.log().unwrap()] {
            let mode = fs::metadata(path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        folder.write_once("up.json", "other").unwrap();
        assert_eq!(
            fs::read_to_string(folder.announcement()).unwrap(),
            "{\"pid\":1}"
        );
    }
}
