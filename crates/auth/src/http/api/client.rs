//! Filters that read who sent a request, once, for all handlers.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};

use http::HeaderName;
use http::header::{REFERER, USER_AGENT};
use innkeeper_rest::filter::{ClientAddress, RequestId, TrustedProxies};
use innkeeper_rest::{Filter, Head, Next, Request, Response};

use super::version::api_version;
use crate::base::client::ClientInfo;
use crate::config::{Config, Profile};

const AUDIENCE: HeaderName = HeaderName::from_static("x-jwt-aud");
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");
const REDIRECT_TO: &str = "redirect_to";
/// The number of bytes that are stored of a user agent.
const MAX_USER_AGENT: usize = 512;

/// Reads [`ClientInfo`] from the headers and the query.
fn read_client(request: &Request) -> ClientInfo {
    let head = request.head();
    let text = |name: HeaderName| {
        head.header_text(name)
            .filter(|value| !value.is_empty())
            .map(str::to_owned)
    };
    let redirects = [
        head.header_text(REDIRECT_TO).map(str::to_owned),
        query_value(head, REDIRECT_TO),
        text(REFERER),
    ];
    ClientInfo {
        address: request
            .values()
            .get::<ClientAddress>()
            .map(|client| client.0),
        user_agent: text(USER_AGENT).map(|mut agent| {
            agent.truncate(agent.floor_char_boundary(MAX_USER_AGENT));
            agent
        }),
        request_id: request.values().get::<RequestId>().cloned(),
        api_version: api_version(head),
        audience: text(AUDIENCE),
        redirects: redirects.into_iter().flatten().collect(),
        forwarded_host: text(FORWARDED_HOST),
    }
}

/// Returns the first value of a query parameter, unless it is empty.
pub(crate) fn query_value(head: &Head, name: &str) -> Option<String> {
    let query = head.query()?;
    url::form_urlencoded::parse(query.as_bytes())
        .find(|(key, _)| key == name)
        .map(|(_, value)| value.into_owned())
        .filter(|value| !value.is_empty())
}

/// Sets [`ClientInfo`] as a request value, for handlers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadClientInfo;

impl Filter for ReadClientInfo {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        let info = read_client(request);
        request.values_mut().set(info);
        next.run(request).await
    }
}

/// The header in which the proxies of a hosting platform name the client. In std it counts only if the peer
/// is a trusted proxy: anybody else can send any address.
#[derive(Debug)]
pub(crate) struct PlatformHeader {
    name: Option<HeaderName>,
    /// The proxies that may send it; `None` for any peer, as in GoTrue.
    senders: Option<TrustedProxies>,
}

impl PlatformHeader {
    pub(crate) fn new(config: &Config) -> Self {
        let is_std = config.profile == Profile::Std;
        Self {
            name: config.security.forwarded_for.clone(),
            senders: is_std.then(|| config.trusted_proxies.clone()),
        }
    }

    pub(crate) fn is_set(&self) -> bool {
        self.name.is_some()
    }

    /// Returns the client that the header names.
    pub(crate) fn client_of(&self, request: &Request) -> Option<IpAddr> {
        let name = self.name.as_ref()?;
        let is_trusted = match &self.senders {
            Some(senders) => senders.trusts_peer_of(request),
            None => true,
        };
        is_trusted.then(|| address_in(request.head(), name))?
    }

    /// Warns if the header is configured, but nobody may send it.
    fn warn_if_useless(&self) {
        let has_no_sender = self
            .senders
            .as_ref()
            .is_some_and(TrustedProxies::trusts_nobody);
        if let Some(header) = self.name.as_ref().filter(|_| has_no_sender) {
            tracing::warn!(
                %header,
                "the header is ignored: name the proxies that set it in TRUSTED_PROXIES"
            );
        }
    }
}

/// Finds the address of the client: in the header of the hosting platform's proxies, or past the trusted
/// proxies.
#[derive(Debug)]
pub(crate) struct FindClientAddress {
    platform: PlatformHeader,
    proxies: TrustedProxies,
    /// Whether the warning about an unnamed proxy was logged.
    has_warned: AtomicBool,
}

impl FindClientAddress {
    pub(crate) fn new(config: &Config) -> Self {
        let platform = PlatformHeader::new(config);
        platform.warn_if_useless();
        Self {
            platform,
            proxies: config.trusted_proxies.clone(),
            has_warned: AtomicBool::new(false),
        }
    }

    /// Warns once if requests seem to come through a proxy that no setting names.
    fn warn_of_proxies(&self, head: &Head) {
        let is_ignored = !self.platform.is_set() && self.proxies.trusts_nobody();
        if is_ignored
            && head.header(FORWARDED_FOR).is_some()
            && !self.has_warned.swap(true, Ordering::Relaxed)
        {
            tracing::warn!(
                "a request has an X-Forwarded-For header, which is ignored; if it came through your proxy, \
                 name the proxy in TRUSTED_PROXIES, or all its clients count as one"
            );
        }
    }
}

/// Returns the first address of a comma-separated header.
pub(crate) fn address_in(head: &Head, header: &HeaderName) -> Option<IpAddr> {
    let first = head.header_text(header)?.split(',').next()?;
    first
        .trim()
        .parse()
        .ok()
        .map(|address: IpAddr| address.to_canonical())
}

impl Filter for FindClientAddress {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        self.warn_of_proxies(request.head());
        let address = self
            .platform
            .client_of(request)
            .or_else(|| self.proxies.client_of(request));
        if let Some(address) = address {
            request.values_mut().set(ClientAddress(address));
        }
        next.run(request).await
    }
}
