//! The private PostgreSQL of `innkeeper up`.

use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use innkeeper_service::cluster::{Cluster, ClusterError, ClusterOptions};
use innkeeper_service::random;

use super::folder::DataFolder;
use crate::output;

/// The name of the database that all parts share.
pub(super) const NAME: &str = "innkeeper";

/// Where the cluster is kept when PostgreSQL's user cannot get to the data folder.
const ELSEWHERE: &str = "/var/lib/innkeeper";

/// Starts the cluster of the folder, which is created at the first start.
///
/// Root runs PostgreSQL as another user. If that user cannot get to the folder, as in a project below
/// `/root`, the cluster is kept in [`ELSEWHERE`] and the folder holds a link to it.
pub(super) async fn start(folder: &DataFolder) -> anyhow::Result<Cluster> {
    let place = folder.cluster();
    if let Ok(target) = fs::read_link(&place)
        && !target.exists()
    {
        bail!(
            "the database is gone: {} leads to {}, which is not there; --fresh begins anew",
            place.display(),
            target.display()
        );
    }
    let cluster = match Cluster::start(ClusterOptions::new(&place)).await {
        Err(ClusterError::OutOfReach { blocked, .. }) => {
            let target = move_elsewhere(&place).map_err(|error| {
                anyhow!(
                    "PostgreSQL's user cannot enter {}, and the database cannot be kept in \
                     {ELSEWHERE}: {error}; choose another folder with --data-dir",
                    blocked.display()
                )
            })?;
            output::tell(&format!(
                "PostgreSQL's user cannot enter {}, so the database is kept in\n{}.",
                blocked.display(),
                target.display()
            ));
            Cluster::start(ClusterOptions::new(&target)).await
        }
        started => started,
    };
    match cluster {
        Ok(cluster) => Ok(cluster),
        Err(error @ ClusterError::NotInstalled) => bail!(
            "{error}. Install it (on Debian: apt install postgresql) or name a database in \
             DATABASE_URL"
        ),
        Err(error) => Err(error.into()),
    }
}

/// Makes a folder for the cluster of a data folder whose own is out of reach, and the link to it.
fn move_elsewhere(place: &Path) -> io::Result<PathBuf> {
    // Still empty, or it would not have been refused.
    match fs::remove_dir(place) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let elsewhere = Path::new(ELSEWHERE);
    if !elsewhere.exists() {
        fs::create_dir_all(elsewhere)?;
        fs::set_permissions(elsewhere, fs::Permissions::from_mode(0o755))?;
    }
    let target = elsewhere.join(name_for(place, u64::from_le_bytes(random::bytes())));
    fs::create_dir(&target)?;
    symlink(&target, place)?;
    Ok(target)
}

/// A name that tells people whose it is, and that nobody else has.
fn name_for(place: &Path, number: u64) -> String {
    let folder = place.parent().unwrap_or(place);
    let path = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let readable: String = path
        .to_string_lossy()
        .chars()
        .map(|letter| match letter {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | '_' => letter,
            _ => '-',
        })
        .collect();
    // A socket must fit in there.
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
