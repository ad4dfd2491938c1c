//! Who is asking: the client's address, past proxies that are trusted.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

use http::header::HeaderName;

use super::{Filter, Next};
use crate::request::Request;
use crate::response::Response;

/// The address of the client, set by [`TrustedProxies`] for `#[value]`.
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
    /// What requests of one client are counted under: the address, or the network of an IPv6 address,
    /// because one customer usually has all of a /64.
    pub fn network(self) -> String {
        match self.0.to_canonical() {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(_) => format!("{}/64", Ipv6Addr::from_bits(self.network_bits())),
        }
    }

    /// The same as a number. Those of IPv4 addresses are not those of a /64.
    pub(crate) fn network_bits(self) -> u128 {
        match self.0.to_canonical() {
            IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
            IpAddr::V6(address) => address.to_bits() & (u128::MAX << 64),
        }
    }
}

/// Finds the client's address.
///
/// `X-Forwarded-For` is read from the right, past the addresses of trusted proxies; the first one
/// that is not trusted is the client. If the connection itself does not come from a trusted proxy the
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
    networks: Vec<Network>,
    unix: bool,
}

/// A range of addresses in CIDR notation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Network {
    address: IpAddr,
    prefix: u8,
}

/// Text that is no address and no network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotANetwork(String);

impl fmt::Display for NotANetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is neither an address nor a network such as `10.0.0.0/8`",
            self.0
        )
    }
}

impl std::error::Error for NotANetwork {}

static FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

impl TrustedProxies {
    /// Trusts proxies at these addresses and in these networks.
    pub fn new<T: AsRef<str>>(networks: impl IntoIterator<Item = T>) -> Result<Self, NotANetwork> {
        let mut trusted = Self::default();
        for text in networks {
            match text.as_ref().trim() {
                "unix" => trusted.unix = true,
                text => trusted.networks.push(text.parse()?),
            }
        }
        Ok(trusted)
    }

    /// Trusts nobody: the client is the other end of the connection.
    pub fn none() -> Self {
        Self::default()
    }

    /// Whether no proxy is trusted, so that what they say is ignored.
    pub fn trusts_nobody(&self) -> bool {
        self.networks.is_empty() && !self.unix
    }

    fn trusts(&self, address: IpAddr) -> bool {
        self.networks
            .iter()
            .any(|network| network.contains(address))
    }

    /// Tells a request who its client is: all of this filter, for filters that do several things at once.
    pub fn resolve(&self, request: &mut Request) {
        if let Some(client) = self.client_of(request) {
            request.values_mut().set(ClientAddress(client));
        }
    }

    /// The client's address, if the transport knows the connection's.
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
            // A hop that is no address was written by somebody we do not trust.
            let Some(address) = parse_hop(hop) else { break };
            client = Some(address);
        }
        client
    }
}

/// An address, perhaps with a port or in brackets.
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

impl FromStr for Network {
    type Err = NotANetwork;

    fn from_str(text: &str) -> Result<Self, NotANetwork> {
        let wrong = || NotANetwork(text.to_owned());
        let (address, prefix) = match text.trim().split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text.trim(), None),
        };
        let address: IpAddr = address.parse().map_err(|_| wrong())?;
        let longest = if address.is_ipv4() { 32 } else { 128 };
        let prefix = match prefix {
            Some(prefix) => prefix
                .parse()
                .ok()
                .filter(|&p| p <= longest)
                .ok_or_else(wrong)?,
            None => longest,
        };
        Ok(Self { address, prefix })
    }
}

impl Network {
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
            let network: Network = network.parse().unwrap();
            assert_eq!(
                network.contains(address.parse().unwrap()),
                inside,
                "{network:?} {address}"
            );
        }
        for wrong in ["", "10.0.0.0/33", "::/129", "ten", "10.0.0.0/x"] {
            assert!(wrong.parse::<Network>().is_err(), "{wrong}");
        }
    }
}
