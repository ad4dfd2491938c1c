//! The folder of a cluster and its owner.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};

use super::error::ClusterError;
use crate::random;
use crate::secret::Secret;

/// The longest path of a folder for a socket. A socket's address has room for 108 bytes on Linux and 104
/// elsewhere, the final zero included.
const MAX_SOCKET_FOLDER: usize = 103 - "/.s.PGSQL.65535".len();

/// A log larger than this, in bytes, is rotated at the next start.
const MAX_LOG: u64 = 16 * 1024 * 1024;

/// How many bytes of the end of a log an error quotes.
const QUOTED_LOG: u64 = 2048;

/// The user a server runs as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct User {
    pub(super) uid: u32,
    pub(super) gid: u32,
}

/// The folder of a cluster.
#[derive(Debug, Clone)]
pub(super) struct ClusterFolder {
    root: PathBuf,
    /// The user the server runs as, if not the user of this process.
    user: Option<User>,
}

impl ClusterFolder {
    /// Creates the folder and gives it to the user the server runs as.
    pub(super) fn prepare(root: &Path) -> Result<Self, ClusterError> {
        let wrap = |error| ClusterError::File {
            path: root.to_owned(),
            error,
        };
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(root)
            .map_err(wrap)?;
        let root = root.canonicalize().map_err(wrap)?;
        let user = if rustix::process::geteuid().is_root() {
            Some(unprivileged(&root)?)
        } else {
            None
        };
        if let Some(user) = user {
            check_parents(&root, user)?;
        }
        let folder = Self { root, user };
        folder.give_to_user(&folder.root).map_err(wrap)?;
        fs::set_permissions(&folder.root, Permissions::from_mode(0o700)).map_err(wrap)?;
        Ok(folder)
    }

    /// Returns an existing folder, without changing it.
    pub(super) fn existing(root: &Path) -> io::Result<Self> {
        Ok(Self {
            root: root.canonicalize()?,
            user: None,
        })
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    pub(super) fn user(&self) -> Option<User> {
        self.user
    }

    pub(super) fn data(&self) -> PathBuf {
        self.root.join("data")
    }

    /// The folder in which new data is initialised; it is renamed when it is complete.
    pub(super) fn unfinished(&self) -> PathBuf {
        self.root.join("data.new")
    }

    pub(super) fn log(&self) -> PathBuf {
        self.root.join("postgres.log")
    }

    /// The server's lock file.
    pub(super) fn lock_file(&self) -> PathBuf {
        self.data().join("postmaster.pid")
    }

    pub(super) fn password_file(&self) -> PathBuf {
        self.root.join("password")
    }

    /// The folder for the socket; `None` if its path is too long.
    pub(super) fn socket(&self) -> Option<&Path> {
        (self.root.as_os_str().len() <= MAX_SOCKET_FOLDER).then_some(&self.root)
    }

    pub(super) fn is_initialized(&self) -> bool {
        self.data().join("PG_VERSION").is_file()
    }

    /// Reads the major version of the data; `None` if there is no data.
    pub(super) fn version(&self) -> Result<Option<String>, ClusterError> {
        let path = self.data().join("PG_VERSION");
        match fs::read_to_string(&path) {
            Ok(version) => Ok(Some(version.trim().to_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(ClusterError::File { path, error }),
        }
    }

    /// Returns the password, which is generated at first use.
    pub(super) fn password(&self) -> Result<Secret<String>, ClusterError> {
        let path = self.password_file();
        let password = if self.is_initialized() {
            fs::read_to_string(&path)
        } else {
            self.create_password(&path)
        };
        match password {
            Ok(password) => Ok(Secret::new(password.trim().to_owned())),
            Err(error) => Err(ClusterError::File { path, error }),
        }
    }

    fn create_password(&self, path: &Path) -> io::Result<String> {
        let password = format!(
            "{:032x}{:032x}",
            u128::from_le_bytes(random::bytes()),
            u128::from_le_bytes(random::bytes())
        );
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(path)?;
        file.write_all(password.as_bytes())?;
        file.sync_all()?;
        self.give_to_user(path)?;
        Ok(password)
    }

    /// Opens the log for appending.
    pub(super) fn open_log(&self) -> Result<File, ClusterError> {
        let path = self.log();
        let wrap = |error| ClusterError::File {
            path: path.clone(),
            error,
        };
        if fs::metadata(&path).is_ok_and(|log| log.len() > MAX_LOG) {
            fs::rename(&path, self.root.join("postgres.log.1")).map_err(wrap)?;
        }
        let log = OpenOptions::new()
            .append(true)
            .create(true)
            .mode(0o600)
            .open(&path)
            .map_err(wrap)?;
        self.give_to_user(&path).map_err(wrap)?;
        Ok(log)
    }

    /// Returns the end of the log, for an error.
    pub(super) fn log_end(&self) -> String {
        let read = || -> io::Result<String> {
            let mut log = File::open(self.log())?;
            let length = log.metadata()?.len();
            log.seek(SeekFrom::Start(length.saturating_sub(QUOTED_LOG)))?;
            let mut end = Vec::new();
            log.read_to_end(&mut end)?;
            Ok(String::from_utf8_lossy(&end).trim().to_owned())
        };
        read().unwrap_or_else(|error| format!("its log cannot be read: {error}"))
    }

    /// Gives a file to the user the server runs as.
    fn give_to_user(&self, path: &Path) -> io::Result<()> {
        match self.user {
            Some(user) => chown(path, Some(user.uid), Some(user.gid)),
            None => Ok(()),
        }
    }
}

/// Returns the user as whom root runs the server: the owner of an existing cluster, else `postgres`,
/// else `nobody`.
fn unprivileged(root: &Path) -> Result<User, ClusterError> {
    let wrap = |error| ClusterError::File {
        path: root.to_owned(),
        error,
    };
    let owner = fs::metadata(root).map_err(wrap)?;
    if owner.uid() != 0 {
        return Ok(User {
            uid: owner.uid(),
            gid: owner.gid(),
        });
    }
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    user_named(&users, "postgres")
        .or_else(|| user_named(&users, "nobody"))
        .ok_or(ClusterError::NoUser)
}

/// Checks that the server's user may enter all parents of the folder.
fn check_parents(root: &Path, user: User) -> Result<(), ClusterError> {
    for parent in root.ancestors().skip(1) {
        let folder = fs::metadata(parent).map_err(|error| ClusterError::File {
            path: parent.to_owned(),
            error,
        })?;
        let mask = if folder.uid() == user.uid {
            0o100
        } else if folder.gid() == user.gid {
            0o010
        } else {
            0o001
        };
        if folder.mode() & mask == 0 {
            return Err(ClusterError::OutOfReach {
                folder: root.to_owned(),
                blocked: parent.to_owned(),
                uid: user.uid,
            });
        }
    }
    Ok(())
}

/// Finds a user other than root in the text of `/etc/passwd`.
fn user_named(users: &str, name: &str) -> Option<User> {
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        if fields.next()? != name {
            return None;
        }
        let uid = fields.nth(1)?.parse().ok()?;
        let gid = fields.next()?.parse().ok()?;
        (uid != 0).then_some(User { uid, gid })
    })
}

#[cfg(test)]
mod tests {
    use super::{User, user_named};

    #[test]
    fn users_are_found_by_their_whole_name() {
        let users = "root:x:0:0:root:/root:/bin/sh\n\
                     postgresql:x:7:7::/:/bin/sh\n\
                     postgres:x:106:113:PostgreSQL,,,:/var/lib/postgresql:/bin/bash\n\
                     broken\n";
        assert_eq!(
            user_named(users, "postgres"),
            Some(User { uid: 106, gid: 113 })
        );
        assert_eq!(user_named(users, "broken"), None);
        assert_eq!(user_named(users, "root"), None);
        assert_eq!(user_named(users, "nobody"), None);
    }
}
