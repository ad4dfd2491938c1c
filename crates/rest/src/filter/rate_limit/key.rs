//! Whose requests are counted together.

use std::fmt::{self, Write as _};
use std::net::{IpAddr, Ipv6Addr};

use http::header::HeaderName;

use crate::filter::ClientAddress;
use crate::request::Request;

/// What requests are told apart by.
pub(super) enum Key {
    Client,
    Header(HeaderName),
    Custom(Custom),
}

type Custom = Box<dyn Fn(&Request) -> Option<String> + Send + Sync>;

impl Key {
    /// Whose request this is, behind the name of who counts it; none if it is not to be counted.
    pub(super) fn of(&self, name: &str, request: &Request) -> Option<String> {
        let mut key = String::with_capacity(name.len() + ROOM);
        key.push_str(name);
        key.push(':');
        match self {
            Self::Client => match client(request) {
                Some(address) => push_network(&mut key, address),
                None => key.push_str("unknown"),
            },
            // Who leaves the header out is one of many who do, and not free of the limit.
            Self::Header(name) => {
                if let Some(value) = request.head().header(name) {
                    key.push_str(&String::from_utf8_lossy(value.as_bytes()));
                }
            }
            Self::Custom(whose) => key.push_str(&whose(request)?),
        }
        Some(key)
    }
}

/// What most keys have room in, behind their name.
const ROOM: usize = 24;

fn client(request: &Request) -> Option<IpAddr> {
    match request.values().get::<ClientAddress>() {
        Some(client) => Some(client.0),
        None => Some(request.peer()?.ip().to_canonical()),
    }
}

/// The address, or the network of an IPv6 address: one customer usually has all of a /64.
fn push_network(key: &mut String, address: IpAddr) {
    match address {
        IpAddr::V4(address) => {
            let [a, b, c, d] = address.octets();
            push_octet(key, a);
            for octet in [b, c, d] {
                key.push('.');
                push_octet(key, octet);
            }
        }
        IpAddr::V6(address) => {
            let network = Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64));
            // Writing to memory does not fail.
            let _ = write!(key, "{network}/64");
        }
    }
}

/// As the formatter would, which takes ten times as long.
fn push_octet(key: &mut String, octet: u8) {
    if octet >= 100 {
        key.push(char::from(b'0' + octet / 100));
    }
    if octet >= 10 {
        key.push(char::from(b'0' + octet / 10 % 10));
    }
    key.push(char::from(b'0' + octet % 10));
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Client => f.write_str("Client"),
            Self::Header(name) => f.debug_tuple("Header").field(name).finish(),
            Self::Custom(_) => f.write_str("Custom"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_counted_one_by_one_and_networks_of_ipv6_together() {
        for (address, expected) in [
            ("0.0.0.0", "n:0.0.0.0"),
            ("9.10.99.100", "n:9.10.99.100"),
            ("255.199.200.7", "n:255.199.200.7"),
            ("2001:db8:1:2:3:4:5:6", "n:2001:db8:1:2::/64"),
        ] {
            let mut key = "n:".to_owned();
            push_network(&mut key, address.parse().unwrap());
            assert_eq!(key, expected);
        }
    }
}
