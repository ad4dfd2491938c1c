//! Finds an installed PostgreSQL.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::ClusterError;
use super::folder::Folder;

/// Where packages put PostgreSQL: a folder, how the folder of a release in it starts, and where in that
/// the programs are.
const PLACES: &[(&str, &str, &str)] = &[
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
    /// The newest release.
    pub(super) fn newest() -> Option<Self> {
        let found = candidates().into_iter().filter_map(Self::look);
        found.max_by_key(|binaries| binaries.major)
    }

    /// Its number.
    pub(super) fn major(&self) -> u32 {
        self.major
    }

    /// The release that wrote the folder's data, or the newest one for a new folder.
    pub(super) fn find(folder: &Folder) -> Result<Self, ClusterError> {
        let mut found: Vec<Self> = candidates().into_iter().filter_map(Self::look).collect();
        if found.is_empty() {
            return Err(ClusterError::NotInstalled);
        }
        // The sort keeps the order of equals: PATH comes first.
        found.sort_by_key(|binaries| Reverse(binaries.major));
        let Some(data) = folder.version()? else {
            return found.into_iter().next().ok_or(ClusterError::NotInstalled);
        };
        let installed: Vec<String> = found.iter().map(|found| found.major.to_string()).collect();
        found
            .into_iter()
            .find(|found| found.major.to_string() == data)
            .ok_or_else(|| ClusterError::Version {
                folder: folder.root().to_owned(),
                data,
                installed: installed.join(", "),
            })
    }

    pub(super) fn initdb(&self) -> PathBuf {
        self.folder.join("initdb")
    }

    pub(super) fn postgres(&self) -> PathBuf {
        self.folder.join("postgres")
    }

    /// The release in a folder, if there is one.
    fn look(folder: PathBuf) -> Option<Self> {
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

/// The first number in `postgres (PostgreSQL) 15.18 (…)`.
fn major(version: &str) -> Option<u32> {
    let number = version.split(')').nth(1)?.trim_start();
    let end = number
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(number.len());
    number.get(..end)?.parse().ok()
}

fn candidates() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path)
        .filter_map(|folder| {
            // A link in /usr/bin may lead to the folder where the rest of the release is.
            let program = folder.join("postgres").canonicalize().ok()?;
            Some(program.parent()?.to_owned())
        })
        .collect();
    for (root, prefix, rest) in PLACES {
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
