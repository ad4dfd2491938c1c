//! HTTP requests to other servers, limited in time and size.
//!
//! Redirects are not followed and proxies in the environment are not used, so a request goes to the
//! configured address only. Use [`Reach::Public`] for addresses that come from users or other servers:
//! it prevents server-side request forgery.

mod public;
mod tls;

use std::error::Error as _;
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::HeaderMap;
use reqwest::redirect::Policy;
use reqwest::{Client, Method, RequestBuilder};
use url::{Host, Url};

pub use public::is_public;

/// Which servers requests may go to.
#[derive(Debug, Clone, Default)]
pub enum Reach {
    /// All servers, for addresses that the operator configured.
    #[default]
    Anywhere,
    /// Servers with public addresses, and the hosts that are named here.
    Public {
        /// Host names or addresses, without a port.
        allowed_hosts: Vec<String>,
    },
}

impl Reach {
    fn allows_by_name(&self, host: &str) -> bool {
        match self {
            Self::Anywhere => true,
            Self::Public { allowed_hosts } => allowed_hosts
                .iter()
                .any(|allowed| allowed.eq_ignore_ascii_case(host)),
        }
    }
}

/// The options of an [`Outbound`] client.
#[derive(Debug, Clone)]
pub struct OutboundOptions {
    /// The value of `User-Agent`.
    pub user_agent: String,
    /// The time-out of the whole exchange, from the name lookup to the last byte of the response.
    pub timeout: Duration,
    /// The longest accepted response body, in bytes.
    pub max_response: usize,
    /// Which servers requests may go to.
    pub reach: Reach,
}

impl Default for OutboundOptions {
    fn default() -> Self {
        Self {
            user_agent: concat!("innkeeper/", env!("CARGO_PKG_VERSION")).to_owned(),
            timeout: Duration::from_secs(5),
            max_response: 1024 * 1024,
            reach: Reach::Anywhere,
        }
    }
}

/// Why a request failed. Messages do not include the URL, because it may hold a secret.
#[derive(Debug, thiserror::Error)]
pub enum OutboundError {
    /// The URL is not one of a web server.
    #[error("the URL needs http or https and a host")]
    Address,
    /// The certificates of the system could not be read.
    #[error("cannot set up encryption: {0}")]
    Tls(#[from] rustls::Error),
    /// The host is not allowed by [`Reach::Public`].
    #[error("the host has no public address")]
    NotPublic,
    /// The server could not be reached, did not respond in time, or broke the connection.
    #[error("{}", without_url(.0))]
    Failed(#[source] reqwest::Error),
    /// The response is too long.
    #[error("the response is longer than {0} bytes")]
    TooLarge(usize),
}

impl OutboundError {
    /// Whether the request timed out.
    pub fn is_timeout(&self) -> bool {
        matches!(self, Self::Failed(error) if error.is_timeout())
    }

    /// Whether no connection was established, so that the server has received nothing.
    pub fn is_connect(&self) -> bool {
        matches!(self, Self::Failed(error) if error.is_connect())
    }
}

/// Describes an error by its innermost cause, without the URL.
fn without_url(error: &reqwest::Error) -> String {
    let mut cause = error.source();
    while let Some(inner) = cause.and_then(std::error::Error::source) {
        cause = Some(inner);
    }
    let what = if error.is_timeout() {
        "no response in time"
    } else if error.is_connect() {
        "no connection"
    } else {
        "the request failed"
    };
    match cause {
        Some(cause) => format!("{what}: {cause}"),
        None => what.to_owned(),
    }
}

/// A complete response.
#[derive(Debug, Clone)]
pub struct OutboundResponse {
    /// The status code.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Vec<u8>,
}

/// An HTTP client for requests to other servers.
#[derive(Debug, Clone)]
pub struct Outbound {
    client: Client,
    max_response: usize,
    reach: Reach,
}

impl Outbound {
    /// Creates a client. It and its clones share a pool of connections.
    pub fn new(options: OutboundOptions) -> Result<Self, OutboundError> {
        let mut builder = Client::builder()
            .user_agent(options.user_agent)
            .timeout(options.timeout)
            .redirect(Policy::none())
            .referer(false)
            .no_proxy()
            .tls_backend_preconfigured(tls::config()?);
        if matches!(options.reach, Reach::Public { .. }) {
            builder = builder.dns_resolver(Arc::new(PublicResolver(options.reach.clone())));
        }
        Ok(Self {
            client: builder.build().map_err(failed)?,
            max_response: options.max_response,
            reach: options.reach,
        })
    }

    /// Builds a request, which [`Outbound::send`] sends.
    pub fn request(&self, method: Method, url: &Url) -> Result<RequestBuilder, OutboundError> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(OutboundError::Address);
        }
        // Names are checked by the resolver, so that the connection goes to the address that was checked.
        let (address, name) = match url.host() {
            None => return Err(OutboundError::Address),
            Some(Host::Domain(_)) => return Ok(self.client.request(method, url.clone())),
            Some(Host::Ipv4(address)) => (IpAddr::V4(address), address.to_string()),
            Some(Host::Ipv6(address)) => (IpAddr::V6(address), address.to_string()),
        };
        if !self.reach.allows_by_name(&name) && !is_public(address) {
            return Err(OutboundError::NotPublic);
        }
        Ok(self.client.request(method, url.clone()))
    }

    /// Sends a request and reads the whole response, whatever its status.
    pub async fn send(&self, request: RequestBuilder) -> Result<OutboundResponse, OutboundError> {
        let mut response = request.send().await.map_err(failed)?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(failed)? {
            if body.len() + chunk.len() > self.max_response {
                return Err(OutboundError::TooLarge(self.max_response));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(OutboundResponse {
            status: response.status().as_u16(),
            headers: std::mem::take(response.headers_mut()),
            body,
        })
    }

    /// Sends a GET request.
    pub async fn get(&self, url: &Url) -> Result<OutboundResponse, OutboundError> {
        self.send(self.request(Method::GET, url)?).await
    }
}

fn failed(error: reqwest::Error) -> OutboundError {
    let mut cause = error.source();
    while let Some(inner) = cause {
        if inner.is::<NotPublicName>() {
            return OutboundError::NotPublic;
        }
        cause = inner.source();
    }
    OutboundError::Failed(error.without_url())
}

/// A resolver that returns public addresses only, except for allowed hosts.
struct PublicResolver(Reach);

#[derive(Debug)]
struct NotPublicName;

impl fmt::Display for NotPublicName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the host has no public address")
    }
}

impl std::error::Error for NotPublicName {}

impl Resolve for PublicResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let is_allowed = self.0.allows_by_name(name.as_str());
        Box::pin(async move {
            let addresses = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let allowed: Vec<_> = addresses
                .filter(|address| is_allowed || is_public(address.ip()))
                .collect();
            if allowed.is_empty() {
                return Err(NotPublicName.into());
            }
            let allowed: Addrs = Box::new(allowed.into_iter());
            Ok(allowed)
        })
    }
}

#[cfg(test)]
mod tests;
