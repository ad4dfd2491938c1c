//! A server on a Unix socket: the file, who may use it, and when it goes.

use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use socket2::{Domain, SockAddr, Socket, Type};

use super::listener::{Endpoint, Listener};
use super::{ServeError, Server};

/// How many connections may wait to be accepted.
const BACKLOG: i32 = 1024;

/// Who may connect until [`Server::socket_mode`] says otherwise: our own user.
const MODE: u32 = 0o600;

impl Server {
    /// Listens on a Unix socket at this path.
    ///
    /// A file that a former server left behind is replaced. Where somebody still listens, or where
    /// there is anything but a socket, it is an error. The file is removed when the server stops.
    /// Only our own user may connect; see [`socket_mode`](Self::socket_mode).
    ///
    /// Its clients have no address: [`Request::peer`](crate::Request::peer) is `None`. Behind a proxy
    /// that connects here, [`TrustedProxies`](crate::filter::TrustedProxies) with `"unix"` finds them.
    ///
    /// ```
    /// use innkeeper_rest::{Endpoint, Server};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let path = folder.path().join("app.sock");
    /// let server = Server::bind_unix(&path)?.socket_mode(0o660)?;
    /// assert_eq!(server.endpoint(), Endpoint::Unix(path));
    /// # Ok::<(), innkeeper_rest::ServeError>(())
    /// ```
    pub fn bind_unix(path: impl AsRef<Path>) -> Result<Self, ServeError> {
        let path = path.as_ref();
        let failed = |error| ServeError::Listen(path.display().to_string(), error);
        let (listener, file) = bind(path).map_err(failed)?;
        Self::on(Listener::Unix(listener, Some(Arc::new(file)))).map_err(failed)
    }

    /// Serves a Unix socket that is there already. Its file is left alone when the server stops.
    pub fn from_unix_listener(listener: UnixListener) -> io::Result<Self> {
        Self::on(Listener::Unix(listener, None))
    }

    /// Who may connect to a Unix socket, as the mode of its file: `0o660` lets the group, `0o666`
    /// everybody.
    pub fn socket_mode(self, mode: u32) -> Result<Self, ServeError> {
        let result = match &self.endpoint {
            Endpoint::Unix(path) => fs::set_permissions(path, Permissions::from_mode(mode)),
            Endpoint::Tcp(_) => Err(io::Error::new(
                ErrorKind::InvalidInput,
                "only the file of a Unix socket has a mode",
            )),
        };
        match result {
            Ok(()) => Ok(self),
            Err(error) => Err(ServeError::Listen(self.endpoint.to_string(), error)),
        }
    }
}

/// The file of a socket; removed when it is dropped.
#[derive(Debug)]
pub(super) struct SocketFile {
    path: PathBuf,
    /// Device and inode: somebody may have put another file in its place.
    identity: (u64, u64),
}

impl SocketFile {
    fn at(path: &Path) -> io::Result<Self> {
        Ok(Self {
            // The working directory may change before it is removed.
            path: std::path::absolute(path)?,
            identity: identity(path)?,
        })
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if identity(&self.path).is_ok_and(|found| found == self.identity)
            && let Err(error) = fs::remove_file(&self.path)
        {
            tracing::warn!(path = %self.path.display(), %error, "a socket could not be removed");
        }
    }
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let metadata = fs::symlink_metadata(path)?;
    Ok((metadata.dev(), metadata.ino()))
}

fn bind(path: &Path) -> io::Result<(UnixListener, SocketFile)> {
    let address = SockAddr::unix(path)?;
    let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
    // Of two servers that find the same old file, the second would remove what the first has put
    // there. A folder that cannot be locked is no reason not to start.
    let _lock = lock_folder_of(path);
    match socket.bind(&address) {
        Err(error) if error.kind() == ErrorKind::AddrInUse => {
            remove_stale(path, &address)?;
            socket.bind(&address)?;
        }
        result => result?,
    }
    let file = SocketFile::at(path)?;
    // Nobody can connect before `listen`, so nobody gets in who should not.
    fs::set_permissions(path, Permissions::from_mode(MODE))?;
    socket.listen(BACKLOG)?;
    Ok((socket.into(), file))
}

/// Holds the folder until it is dropped, or nothing.
fn lock_folder_of(path: &Path) -> Option<File> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = File::open(folder.unwrap_or(Path::new("."))).ok()?;
    folder.lock().ok()?;
    Some(folder)
}

/// Removes a socket that nobody listens on.
fn remove_stale(path: &Path, address: &SockAddr) -> io::Result<()> {
    if !fs::symlink_metadata(path)?.file_type().is_socket() {
        let text = "there is a file that is no socket";
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
            "somebody listens on it",
        )),
    }
}
