//! What a server listens on, and the sockets that come of it: TCP or Unix, encrypted or not.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream, tcp, unix};

#[cfg(target_os = "linux")]
use super::direct;
use super::unix::SocketFile;

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
    /// A file. Empty if the socket has no name in the file system.
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

/// A listener before it belongs to a runtime.
#[derive(Debug)]
pub(super) enum Listener {
    Tcp(std::net::TcpListener),
    /// With the file to remove at the end, if it is ours.
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

    pub(super) fn try_clone(&self) -> io::Result<Self> {
        Ok(match self {
            Self::Tcp(listener) => Self::Tcp(listener.try_clone()?),
            Self::Unix(listener, file) => Self::Unix(listener.try_clone()?, file.clone()),
        })
    }

    /// Hands it to the runtime this is called on.
    pub(super) fn open(self) -> io::Result<Open> {
        Ok(match self {
            Self::Tcp(listener) => Open::Tcp(tokio::net::TcpListener::from_std(listener)?),
            Self::Unix(listener, file) => Open::Unix {
                listener: tokio::net::UnixListener::from_std(listener)?,
                _file: file,
            },
        })
    }
}

/// A listener of a runtime.
pub(super) enum Open {
    Tcp(tokio::net::TcpListener),
    Unix {
        listener: tokio::net::UnixListener,
        /// Removed when nobody listens any more.
        _file: Option<Arc<SocketFile>>,
    },
}

impl Open {
    pub(super) async fn accept(&self) -> io::Result<Arrival> {
        Ok(match self {
            Self::Tcp(listener) => {
                let (stream, peer) = listener.accept().await?;
                Arrival {
                    socket: Socket::Tcp(stream),
                    peer: Some(peer),
                }
            }
            Self::Unix { listener, .. } => Arrival {
                socket: Socket::Unix(listener.accept().await?.0),
                peer: None,
            },
        })
    }
}

/// A connection that was accepted.
pub(super) struct Arrival {
    pub(super) socket: Socket,
    /// A client of a Unix socket has no address.
    pub(super) peer: Option<SocketAddr>,
}

pub(super) enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Socket {
    /// Has small answers leave at once; a socket that refuses the option still works.
    pub(super) fn set_nodelay(&self) {
        if let Self::Tcp(stream) = self {
            let _ = stream.set_nodelay(true);
        }
    }

    pub(super) fn into_split(self) -> (Reader, Writer) {
        match self {
            Self::Tcp(stream) => {
                let (reader, writer) = stream.into_split();
                (Reader::Tcp(reader), Writer::Tcp(writer))
            }
            Self::Unix(stream) => {
                let (reader, writer) = stream.into_split();
                (Reader::Unix(reader), Writer::Unix(writer))
            }
        }
    }
}

/// The half of a connection that requests come from.
///
/// One type for all kinds of connections: the code of hyper is there once, and not once per kind.
pub(super) enum Reader {
    Tcp(tcp::OwnedReadHalf),
    Unix(unix::OwnedReadHalf),
    #[cfg(feature = "tls")]
    Tls(super::tls::Encrypted),
}

/// The half of a connection that answers go to.
pub(super) enum Writer {
    Tcp(tcp::OwnedWriteHalf),
    Unix(unix::OwnedWriteHalf),
    #[cfg(feature = "tls")]
    Tls(super::tls::Encrypted),
}

/// Calls the same method of whatever is inside.
macro_rules! each {
    ($value:expr, $type:ident, $inner:ident => $call:expr) => {
        match $value {
            $type::Tcp($inner) => $call,
            $type::Unix($inner) => $call,
            #[cfg(feature = "tls")]
            $type::Tls($inner) => $call,
        }
    };
}

impl Reader {
    /// Waits until there may be something to read.
    #[inline]
    pub(super) fn poll_readable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self {
            Self::Tcp(half) => half.as_ref().poll_read_ready(cx),
            // Said by reading.
            _ => Poll::Ready(Ok(())),
        }
    }

    /// Reads into the room that is left in a buffer.
    #[inline]
    pub(super) fn poll_receive(
        &mut self,
        cx: &mut Context<'_>,
        buffer: &mut Vec<u8>,
    ) -> Poll<io::Result<usize>> {
        match self {
            #[cfg(target_os = "linux")]
            Self::Tcp(half) => direct::poll_receive(half.as_ref(), cx, buffer),
            other => pin!(other.read_buf(buffer)).poll(cx),
        }
    }
}

// Inlined, so that a connection without encryption pays for one comparison and no call.
impl AsyncRead for Reader {
    #[inline]
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        each!(self.get_mut(), Reader, inner => Pin::new(inner).poll_read(cx, buffer))
    }
}

impl AsyncWrite for Writer {
    #[inline]
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        #[cfg(target_os = "linux")]
        if let Self::Tcp(half) = &*self {
            return direct::poll_transmit(half.as_ref(), cx, bytes);
        }
        each!(self.get_mut(), Writer, inner => Pin::new(inner).poll_write(cx, bytes))
    }

    #[inline]
    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        each!(self.get_mut(), Writer, inner => Pin::new(inner).poll_write_vectored(cx, parts))
    }

    #[inline]
    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        each!(self.get_mut(), Writer, inner => Pin::new(inner).poll_flush(cx))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        each!(self.get_mut(), Writer, inner => Pin::new(inner).poll_shutdown(cx))
    }
}

#[cfg(feature = "tls")]
impl AsyncRead for Socket {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_read(cx, buffer),
            Self::Unix(stream) => Pin::new(stream).poll_read(cx, buffer),
        }
    }
}

#[cfg(feature = "tls")]
impl AsyncWrite for Socket {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_write(cx, bytes),
            Self::Unix(stream) => Pin::new(stream).poll_write(cx, bytes),
        }
    }

    /// In one go: what is left of an alert after the first part of a write is never sent.
    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_write_vectored(cx, parts),
            Self::Unix(stream) => Pin::new(stream).poll_write_vectored(cx, parts),
        }
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_flush(cx),
            Self::Unix(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Unix(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}
