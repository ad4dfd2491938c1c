//! Filters that read who sent a request, once, for all handlers.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};

use http::HeaderName;
use http::header::{REFERER, USER_AGENT};
use innkeeper_rest::filter::{ClientAddress, RequestId, TrustedProxies};
use innkeeper_rest::{Filter, Head, Next, Request, Response};

use super::version::api_version;
use crate::client::ClientInfo;
use crate::config::Config;

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

/// Finds the address of the client: in the header of the hosting platform's proxies, or past the trusted
/// proxies.
#[derive(Debug)]
pub(crate) struct FindClientAddress {
    platform: Option<HeaderName>,
    proxies: TrustedProxies,
    /// Whether the warning about an unnamed proxy was logged.
    has_warned: AtomicBool,
}

impl FindClientAddress {
    pub(crate) fn new(config: &Config) -> Self {
        Self {
            platform: config.security.forwarded_for.clone(),
            proxies: config.trusted_proxies.clone(),
            has_warned: AtomicBool::new(false),
        }
    }

    /// Warns once if requests seem to come through a proxy that no setting names.
    fn warn_of_proxies(&self, head: &Head) {
        let is_ignored = self.platform.is_none() && self.proxies.trusts_nobody();
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
        let head = request.head();
        self.warn_of_proxies(head);
        let platform = self.platform.as_ref();
        let address = platform
            .and_then(|header| address_in(head, header))
            .or_else(|| self.proxies.client_of(request));
        if let Some(address) = address {
            request.values_mut().set(ClientAddress(address));
        }
        next.run(request).await
    }
}
