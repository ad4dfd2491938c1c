//! Networks of IP addresses, in CIDR notation.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// A range of IP addresses in CIDR notation, such as `192.0.2.0/24` or `2001:db8::/32`. A single address is
/// the network of itself.
///
/// An IPv4 address that is mapped to IPv6 (`::ffff:192.0.2.7`) counts as IPv4, in the network as well as in
/// the addresses that it is compared with.
///
/// ```
/// use innkeeper_rest::filter::IpNetwork;
///
/// let office: IpNetwork = "192.0.2.0/24".parse().unwrap();
/// assert!(office.contains("192.0.2.7".parse().unwrap()));
/// assert!(office.contains("::ffff:192.0.2.7".parse().unwrap()));
/// assert!(!office.contains("192.0.3.7".parse().unwrap()));
/// assert_eq!(office.to_string(), "192.0.2.0/24");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IpNetwork {
    address: IpAddr,
    prefix: u8,
}

/// The error for text that is neither an address nor a network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidNetwork(String);

impl fmt::Display for InvalidNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is neither an address nor a network such as `10.0.0.0/8`",
            self.0
        )
    }
}

impl std::error::Error for InvalidNetwork {}

/// How many bits of an IPv6 address come before the IPv4 address that is mapped to it.
const MAPPED_BITS: u8 = 96;

impl FromStr for IpNetwork {
    type Err = InvalidNetwork;

    fn from_str(text: &str) -> Result<Self, InvalidNetwork> {
        let parse = || {
            let (address, prefix) = match text.trim().split_once('/') {
                Some((address, prefix)) => (address, Some(prefix)),
                None => (text.trim(), None),
            };
            let address: IpAddr = address.parse().ok()?;
            let longest = bits(address).1;
            let prefix = match prefix {
                Some(prefix) => parse_prefix(prefix).filter(|prefix| *prefix <= longest)?,
                None => longest,
            };
            Some(Self { address, prefix }.unmapped())
        };
        parse().ok_or_else(|| InvalidNetwork(text.to_owned()))
    }
}

/// Parses decimal digits. The standard library would also accept a sign.
fn parse_prefix(text: &str) -> Option<u8> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

/// Returns an address as a number, and how many bits it has.
fn bits(address: IpAddr) -> (u128, u8) {
    match address {
        IpAddr::V4(address) => (u128::from(address.to_bits()), 32),
        IpAddr::V6(address) => (address.to_bits(), 128),
    }
}

impl IpNetwork {
    /// Returns whether an address is in the network.
    pub fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        let ((own, width), (other, _)) = (bits(self.address), bits(address));
        let ignored = u32::from(width - self.prefix);
        self.address.is_ipv4() == address.is_ipv4()
            && (own ^ other).checked_shr(ignored).unwrap_or(0) == 0
    }

    /// Returns the network with all bits after its prefix set to zero, such as `192.0.2.0/24` for
    /// `192.0.2.7/24`. The two contain the same addresses.
    ///
    /// ```
    /// use innkeeper_rest::filter::IpNetwork;
    ///
    /// let network: IpNetwork = "192.0.2.7/24".parse().unwrap();
    /// assert_eq!(network.truncated().to_string(), "192.0.2.0/24");
    /// ```
    #[must_use]
    pub fn truncated(self) -> Self {
        let (number, width) = bits(self.address);
        let cleared = u32::from(width - self.prefix);
        let mask = u128::MAX.checked_shl(cleared).unwrap_or(0);
        let number = number & mask;
        let address = match self.address {
            // The number of an IPv4 address has 32 bits.
            IpAddr::V4(_) => Ipv4Addr::from_bits(u32::try_from(number).unwrap_or(0)).into(),
            IpAddr::V6(_) => Ipv6Addr::from_bits(number).into(),
        };
        Self { address, ..self }
    }

    /// Returns the network as one of IPv4, if it is a part of those that are mapped to IPv6.
    fn unmapped(self) -> Self {
        let address = self.address.to_canonical();
        match self.prefix.checked_sub(MAPPED_BITS) {
            Some(prefix) if self.address.is_ipv6() && address.is_ipv4() => Self { address, prefix },
            _ => self,
        }
    }
}

impl fmt::Display for IpNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::IpNetwork;

    #[test]
    fn networks_contain_their_addresses() {
        for (network, address, inside) in [
            ("10.0.0.0/8", "10.255.1.2", true),
            ("10.0.0.0/8", "11.0.0.1", false),
            ("10.0.0.0/8", "::ffff:10.1.2.3", true),
            ("192.168.1.7", "192.168.1.7", true),
            ("192.168.1.7", "192.168.1.8", false),
            ("192.168.1.7/31", "192.168.1.6", true),
            ("0.0.0.0/0", "8.8.8.8", true),
            ("0.0.0.0/0", "::1", false),
            ("2001:db8::/32", "2001:db8:1::1", true),
            ("2001:db8::/32", "2001:db9::1", false),
            ("2001:db8::/32", "32.1.13.184", false),
            ("::/0", "::1", true),
            ("::/0", "8.8.8.8", false),
            ("::ffff:192.0.2.0/120", "192.0.2.9", true),
            ("::ffff:192.0.2.0/120", "::ffff:192.0.2.9", true),
            ("::ffff:192.0.2.0/120", "192.0.3.9", false),
            ("::ffff:192.0.2.9", "192.0.2.9", true),
        ] {
            let network: IpNetwork = network.parse().unwrap();
            assert_eq!(
                network.contains(address.parse().unwrap()),
                inside,
                "{network:?} {address}"
            );
        }
    }

    #[test]
    fn text_that_is_no_network_is_refused() {
        for wrong in [
            "",
            "/",
            "/8",
            "10.0.0.0/",
            "10.0.0.0/33",
            "10.0.0.0/+8",
            "10.0.0.0/-1",
            "10.0.0.0/8/8",
            "10.0.0/8",
            "::/129",
            "::/999",
            "ten",
            "10.0.0.0/x",
            "fe80::1%eth0",
        ] {
            assert!(wrong.parse::<IpNetwork>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_truncated_network_is_zero_after_its_prefix() {
        for (network, truncated) in [
            ("192.0.2.7", "192.0.2.7/32"),
            ("192.0.2.7/24", "192.0.2.0/24"),
            ("192.0.2.7/0", "0.0.0.0/0"),
            ("2001:db8:1::7/32", "2001:db8::/32"),
            ("2001:db8::7/0", "::/0"),
            ("2001:db8::7", "2001:db8::7/128"),
            ("::ffff:192.0.2.7/120", "192.0.2.0/24"),
        ] {
            let network: IpNetwork = network.parse().unwrap();
            assert_eq!(network.truncated().to_string(), truncated);
        }
    }
}
