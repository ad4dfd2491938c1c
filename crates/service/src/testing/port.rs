//! A port that stays one test's, whether somebody listens there or not.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use tokio::net::TcpSocket;

/// A port of the loopback address that the system gives to nobody else while this value lives.
///
/// A free port that is looked up and then let go may be anybody's when it is used. This one is bound and
/// never listened on, so connections to it are refused; who names it, as all servers can, may listen on it.
///
/// ```
/// # use innkeeper_service::testing::HeldPort;
/// # fn main() -> std::io::Result<()> {
/// let port = HeldPort::take()?;
/// assert!(std::net::TcpStream::connect(port.address()).is_err());
/// for _ in 0..2 {
///     let _server = std::net::TcpListener::bind(port.address())?;
///     std::net::TcpStream::connect(port.address())?;
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct HeldPort {
    address: SocketAddr,
    _socket: TcpSocket,
}

impl HeldPort {
    /// A port that nobody uses.
    pub fn take() -> io::Result<Self> {
        let socket = TcpSocket::new_v4()?;
        // The system lets two such sockets share a port that is asked for by its number.
        socket.set_reuseaddr(true)?;
        socket.bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
        Ok(Self {
            address: socket.local_addr()?,
            _socket: socket,
        })
    }

    /// Where a server listens on it.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its number.
    pub fn number(&self) -> u16 {
        self.address.port()
    }
}
