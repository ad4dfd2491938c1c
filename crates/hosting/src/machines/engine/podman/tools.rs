//! Programs of the host.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

/// Folders of programs for administrators, which are not in everybody's search path.
const MORE_FOLDERS: &[&str] = &[
    "/usr/local/sbin",
    "/usr/sbin",
    "/sbin",
    "/usr/local/bin",
    "/usr/bin",
    "/bin",
];
/// Where Podman has its helpers.
const HELPER_FOLDERS: &[&str] = &[
    "/usr/local/libexec/podman",
    "/usr/libexec/podman",
    "/usr/lib/podman",
    "/usr/local/lib/podman",
];

/// Returns a program.
pub(super) fn find(name: &str) -> Option<PathBuf> {
    folders()
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}

/// Returns a program that Podman also finds in its own folders.
pub(super) fn find_helper(name: &str) -> Option<PathBuf> {
    let helpers = HELPER_FOLDERS
        .iter()
        .map(|folder| PathBuf::from(folder).join(name));
    helpers
        .into_iter()
        .find(|path| path.is_file())
        .or_else(|| find(name))
}

/// Returns the search path for programs that we start.
pub(super) fn search_path() -> OsString {
    env::join_paths(folders()).unwrap_or_default()
}

fn folders() -> impl Iterator<Item = PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .collect();
    for folder in MORE_FOLDERS.iter().map(PathBuf::from) {
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    folders.into_iter()
}
