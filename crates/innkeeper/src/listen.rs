//! Opens the listening socket of a server.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV6, TcpListener, ToSocketAddrs};

use rustix::net::sockopt::{set_ipv6_v6only, set_socket_reuseaddr};
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, listen, socket_with};

/// The length of the queue of connections that wait to be accepted.
const BACKLOG: i32 = 1024;

/// A socket that cannot be opened.
#[derive(Debug)]
pub(crate) struct ListenError {
    host: String,
    port: u16,
    error: io::Error,
}

impl std::fmt::Display for ListenError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { host, port, error } = self;
        match error.kind() {
            io::ErrorKind::AddrInUse => write!(f, "port {port} is in use by another program"),
            io::ErrorKind::PermissionDenied => {
                write!(f, "this user may not listen on port {port}")
            }
            _ if host.is_empty() => write!(f, "cannot listen on port {port}: {error}"),
            _ => write!(f, "cannot listen on {host} port {port}: {error}"),
        }
    }
}

impl std::error::Error for ListenError {}

impl ListenError {
    /// Whether another socket has the port.
    pub(crate) fn is_in_use(&self) -> bool {
        self.error.kind() == io::ErrorKind::AddrInUse
    }
}

/// Listens on a port of a host. An empty host means all addresses of this machine, IPv6 and IPv4 where
/// the system has both.
pub(crate) fn on(host: &str, port: u16) -> Result<TcpListener, ListenError> {
    let listening = if host.is_empty() {
        everywhere(port)
    } else {
        one(host, port)
    };
    listening.map_err(|error| ListenError {
        host: host.to_owned(),
        port,
        error,
    })
}

/// Checks that a server could listen on a host. The port is not tried, because that server may be using it.
pub(crate) fn check_host(host: &str, port: u16) -> Result<(), ListenError> {
    match on(host, 0) {
        Ok(_) => Ok(()),
        Err(error) => Err(ListenError { port, ..error }),
    }
}

fn one(host: &str, port: u16) -> io::Result<TcpListener> {
    // An IPv6 address may be in brackets, as in a URL.
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let addresses: Vec<SocketAddr> = (host, port).to_socket_addrs()?.collect();
    TcpListener::bind(&*addresses)
}

fn everywhere(port: u16) -> io::Result<TcpListener> {
    match both_families(port) {
        Err(error) if error.kind() != io::ErrorKind::AddrInUse => {
            TcpListener::bind((Ipv4Addr::UNSPECIFIED, port))
        }
        bound => bound,
    }
}

/// Opens one socket for IPv6 and IPv4, even where the system's default is IPv6 only.
fn both_families(port: u16) -> io::Result<TcpListener> {
    let socket = socket_with(
        AddressFamily::INET6,
        SocketType::STREAM,
        SocketFlags::CLOEXEC,
        None,
    )?;
    set_ipv6_v6only(&socket, false)?;
    set_socket_reuseaddr(&socket, true)?;
    bind(
        &socket,
        &SocketAddrV6::new(Ipv6Addr::UNSPECIFIED, port, 0, 0),
    )?;
    listen(&socket, BACKLOG)?;
    Ok(TcpListener::from(socket))
}

#[cfg(test)]
mod tests {
    use std::net::TcpStream;

    use super::on;

    #[test]
    fn without_a_host_both_families_are_heard() {
        let listener = on("", 0).unwrap();
        let port = listener.local_addr().unwrap().port();
        TcpStream::connect(("127.0.0.1", port)).unwrap();
        if std::net::TcpListener::bind("[::1]:0").is_ok() {
            TcpStream::connect(("::1", port)).unwrap();
        }
    }

    #[test]
    fn a_host_is_a_name_or_an_address() {
        for host in ["localhost", "127.0.0.1"] {
            let listener = on(host, 0).unwrap();
            assert!(listener.local_addr().unwrap().ip().is_loopback(), "{host}");
        }
        if std::net::TcpListener::bind("[::1]:0").is_ok() {
            assert!(on("::1", 0).unwrap().local_addr().unwrap().is_ipv6());
            assert!(on("[::1]", 0).unwrap().local_addr().unwrap().is_ipv6());
        }
    }

    #[test]
    fn a_port_in_use_is_named() {
        for host in ["", "127.0.0.1"] {
            let first = on("127.0.0.1", 0).unwrap();
            let port = first.local_addr().unwrap().port();
            let error = on(host, port).unwrap_err().to_string();
            assert_eq!(error, format!("port {port} is in use by another program"));
        }
    }

    #[test]
    fn a_host_of_another_machine_is_named() {
        let error = on("192.0.2.1", 4711).unwrap_err().to_string();
        assert!(
            error.starts_with("cannot listen on 192.0.2.1 port 4711: "),
            "{error}"
        );
    }
}
