//! A port that is reserved for one test.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use tokio::net::TcpSocket;

/// A loopback port that the system does not give to another process while this value lives.
///
/// A free port that is looked up and released may be taken by another process before it is used. This one
/// is bound but never listened on: connections to it are refused, and a server that binds it by number can
/// listen on it.
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
    /// Reserves a free port.
    pub fn take() -> io::Result<Self> {
        let socket = TcpSocket::new_v4()?;
        // With this option, two sockets can bind the same port by its number.
        socket.set_reuseaddr(true)?;
        socket.bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
        Ok(Self {
            address: socket.local_addr()?,
            _socket: socket,
        })
    }

    /// The address of the port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The number of the port.
    pub fn number(&self) -> u16 {
        self.address.port()
    }
}
