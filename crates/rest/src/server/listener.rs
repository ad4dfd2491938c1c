//! The sockets that a server listens on: TCP or Unix.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use super::socket::{AcceptedConnection, StreamSocket};
use super::socket_file::SocketFile;

/// How many connections may wait to be accepted.
#[cfg(target_os = "linux")]
const QUEUE_LENGTH: i32 = 1024;

/// Where a server listens.
///
/// ```
/// use innkeeper_rest::{Endpoint, Server};
///
/// let server = Server::bind("127.0.0.1:0").unwrap();
/// assert_eq!(server.endpoint(), Endpoint::Tcp(server.address()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Endpoint {
    /// An address and a port.
    Tcp(SocketAddr),
    /// The path of a Unix socket. Empty if the socket has no name in the file system.
    Unix(PathBuf),
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => write!(f, "{address}"),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

/// A listener that is not registered with a runtime yet.
#[derive(Debug)]
pub(super) enum Listener {
    Tcp(std::net::TcpListener),
    /// With the socket file to remove at the end, if the server created it.
    Unix(std::os::unix::net::UnixListener, Option<Arc<SocketFile>>),
}

impl Listener {
    pub(super) fn endpoint(&self) -> io::Result<Endpoint> {
        Ok(match self {
            Self::Tcp(listener) => Endpoint::Tcp(listener.local_addr()?),
            Self::Unix(listener, _) => {
                let address = listener.local_addr()?;
                Endpoint::Unix(address.as_pathname().map(PathBuf::from).unwrap_or_default())
            }
        })
    }

    pub(super) fn set_nonblocking(&self) -> io::Result<()> {
        match self {
            Self::Tcp(listener) => listener.set_nonblocking(true),
            Self::Unix(listener, _) => listener.set_nonblocking(true),
        }
    }

    /// Makes room for bursts of connections: the standard library lets 128 wait to be accepted, and of
    /// more the clients have to try again after a second.
    pub(super) fn lengthen_queue(&self) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        match self {
            Self::Tcp(listener) => rustix::net::listen(listener, QUEUE_LENGTH)?,
            Self::Unix(listener, _) => rustix::net::listen(listener, QUEUE_LENGTH)?,
        }
        Ok(())
    }

    pub(super) fn try_clone(&self) -> io::Result<Self> {
        Ok(match self {
            Self::Tcp(listener) => Self::Tcp(listener.try_clone()?),
            Self::Unix(listener, file) => Self::Unix(listener.try_clone()?, file.clone()),
        })
    }

    /// Registers the listener with the current runtime.
    pub(super) fn into_async(self) -> io::Result<AsyncListener> {
        Ok(match self {
            Self::Tcp(listener) => AsyncListener::Tcp(tokio::net::TcpListener::from_std(listener)?),
            Self::Unix(listener, file) => AsyncListener::Unix {
                listener: tokio::net::UnixListener::from_std(listener)?,
                _file: file,
            },
        })
    }
}

/// A listener that is registered with a runtime.
pub(super) enum AsyncListener {
    Tcp(tokio::net::TcpListener),
    Unix {
        listener: tokio::net::UnixListener,
        /// Removed with the last listener.
        _file: Option<Arc<SocketFile>>,
    },
}

impl AsyncListener {
    pub(super) async fn accept(&self) -> io::Result<AcceptedConnection> {
        Ok(match self {
            Self::Tcp(listener) => {
                let (stream, peer) = listener.accept().await?;
                AcceptedConnection {
                    socket: StreamSocket::Tcp(stream),
                    peer: Some(peer),
                }
            }
            Self::Unix { listener, .. } => AcceptedConnection {
                socket: StreamSocket::Unix(listener.accept().await?.0),
                peer: None,
            },
        })
    }
}
