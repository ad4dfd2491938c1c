//! The client that sent a request, as far as flows need to know it.

use std::net::IpAddr;

use innkeeper_rest::filter::RequestId;

/// The API that a client asks for with `X-Supabase-Api-Version`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ApiVersion {
    /// The API of requests without the header, or with a date before 2024.
    #[default]
    Initial,
    /// The API of 2024-01-01, which is also that of every later date.
    V20240101,
}

/// The client of a request: its address, its headers, and where it wants to be sent back to.
#[derive(Debug, Clone, Default)]
pub(crate) struct ClientInfo {
    pub(crate) address: Option<IpAddr>,
    pub(crate) user_agent: Option<String>,
    pub(crate) request_id: Option<RequestId>,
    pub(crate) api_version: ApiVersion,
    /// The value of `X-JWT-AUD`.
    pub(crate) audience: Option<String>,
    /// The redirect targets of the request, in order of precedence: header, query, referer.
    pub(crate) redirects: Vec<String>,
    /// The value of `X-Forwarded-Host`.
    pub(crate) forwarded_host: Option<String>,
}

impl ClientInfo {
    /// Returns the address as the database stores it; empty if it is unknown.
    pub(crate) fn address_text(&self) -> String {
        self.address
            .map(|address| address.to_string())
            .unwrap_or_default()
    }
}
