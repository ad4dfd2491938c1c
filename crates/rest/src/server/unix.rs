//! A server on a Unix socket.

use std::fs::{self, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::Arc;

use super::error::ServeError;
use super::listener::{Endpoint, Listener};
use super::{Server, socket_file};

impl Server {
    /// Listens on a Unix socket at this path.
    ///
    /// The socket file of a server that no longer runs is replaced, and the file is removed when the
    /// server stops. Only the server's own user may connect; see
    /// [`socket_mode`](Self::socket_mode).
    ///
    /// Clients have no address: [`Request::peer`](crate::Request::peer) is `None`. If the client is a
    /// proxy, [`TrustedProxies`](crate::filter::TrustedProxies) with `"unix"` reads the addresses
    /// that it forwards.
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
    ///
    /// # Errors
    ///
    /// Fails if another process listens on the socket, if the path is a file of another kind, or if
    /// the file cannot be created.
    pub fn bind_unix(path: impl AsRef<Path>) -> Result<Self, ServeError> {
        let path = path.as_ref();
        let failed = |error| ServeError::Listen(path.display().to_string(), error);
        let (listener, file) = socket_file::bind(path).map_err(failed)?;
        Self::on(Listener::Unix(listener, Some(Arc::new(file)))).map_err(failed)
    }

    /// Serves on an existing Unix listener. Its file is not removed when the server stops.
    ///
    /// # Errors
    ///
    /// Fails if the listener cannot be made non-blocking.
    pub fn from_unix_listener(listener: UnixListener) -> io::Result<Self> {
        Self::on(Listener::Unix(listener, None))
    }

    /// Sets who may connect to a Unix socket, as the mode of its file: `0o660` admits the group,
    /// `0o666` everybody.
    ///
    /// # Errors
    ///
    /// Fails if the server listens on TCP, or if the mode cannot be changed.
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
