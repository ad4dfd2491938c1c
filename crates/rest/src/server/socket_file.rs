//! The file of a Unix socket: created with its mode, replaced if it is stale, removed at the end.

use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use socket2::{Domain, SockAddr, Socket, Type};

/// How many connections the kernel queues until they are accepted.
const BACKLOG: i32 = 1024;

/// The mode of a new socket file: only the server's own user may connect.
const MODE: u32 = 0o600;

/// The file of a Unix socket, removed on drop.
#[derive(Debug)]
pub(super) struct SocketFile {
    path: PathBuf,
    /// Device and inode: another file may have replaced this one.
    identity: (u64, u64),
}

impl SocketFile {
    fn at(path: &Path) -> io::Result<Self> {
        Ok(Self {
            // The working directory may change before the file is removed.
            path: std::path::absolute(path)?,
            identity: identity(path)?,
        })
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if identity(&self.path).is_ok_and(|current| current == self.identity)
            && let Err(error) = fs::remove_file(&self.path)
        {
            tracing::warn!(path = %self.path.display(), %error, "cannot remove the socket file");
        }
    }
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let metadata = fs::symlink_metadata(path)?;
    Ok((metadata.dev(), metadata.ino()))
}

/// Listens on a Unix socket at this path, replacing the file of a server that no longer runs.
pub(super) fn bind(path: &Path) -> io::Result<(UnixListener, SocketFile)> {
    let address = SockAddr::unix(path)?;
    let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
    // Of two servers that find the same stale file, the second would remove the file that the first
    // has just created. A folder that cannot be locked is no reason not to start.
    let _lock = lock_parent(path);
    match socket.bind(&address) {
        Err(error) if error.kind() == ErrorKind::AddrInUse => {
            remove_stale(path, &address)?;
            socket.bind(&address)?;
        }
        result => result?,
    }
    let file = SocketFile::at(path)?;
    // Nobody can connect before `listen`, so nobody gets in before the mode is set.
    fs::set_permissions(path, Permissions::from_mode(MODE))?;
    socket.listen(BACKLOG)?;
    Ok((socket.into(), file))
}

/// Locks the folder of a path until the file is dropped; `None` if that is not possible.
fn lock_parent(path: &Path) -> Option<File> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = File::open(folder.unwrap_or(Path::new("."))).ok()?;
    folder.lock().ok()?;
    Some(folder)
}

/// Removes a socket file that no process listens on.
fn remove_stale(path: &Path, address: &SockAddr) -> io::Result<()> {
    if !fs::symlink_metadata(path)?.file_type().is_socket() {
        let text = "the file exists and is not a socket";
        return Err(io::Error::new(ErrorKind::AlreadyExists, text));
    }
    let probe = Socket::new(Domain::UNIX, Type::STREAM, None)?;
    // A listener that is behind with accepting must not hold us up.
    probe.set_nonblocking(true)?;
    match probe.connect(address) {
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => fs::remove_file(path),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Err(error),
        Ok(()) | Err(_) => Err(io::Error::new(
            ErrorKind::AddrInUse,
            "another process listens on it",
        )),
    }
}
