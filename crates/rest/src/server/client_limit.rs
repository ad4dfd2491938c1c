//! Counts the open connections of each client: of an IPv4 address or of the /64 network of an IPv6 address.

use std::collections::HashMap;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use crate::request::ClientAddress;

type IsExempt = dyn Fn(IpAddr) -> bool + Send + Sync;

/// How many connections one client may have. Clients on Unix sockets, which have no address, are exempt.
#[derive(Clone, Default)]
pub(super) struct ClientLimit {
    /// `None` for no limit.
    pub(super) count: Option<usize>,
    pub(super) is_exempt: Option<Arc<IsExempt>>,
    open: Arc<Mutex<HashMap<u128, usize>>>,
}

/// A counted connection, until it is dropped.
#[derive(Debug)]
pub(super) struct CountedConnection(Option<(ClientLimit, u128)>);

impl ClientLimit {
    /// Counts a connection of a client; `None` if the client has as many as it may have.
    pub(super) fn count(&self, peer: Option<SocketAddr>) -> Option<CountedConnection> {
        let (Some(limit), Some(peer)) = (self.count, peer) else {
            return Some(CountedConnection(None));
        };
        // An IPv4 client of a socket for both families has a mapped address.
        let address = peer.ip().to_canonical();
        if self.is_exempt.as_ref().is_some_and(|is| is(address)) {
            return Some(CountedConnection(None));
        }
        let client = ClientAddress(address).network_bits();
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(client).or_default();
        if *count >= limit {
            return None;
        }
        *count += 1;
        Some(CountedConnection(Some((self.clone(), client))))
    }
}

impl Drop for CountedConnection {
    fn drop(&mut self) {
        let Some((limit, client)) = &self.0 else {
            return;
        };
        let mut open = limit.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(client) {
            *count -= 1;
            if *count == 0 {
                open.remove(client);
            }
        }
    }
}

impl fmt::Debug for ClientLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientLimit")
            .field("count", &self.count)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(ip: &str) -> SocketAddr {
        SocketAddr::new(ip.parse().unwrap(), 1)
    }

    #[test]
    fn each_client_has_its_own_connections() {
        let limit = ClientLimit {
            count: Some(2),
            is_exempt: Some(Arc::new(|ip| ip == IpAddr::from([10, 0, 0, 1]))),
            ..ClientLimit::default()
        };
        let count = |ip| limit.count(Some(address(ip)));
        let first = count("192.0.2.1").unwrap();
        let second = count("::ffff:192.0.2.1").unwrap();
        assert!(count("192.0.2.1").is_none());
        assert!(count("192.0.2.2").is_some());
        // One customer usually has all of a /64.
        let network = [count("2001:db8::1").unwrap(), count("2001:db8::2").unwrap()];
        assert!(count("2001:db8::3").is_none());
        assert!(count("2001:db8:0:1::1").is_some());
        drop((first, network));
        let third = count("192.0.2.1").unwrap();
        assert!(count("192.0.2.1").is_none());
        drop((second, third));
        assert!(limit.open.lock().unwrap().is_empty());
        for exempt in ["10.0.0.1", "::ffff:10.0.0.1"] {
            let open: Vec<_> = (0..5).map(|_| count(exempt)).collect();
            assert!(open.iter().all(Option::is_some), "{exempt}");
        }
        let unix: Vec<_> = (0..5).map(|_| limit.count(None)).collect();
        assert!(unix.iter().all(Option::is_some));
    }

    #[test]
    fn without_a_limit_nothing_is_counted() {
        let limit = ClientLimit::default();
        let open: Vec<_> = (0..5)
            .map(|_| limit.count(Some(address("192.0.2.1"))))
            .collect();
        assert!(open.iter().all(Option::is_some));
        assert!(limit.open.lock().unwrap().is_empty());
    }
}
