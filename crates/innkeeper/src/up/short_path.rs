//! A short path to a folder.
//!
//! Machines have sockets below their folder, whose paths may have 107 bytes, and Podman accepts only 50 for the
//! folder of what is running. A data folder in a project often has a longer path. Then a symbolic link in a
//! folder for running programs leads to it.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, symlink};
use std::path::{Path, PathBuf};

use rustix::process::geteuid;

/// The longest path that needs no link, in bytes.
const LONGEST: usize = 35;
/// How many names are tried if other folders have the first.
const ATTEMPTS: u32 = 100;

/// Returns an absolute path of at most [`LONGEST`] bytes to a folder: its own, or a link to it. The same folder
/// always gets the same path, because the path is stored in what is made there.
pub(super) fn to(folder: &Path) -> io::Result<PathBuf> {
    if folder.as_os_str().len() <= LONGEST {
        return Ok(folder.to_owned());
    }
    let links = links_folder()?;
    let first = hash(folder);
    for number in (0..ATTEMPTS).map(|step| first.wrapping_add(step)) {
        let link = links.join(format!("ink-{number:08x}"));
        if leads_to(&link, folder)? {
            return Ok(link);
        }
    }
    let links = links.display();
    Err(io::Error::other(format!(
        "too many links to other folders in {links}"
    )))
}

/// Makes a link lead to a folder. Returns false if it leads to another folder that exists.
fn leads_to(link: &Path, folder: &Path) -> io::Result<bool> {
    match fs::read_link(link) {
        Ok(target) if target == folder => return Ok(true),
        Ok(target) if target.exists() => return Ok(false),
        Ok(_) => fs::remove_file(link)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        // It is a file or a folder.
        Err(_) => return Ok(false),
    }
    symlink(folder, link).map(|()| true)
}

/// Returns the folder of links, which no other user can change.
fn links_folder() -> io::Result<PathBuf> {
    let user = geteuid();
    let (folder, mode) = if user.is_root() {
        // Emulators run as another user and follow the link.
        (PathBuf::from("/run/innkeeper"), 0o755)
    } else {
        let folder = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
        if let Some(folder) = folder.filter(|folder| folder.is_absolute() && is_own(folder)) {
            return Ok(folder);
        }
        (
            PathBuf::from(format!("/tmp/innkeeper-{}", user.as_raw())),
            0o700,
        )
    };
    DirBuilder::new()
        .recursive(true)
        .mode(mode)
        .create(&folder)?;
    if !is_own(&folder) {
        let folder = folder.display();
        return Err(io::Error::other(format!(
            "{folder} belongs to another user"
        )));
    }
    Ok(folder)
}

/// Tells whether a path is a folder of this user, and no link to one.
fn is_own(folder: &Path) -> bool {
    let user = geteuid().as_raw();
    fs::symlink_metadata(folder).is_ok_and(|folder| folder.is_dir() && folder.uid() == user)
}

/// Returns the FNV-1a hash of a path, which is the same in every release.
fn hash(path: &Path) -> u32 {
    let bytes = path.as_os_str().as_encoded_bytes();
    bytes.iter().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{LONGEST, hash, leads_to, to};

    #[test]
    fn a_short_path_stays_and_a_long_one_gets_a_link_that_stays() {
        assert_eq!(to(Path::new("/srv/inn")).unwrap(), Path::new("/srv/inn"));
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("f".repeat(60));
        fs::create_dir(&folder).unwrap();
        let link = to(&folder).unwrap();
        assert!(link.as_os_str().len() <= LONGEST, "{link:?}");
        assert_eq!(link.canonicalize().unwrap(), folder.canonicalize().unwrap());
        assert_eq!(to(&folder).unwrap(), link);
        fs::remove_file(link).unwrap();
    }

    #[test]
    fn a_link_to_another_folder_is_replaced_only_if_that_is_gone() {
        let parent = tempfile::tempdir().unwrap();
        let (link, ours) = (parent.path().join("link"), parent.path().join("ours"));
        let other = parent.path().join("other");
        fs::create_dir(&other).unwrap();
        assert!(leads_to(&link, &other).unwrap());
        assert!(!leads_to(&link, &ours).unwrap());
        fs::remove_dir(&other).unwrap();
        assert!(leads_to(&link, &ours).unwrap());
        assert_eq!(fs::read_link(&link).unwrap(), ours);
    }

    #[test]
    fn the_hash_never_changes() {
        assert_eq!(hash(Path::new("")), 0x811c_9dc5);
        assert_eq!(hash(Path::new("a")), 0xe40c_292c);
    }
}
