//! The address of the client.

use std::net::{IpAddr, Ipv6Addr};

/// The address of the client, set by [`TrustedProxies`](crate::filter::TrustedProxies) for `#[value]`.
///
/// ```
/// use innkeeper_rest::filter::ClientAddress;
/// use innkeeper_rest::resource;
///
/// struct Me;
///
/// #[resource("/me")]
/// impl Me {
///     #[get]
///     fn show(&self, #[value] client: ClientAddress) -> String {
///         client.0.to_string()
///     }
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClientAddress(pub IpAddr);

impl ClientAddress {
    /// Returns the text under which limits count the client: an IPv4 address, or the /64 network of an
    /// IPv6 address, because one customer usually has all of a /64.
    pub fn network(self) -> String {
        match self.0.to_canonical() {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(_) => format!("{}/64", Ipv6Addr::from_bits(self.network_bits())),
        }
    }

    /// Returns [`network`](Self::network) as a number. Numbers of IPv4 addresses differ from those of /64
    /// networks.
    pub(crate) fn network_bits(self) -> u128 {
        match self.0.to_canonical() {
            IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
            IpAddr::V6(address) => address.to_bits() & (u128::MAX << 64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_are_counted_by_address_or_by_network() {
        for (address, network) in [
            ("192.0.2.7", "192.0.2.7"),
            ("0.0.0.0", "0.0.0.0"),
            ("9.10.99.100", "9.10.99.100"),
            ("255.199.200.7", "255.199.200.7"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
            ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ] {
            let client = ClientAddress(address.parse().unwrap());
            assert_eq!(client.network(), network);
        }
    }
}
