//! The client's address behind trusted proxies.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use http::header::HeaderName;

use super::{Filter, Next};
use crate::request::{ClientAddress, Request};
use crate::response::Response;

/// Finds the client's address, which handlers read as a [`ClientAddress`].
///
/// `X-Forwarded-For` is read from the right, past the addresses of trusted proxies; the first address
/// that is not trusted is the client's. If the connection itself does not come from a trusted proxy the
/// header is ignored, because anyone can write it. A Unix socket has no addresses; `unix` trusts
/// whoever may connect to it.
///
/// ```
/// use innkeeper_rest::filter::TrustedProxies;
///
/// let behind_our_balancer = TrustedProxies::new(["10.0.0.0/8", "::1"]).unwrap();
/// let behind_a_proxy_on_this_machine = TrustedProxies::new(["unix"]).unwrap();
/// let on_the_open_internet = TrustedProxies::none();
/// ```
#[derive(Debug, Clone, Default)]
pub struct TrustedProxies {
    networks: Vec<IpNetwork>,
    unix: bool,
}

/// A range of addresses in CIDR notation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct IpNetwork {
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

static FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

impl TrustedProxies {
    /// Trusts proxies at these addresses and in these networks.
    ///
    /// # Errors
    ///
    /// Fails on text that is neither an address, a network nor `unix`.
    pub fn new<T: AsRef<str>>(
        networks: impl IntoIterator<Item = T>,
    ) -> Result<Self, InvalidNetwork> {
        let mut trusted = Self::default();
        for text in networks {
            match text.as_ref().trim() {
                "unix" => trusted.unix = true,
                text => trusted.networks.push(text.parse()?),
            }
        }
        Ok(trusted)
    }

    /// Trusts no proxy: the client is the peer of the connection.
    pub fn none() -> Self {
        Self::default()
    }

    /// Returns whether no proxy is trusted, so that `X-Forwarded-For` is ignored.
    pub fn trusts_nobody(&self) -> bool {
        self.networks.is_empty() && !self.unix
    }

    fn trusts(&self, address: IpAddr) -> bool {
        self.networks
            .iter()
            .any(|network| network.contains(address))
    }

    /// Sets the [`ClientAddress`] of a request.
    ///
    /// This is all the filter does before `next`, for filters that do several things at once.
    pub fn resolve(&self, request: &mut Request) {
        if let Some(client) = self.client_of(request) {
            request.values_mut().set(ClientAddress(client));
        }
    }

    /// Returns the client's address, or `None` if the transport does not know the peer's.
    pub fn client_of(&self, request: &Request) -> Option<IpAddr> {
        let mut client = request.peer().map(|peer| peer.ip().to_canonical());
        let headers = request.head().header_values(&FORWARDED_FOR);
        // From the right, and no further than needed: the rest may be as long as a client likes.
        let hops = headers
            .rev()
            .flat_map(|value| std::str::from_utf8(value).unwrap_or_default().rsplit(','));
        for hop in hops {
            if !client.map_or(self.unix, |client| self.trusts(client)) {
                break;
            }
            // A hop that is not an address was written by somebody we do not trust.
            let Some(address) = parse_hop(hop) else { break };
            client = Some(address);
        }
        client
    }
}

/// Parses an address, perhaps with a port or in brackets.
fn parse_hop(hop: &str) -> Option<IpAddr> {
    let hop = hop.trim();
    let bare = match hop.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None if hop.matches(':').count() == 1 => hop.split(':').next().unwrap_or_default(),
        None => hop,
    };
    bare.parse::<IpAddr>()
        .ok()
        .map(|address| address.to_canonical())
}

impl FromStr for IpNetwork {
    type Err = InvalidNetwork;

    fn from_str(text: &str) -> Result<Self, InvalidNetwork> {
        let invalid = || InvalidNetwork(text.to_owned());
        let (address, prefix) = match text.trim().split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text.trim(), None),
        };
        let address: IpAddr = address.parse().map_err(|_| invalid())?;
        let longest = if address.is_ipv4() { 32 } else { 128 };
        let prefix = match prefix {
            Some(prefix) => prefix
                .parse()
                .ok()
                .filter(|&p| p <= longest)
                .ok_or_else(invalid)?,
            None => longest,
        };
        Ok(Self { address, prefix })
    }
}

impl IpNetwork {
    fn contains(self, address: IpAddr) -> bool {
        let prefix = u32::from(self.prefix);
        match (self.address, address) {
            (IpAddr::V4(network), IpAddr::V4(address)) => {
                let different = network.to_bits() ^ address.to_bits();
                different.checked_shr(32 - prefix).unwrap_or(0) == 0
            }
            (IpAddr::V6(network), IpAddr::V6(address)) => {
                let different = network.to_bits() ^ address.to_bits();
                different.checked_shr(128 - prefix).unwrap_or(0) == 0
            }
            _ => false,
        }
    }
}

impl Filter for TrustedProxies {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        self.resolve(request);
        next.run(request).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_contain_their_addresses() {
        for (network, address, inside) in [
            ("10.0.0.0/8", "10.255.1.2", true),
            ("10.0.0.0/8", "11.0.0.1", false),
            ("192.168.1.7", "192.168.1.7", true),
            ("192.168.1.7", "192.168.1.8", false),
            ("0.0.0.0/0", "8.8.8.8", true),
            ("0.0.0.0/0", "::1", false),
            ("2001:db8::/32", "2001:db8:1::1", true),
            ("2001:db8::/32", "2001:db9::1", false),
            ("::/0", "::1", true),
        ] {
            let network: IpNetwork = network.parse().unwrap();
            assert_eq!(
                network.contains(address.parse().unwrap()),
                inside,
                "{network:?} {address}"
            );
        }
        for wrong in ["", "10.0.0.0/33", "::/129", "ten", "10.0.0.0/x"] {
            assert!(wrong.parse::<IpNetwork>().is_err(), "{wrong}");
        }
    }
}
