//! The private PostgreSQL of `innkeeper up`.

use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use innkeeper_service::cluster::{Cluster, ClusterError, ClusterOptions, installed_version};
use innkeeper_service::random;

use super::folder::DataFolder;
use crate::output;

/// The name of the database that both servers share.
pub(super) const NAME: &str = "innkeeper";

/// The parent folder of clusters whose data folder PostgreSQL's user cannot enter.
const SYSTEM_FOLDER: &str = "/var/lib/innkeeper";

/// Starts the cluster of the folder, which is created at the first start.
///
/// Root runs PostgreSQL as another user. If that user cannot enter the folder, as in a project below
/// `/root`, the cluster is created in [`SYSTEM_FOLDER`] and the folder holds a symbolic link to it.
pub(super) async fn start(folder: &DataFolder) -> anyhow::Result<Cluster> {
    let path = folder.cluster();
    if let Ok(target) = fs::read_link(&path)
        && !target.exists()
    {
        bail!(
            "the database is gone: {} links to {}, which does not exist; to start over, pass --fresh",
            path.display(),
            target.display()
        );
    }
    let cluster = match Cluster::start(ClusterOptions::new(&path)).await {
        Err(ClusterError::OutOfReach { blocked, .. }) => {
            let target = link_to_system_folder(&path).map_err(|error| {
                anyhow!(
                    "PostgreSQL's user cannot enter {}, and the database cannot be created in \
                     {SYSTEM_FOLDER}: {error}; choose another folder with --data-dir",
                    blocked.display()
                )
            })?;
            output::tell(&format!(
                "PostgreSQL's user cannot enter {}, so the database is in\n{}.",
                blocked.display(),
                target.display()
            ));
            Cluster::start(ClusterOptions::new(&target)).await
        }
        started => started,
    };
    match cluster {
        Ok(cluster) => Ok(cluster),
        Err(error @ ClusterError::NotInstalled) => Err(not_installed(&error)),
        Err(error) => Err(error.into()),
    }
}

/// Checks that PostgreSQL is installed.
pub(super) fn check_installed() -> anyhow::Result<()> {
    match installed_version() {
        Some(_) => Ok(()),
        None => Err(not_installed(&ClusterError::NotInstalled)),
    }
}

fn not_installed(error: &ClusterError) -> anyhow::Error {
    anyhow!(
        "{error}. Install it (on Debian: apt install postgresql), or set DATABASE_URL to use another \
         database"
    )
}

/// Creates a folder for the cluster in [`SYSTEM_FOLDER`], and the symbolic link to it.
fn link_to_system_folder(path: &Path) -> io::Result<PathBuf> {
    // The folder is still empty, because PostgreSQL's user could not enter it.
    match fs::remove_dir(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let parent = Path::new(SYSTEM_FOLDER);
    if !parent.exists() {
        fs::create_dir_all(parent)?;
        fs::set_permissions(parent, fs::Permissions::from_mode(0o755))?;
    }
    let target = parent.join(name_for(path, u64::from_le_bytes(random::bytes())));
    fs::create_dir(&target)?;
    symlink(&target, path)?;
    Ok(target)
}

/// Returns a unique name that shows which data folder the cluster belongs to.
fn name_for(path: &Path, number: u64) -> String {
    let folder = path.parent().unwrap_or(path);
    let path = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let readable: String = path
        .to_string_lossy()
        .chars()
        .map(|letter| match letter {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | '_' => letter,
            _ => '-',
        })
        .collect();
    // Short, because the path of a socket in this folder is limited.
    let start = readable.trim_start_matches('-').chars().take(30);
    format!("{}-{number:016x}", start.collect::<String>())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::name_for;

    #[test]
    fn a_folder_elsewhere_is_named_after_its_owner() {
        let name = name_for(Path::new("/nowhere/my project/.innkeeper/postgres"), 255);
        assert_eq!(name, "nowhere-my-project-.innkeeper-00000000000000ff");
        let name = name_for(Path::new(&format!("/nowhere/{}/x", "é".repeat(99))), 1);
        assert_eq!(name.len(), 30 + 1 + 16);
    }
}
