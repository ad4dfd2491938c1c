//! The client's address behind trusted proxies.

use std::net::IpAddr;

use http::header::HeaderName;

use super::ip_network::{InvalidNetwork, IpNetwork};
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

    /// Returns whether the peer of a request is a trusted proxy, so that its headers can be believed.
    pub fn trusts_peer_of(&self, request: &Request) -> bool {
        let peer = request.peer().map(|peer| peer.ip().to_canonical());
        peer.map_or(self.unix, |peer| self.trusts(peer))
    }

    /// Returns whether a proxy at this address is trusted.
    pub fn trusts(&self, address: IpAddr) -> bool {
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

impl Filter for TrustedProxies {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        self.resolve(request);
        next.run(request).await
    }
}
