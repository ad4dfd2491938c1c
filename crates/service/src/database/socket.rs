//! Connects to the hosts of a database URL.
//!
//! The driver could do that, but then nobody would see the messages; see [`super::wire`].

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::task::{Context, Poll};

use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream, lookup_host};
use tokio::time::timeout;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, LoadBalanceHosts};

use crate::random;

const DEFAULT_PORT: u16 = 5432;

/// A connection of any kind. Not a boxed trait object, because the compiler cannot see that a future with one
/// can be sent to another thread.
pub(super) enum ServerStream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl AsyncRead for ServerStream {
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

impl AsyncWrite for ServerStream {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_write(cx, buffer),
            Self::Unix(stream) => Pin::new(stream).poll_write(cx, buffer),
        }
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

/// One address of a server.
#[derive(Debug)]
pub(super) enum ServerAddress {
    Tcp {
        /// The name that the certificate must have.
        host: String,
        address: SocketAddr,
    },
    Unix(PathBuf),
}

/// Returns the addresses of all hosts of a URL, in the order in which they are tried.
pub(super) async fn addresses(config: &Config) -> Vec<io::Result<ServerAddress>> {
    let mut found = Vec::new();
    for (index, host) in config.get_hosts().iter().enumerate() {
        let ports = config.get_ports();
        let port = ports.get(index).or_else(|| ports.first()).copied();
        let port = port.unwrap_or(DEFAULT_PORT);
        match host {
            Host::Unix(folder) => {
                let path = folder.join(format!(".s.PGSQL.{port}"));
                found.push(Ok(ServerAddress::Unix(path)));
            }
            Host::Tcp(host) => {
                let fixed = config.get_hostaddrs().get(index);
                let name = fixed.map_or_else(|| host.clone(), ToString::to_string);
                match lookup_host((name, port)).await {
                    Ok(addresses) => found.extend(addresses.map(|address| {
                        Ok(ServerAddress::Tcp {
                            host: host.clone(),
                            address,
                        })
                    })),
                    Err(error) => found.push(Err(error)),
                }
            }
        }
    }
    if config.get_load_balance_hosts() == LoadBalanceHosts::Random {
        found.sort_by_cached_key(|_| u64::from_le_bytes(random::bytes()));
    }
    found
}

/// Opens a connection, with the time-out and the options of the URL.
pub(super) async fn connect(address: &ServerAddress, config: &Config) -> io::Result<ServerStream> {
    let connected = async {
        match address {
            ServerAddress::Tcp { address, .. } => {
                let stream = TcpStream::connect(address).await?;
                set_options(&stream, config)?;
                Ok(ServerStream::Tcp(stream))
            }
            ServerAddress::Unix(path) => Ok(ServerStream::Unix(UnixStream::connect(path).await?)),
        }
    };
    match config.get_connect_timeout() {
        Some(limit) => timeout(*limit, connected)
            .await
            .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())),
        None => connected.await,
    }
}

fn set_options(stream: &TcpStream, config: &Config) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let socket = SockRef::from(stream);
    if let Some(limit) = config.get_tcp_user_timeout() {
        socket.set_tcp_user_timeout(Some(*limit))?;
    }
    if config.get_keepalives() {
        let mut keepalive = TcpKeepalive::new().with_time(config.get_keepalives_idle());
        if let Some(interval) = config.get_keepalives_interval() {
            keepalive = keepalive.with_interval(interval);
        }
        if let Some(retries) = config.get_keepalives_retries() {
            keepalive = keepalive.with_retries(retries);
        }
        socket.set_tcp_keepalive(&keepalive)?;
    }
    Ok(())
}

/// A stream that fails. Only the driver can create its errors, and it does when its stream fails.
pub(super) struct FailedStream(Option<io::Error>);

impl FailedStream {
    pub(super) fn new(error: io::Error) -> Self {
        Self(Some(error))
    }

    fn error(&mut self) -> io::Error {
        self.0
            .take()
            .unwrap_or_else(|| io::ErrorKind::NotConnected.into())
    }
}

impl AsyncRead for FailedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        _: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Poll::Ready(Err(self.error()))
    }
}

impl AsyncWrite for FailedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        _: &[u8],
    ) -> Poll<io::Result<usize>> {
        Poll::Ready(Err(self.error()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
