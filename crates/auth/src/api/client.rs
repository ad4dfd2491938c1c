//! Who asks and how: read once from every request, for all handlers.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};

use http::HeaderName;
use http::header::{REFERER, USER_AGENT};
use innkeeper_rest::filter::{ClientAddress, RequestId, TrustedProxies};
use innkeeper_rest::{Filter, Head, Next, Request, Response};
use jiff::civil::Date;

use crate::config::Config;

/// The header that selects the clients' API.
pub(crate) const API_VERSION: HeaderName = HeaderName::from_static("x-supabase-api-version");
/// The first version of the clients' API, and the one it answers with.
pub(crate) const DATED: &str = "2024-01-01";

const AUDIENCE: HeaderName = HeaderName::from_static("x-jwt-aud");
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");
const REDIRECT_TO: &str = "redirect_to";
/// More of a user agent than this is of no use to anybody.
const LONGEST_USER_AGENT: usize = 512;

/// What handlers know of the client.
#[derive(Debug, Clone, Default)]
pub(crate) struct ClientInfo {
    pub(crate) address: Option<IpAddr>,
    pub(crate) user_agent: Option<String>,
    pub(crate) request_id: Option<RequestId>,
    /// Whether the client asked for the API of 2024-01-01 or later.
    pub(crate) is_dated: bool,
    /// `X-JWT-AUD`.
    pub(crate) audience: Option<String>,
    /// Where the client wants to be sent back to, most wanted first: header, query, referer.
    pub(crate) redirects: Vec<String>,
    /// The host that the client asked, if a proxy says so.
    pub(crate) forwarded_host: Option<String>,
}

impl ClientInfo {
    /// The address as the database keeps it.
    pub(crate) fn address_text(&self) -> String {
        self.address
            .map(|address| address.to_string())
            .unwrap_or_default()
    }

    fn of(request: &Request) -> Self {
        let head = request.head();
        let text = |name: HeaderName| {
            head.header_text(name)
                .filter(|value| !value.is_empty())
                .map(str::to_owned)
        };
        let asked = [
            head.header_text(REDIRECT_TO).map(str::to_owned),
            query_value(head, REDIRECT_TO),
            text(REFERER),
        ];
        Self {
            address: request
                .values()
                .get::<ClientAddress>()
                .map(|client| client.0),
            user_agent: text(USER_AGENT).map(|mut agent| {
                agent.truncate(agent.floor_char_boundary(LONGEST_USER_AGENT));
                agent
            }),
            request_id: request.values().get::<RequestId>().cloned(),
            is_dated: is_dated(head),
            audience: text(AUDIENCE),
            redirects: asked.into_iter().flatten().collect(),
            forwarded_host: text(FORWARDED_HOST),
        }
    }
}

/// Whether a request asks for the API of 2024-01-01 or later; an unreadable or earlier date does not.
pub(crate) fn is_dated(head: &Head) -> bool {
    head.header_text(API_VERSION)
        .and_then(|text| text.trim().parse::<Date>().ok())
        .is_some_and(|date| date >= jiff::civil::date(2024, 1, 1))
}

/// The first value of a query parameter.
pub(crate) fn query_value(head: &Head, name: &str) -> Option<String> {
    let query = head.query()?;
    url::form_urlencoded::parse(query.as_bytes())
        .find(|(key, _)| key == name)
        .map(|(_, value)| value.into_owned())
        .filter(|value| !value.is_empty())
}

/// Sets [`ClientInfo`] for handlers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadClient;

impl Filter for ReadClient {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        let info = ClientInfo::of(request);
        request.values_mut().set(info);
        next.run(request).await
    }
}

/// Finds the client's address: in the header of a platform whose proxies write it, or past the
/// trusted proxies.
#[derive(Debug)]
pub(crate) struct FindAddress {
    platform: Option<HeaderName>,
    proxies: TrustedProxies,
    /// Whether the log says that there may be a proxy that nobody has named.
    is_reported: AtomicBool,
}

impl FindAddress {
    pub(crate) fn new(config: &Config) -> Self {
        Self {
            platform: config.security.forwarded_for.clone(),
            proxies: config.trusted_proxies.clone(),
            is_reported: AtomicBool::new(false),
        }
    }

    /// Tells an operator once what is probably not meant.
    fn look_for_proxies(&self, head: &Head) {
        let is_unread = self.platform.is_none() && self.proxies.trusts_nobody();
        if is_unread
            && head.header(FORWARDED_FOR).is_some()
            && !self.is_reported.swap(true, Ordering::Relaxed)
        {
            tracing::warn!(
                "a request came with X-Forwarded-For, which is ignored; if it came through a proxy of \
                 yours, name it in TRUSTED_PROXIES, or all its clients count as one"
            );
        }
    }
}

/// The address that stands first in a header.
pub(crate) fn address_in(head: &Head, header: &HeaderName) -> Option<IpAddr> {
    let first = head.header_text(header)?.split(',').next()?;
    first
        .trim()
        .parse()
        .ok()
        .map(|it: IpAddr| it.to_canonical())
}

impl Filter for FindAddress {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        let head = request.head();
        self.look_for_proxies(head);
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
