//! Finds an installed PostgreSQL.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::error::ClusterError;
use super::folder::ClusterFolder;

/// Where packages install PostgreSQL: the parent folder, the prefix of a release's folder in it, and the
/// subfolder of the programs.
const INSTALL_FOLDERS: &[(&str, &str, &str)] = &[
    ("/usr/lib/postgresql", "", "bin"),
    ("/usr", "pgsql-", "bin"),
    ("/usr/local/pgsql", "bin", ""),
    ("/opt/homebrew/opt", "postgresql", "bin"),
    ("/usr/local/opt", "postgresql", "bin"),
    ("/Applications/Postgres.app/Contents/Versions", "", "bin"),
];

/// The programs of one installed release.
#[derive(Debug, Clone)]
pub(super) struct Binaries {
    folder: PathBuf,
    major: u32,
}

impl Binaries {
    /// Finds the newest release.
    pub(super) fn newest() -> Option<Self> {
        let installed = candidates().into_iter().filter_map(Self::in_folder);
        installed.max_by_key(|binaries| binaries.major)
    }

    /// The major version.
    pub(super) fn major(&self) -> u32 {
        self.major
    }

    /// Finds the release that wrote the folder's data, or the newest one for a new folder.
    pub(super) fn find(folder: &ClusterFolder) -> Result<Self, ClusterError> {
        let candidates = candidates().into_iter();
        let mut installed: Vec<Self> = candidates.filter_map(Self::in_folder).collect();
        if installed.is_empty() {
            return Err(ClusterError::NotInstalled);
        }
        // The sort is stable: of equal versions, the one in PATH stays first.
        installed.sort_by_key(|binaries| Reverse(binaries.major));
        let Some(data) = folder.version()? else {
            return installed
                .into_iter()
                .next()
                .ok_or(ClusterError::NotInstalled);
        };
        let versions = installed.iter();
        let versions: Vec<String> = versions
            .map(|binaries| binaries.major.to_string())
            .collect();
        installed
            .into_iter()
            .find(|binaries| binaries.major.to_string() == data)
            .ok_or_else(|| ClusterError::Version {
                folder: folder.root().to_owned(),
                data,
                installed: versions.join(", "),
            })
    }

    pub(super) fn initdb(&self) -> PathBuf {
        self.folder.join("initdb")
    }

    pub(super) fn postgres(&self) -> PathBuf {
        self.folder.join("postgres")
    }

    /// Returns the release in a folder, if it holds one.
    fn in_folder(folder: PathBuf) -> Option<Self> {
        if !folder.join("initdb").is_file() {
            return None;
        }
        let output = Command::new(folder.join("postgres"))
            .arg("--version")
            .output()
            .ok()?;
        let major = major(&String::from_utf8_lossy(&output.stdout))?;
        Some(Self { folder, major })
    }
}

/// Parses the major version in `postgres (PostgreSQL) 15.18 (…)`.
fn major(version: &str) -> Option<u32> {
    let number = version.split(')').nth(1)?.trim_start();
    let end = number
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(number.len());
    number.get(..end)?.parse().ok()
}

/// Returns the folders that may hold a release, those in `PATH` first.
fn candidates() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path)
        .filter_map(|folder| {
            // A symbolic link in /usr/bin may lead to the folder with all programs of the release.
            let program = folder.join("postgres").canonicalize().ok()?;
            Some(program.parent()?.to_owned())
        })
        .collect();
    for (root, prefix, rest) in INSTALL_FOLDERS {
        folders.extend(children(Path::new(root), prefix).map(|child| child.join(rest)));
    }
    folders
}

fn children(root: &Path, prefix: &'static str) -> impl Iterator<Item = PathBuf> {
    std::fs::read_dir(root)
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .filter(move |entry| entry.file_name().to_string_lossy().starts_with(prefix))
        .map(|entry| entry.path())
}

#[cfg(test)]
mod tests {
    use super::major;

    #[test]
    fn the_major_version_is_read_from_what_the_server_prints() {
        assert_eq!(
            major("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n"),
            Some(15)
        );
        assert_eq!(major("postgres (PostgreSQL) 18beta2\n"), Some(18));
        assert_eq!(major("postgres: command not found"), None);
    }
}
