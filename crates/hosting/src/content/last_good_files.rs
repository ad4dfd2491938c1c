//! The last good versions of invalid files on disk, so that a restart does not lose them.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::base::digest;

/// The name of the folder inside the cache folder.
const FOLDER: &str = "last-good";

/// A folder of last good versions. If it cannot be used, it behaves as if it were empty.
#[derive(Debug, Default)]
pub(crate) struct LastGoodFiles {
    folder: Option<PathBuf>,
}

impl LastGoodFiles {
    /// Opens the folder inside the cache folder. Without a cache folder nothing is saved.
    pub(crate) fn open(cache: Option<&Path>) -> Self {
        Self {
            folder: cache.map(|cache| cache.join(FOLDER)),
        }
    }

    /// Returns the saved version of a file.
    pub(crate) fn get(&self, file: &str) -> Option<Vec<u8>> {
        fs::read(self.path(file)?).ok()
    }

    /// Saves the last good version of a file, atomically.
    pub(crate) fn put(&self, file: &str, version: &[u8]) {
        let Some(path) = self.path(file) else {
            return;
        };
        if fs::read(&path).is_ok_and(|known| known == version) {
            return;
        }
        if let Err(error) = write(&path, version) {
            tracing::debug!(file, %error, "the last good version could not be saved");
        }
    }

    /// Deletes the saved versions of all other files.
    pub(crate) fn retain<'f>(&self, files: impl IntoIterator<Item = &'f str>) {
        let Some(folder) = &self.folder else {
            return;
        };
        let kept: HashSet<PathBuf> = files
            .into_iter()
            .filter_map(|file| self.path(file))
            .collect();
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if !kept.contains(&entry.path()) {
                // Another process may have deleted it first.
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    fn path(&self, file: &str) -> Option<PathBuf> {
        let name = digest::hex(&[file.as_bytes()]);
        Some(self.folder.as_ref()?.join(name))
    }
}

fn write(path: &Path, version: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let unfinished = path.with_extension(std::process::id().to_string());
    fs::write(&unfinished, version)?;
    fs::rename(&unfinished, path)
}

#[cfg(test)]
mod tests {
    use super::LastGoodFiles;

    #[test]
    fn versions_are_found_by_file_until_they_are_not_needed() {
        let folder = tempfile::tempdir().unwrap();
        let kept = LastGoodFiles::open(Some(folder.path()));
        kept.put("kb/a.md", b"1");
        kept.put("kb/a.md", b"2");
        kept.put("kb/b.md", b"3");
        let next = LastGoodFiles::open(Some(folder.path()));
        assert_eq!(next.get("kb/a.md").as_deref(), Some(&b"2"[..]));
        next.retain(["kb/b.md"]);
        assert_eq!((next.get("kb/a.md"), next.get("kb/c.md")), (None, None));
        assert!(next.get("kb/b.md").is_some());
        let none = LastGoodFiles::open(None);
        none.put("kb/a.md", b"1");
        assert_eq!(none.get("kb/a.md"), None);
    }
}
