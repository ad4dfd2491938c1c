//! Requests to other servers: bounded in time and size, and never led elsewhere.
//!
//! A redirect is an answer like any other and is not followed, and no proxy of the environment is
//! used: what is asked is what was configured. Addresses that come from a person or from another
//! server are asked with [`Reach::Public`], so that nobody can make the server look around in its
//! own network.

mod public;

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

/// Which servers may be asked.
#[derive(Debug, Clone, Default)]
pub enum Reach {
    /// All of them: the address was written by the operator.
    #[default]
    Anywhere,
    /// Those that anybody on the internet can ask, and the hosts that are named here.
    Public {
        /// Host names or addresses, without a port.
        allowed_hosts: Vec<String>,
    },
}

impl Reach {
    fn names(&self, host: &str) -> bool {
        match self {
            Self::Anywhere => true,
            Self::Public { allowed_hosts } => allowed_hosts
                .iter()
                .any(|allowed| allowed.eq_ignore_ascii_case(host)),
        }
    }
}

/// How other servers are asked.
#[derive(Debug, Clone)]
pub struct OutboundOptions {
    /// What is said in `User-Agent`.
    pub user_agent: String,
    /// For the whole exchange, from looking up the name to the last byte of the answer.
    pub timeout: Duration,
    /// Longer answers are refused, in bytes.
    pub max_answer: usize,
    /// Which servers may be asked.
    pub reach: Reach,
}

impl Default for OutboundOptions {
    fn default() -> Self {
        Self {
            user_agent: format!("innkeeper/{}", crate::VERSION),
            timeout: Duration::from_secs(5),
            max_answer: 1024 * 1024,
            reach: Reach::Anywhere,
        }
    }
}

/// Why there is no answer. No message holds the address: it may carry a secret.
#[derive(Debug, thiserror::Error)]
pub enum OutboundError {
    /// The address is none of a web server.
    #[error("the address needs http or https and a host")]
    Address,
    /// The address is one of a network that is not to be asked.
    #[error("the host is not a public one")]
    NotPublic,
    /// The server was not reached, did not answer in time, or broke off.
    #[error("{}", without_address(.0))]
    Failed(#[source] reqwest::Error),
    /// The answer is longer than anybody would read.
    #[error("the answer is longer than {0} bytes")]
    TooLarge(usize),
}

impl OutboundError {
    /// Whether the time was up.
    pub fn is_timeout(&self) -> bool {
        matches!(self, Self::Failed(error) if error.is_timeout())
    }

    /// Whether no connection came about, so that the other side has seen nothing.
    pub fn is_connect(&self) -> bool {
        matches!(self, Self::Failed(error) if error.is_connect())
    }
}

/// What went wrong, with its innermost cause.
fn without_address(error: &reqwest::Error) -> String {
    let mut cause = error.source();
    while let Some(inner) = cause.and_then(std::error::Error::source) {
        cause = Some(inner);
    }
    let what = if error.is_timeout() {
        "no answer in time"
    } else if error.is_connect() {
        "no connection"
    } else {
        "the exchange failed"
    };
    match cause {
        Some(cause) => format!("{what}: {cause}"),
        None => what.to_owned(),
    }
}

/// An answer, read to its end.
#[derive(Debug, Clone)]
pub struct OutboundAnswer {
    /// The status code.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Vec<u8>,
}

/// Asks other servers.
#[derive(Debug, Clone)]
pub struct Outbound {
    client: Client,
    max_answer: usize,
    reach: Reach,
}

impl Outbound {
    /// Connections are kept and used again by everything that asks through the same value.
    pub fn new(options: OutboundOptions) -> Result<Self, OutboundError> {
        let mut builder = Client::builder()
            .user_agent(options.user_agent)
            .timeout(options.timeout)
            .redirect(Policy::none())
            .referer(false)
            .no_proxy();
        if matches!(options.reach, Reach::Public { .. }) {
            builder = builder.dns_resolver(Arc::new(PublicNames(options.reach.clone())));
        }
        Ok(Self {
            client: builder.build().map_err(failed)?,
            max_answer: options.max_answer,
            reach: options.reach,
        })
    }

    /// Begins a request; [`Outbound::send`] sends it.
    pub fn request(&self, method: Method, url: &Url) -> Result<RequestBuilder, OutboundError> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(OutboundError::Address);
        }
        // Names are checked when they are looked up, so that the address that was checked is the one
        // that is asked.
        let (address, name) = match url.host() {
            None => return Err(OutboundError::Address),
            Some(Host::Domain(_)) => return Ok(self.client.request(method, url.clone())),
            Some(Host::Ipv4(address)) => (IpAddr::V4(address), address.to_string()),
            Some(Host::Ipv6(address)) => (IpAddr::V6(address), address.to_string()),
        };
        if !self.reach.names(&name) && !is_public(address) {
            return Err(OutboundError::NotPublic);
        }
        Ok(self.client.request(method, url.clone()))
    }

    /// Sends a request and reads the answer to its end, whatever its status is.
    pub async fn send(&self, request: RequestBuilder) -> Result<OutboundAnswer, OutboundError> {
        let mut response = request.send().await.map_err(failed)?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(failed)? {
            if body.len() + chunk.len() > self.max_answer {
                return Err(OutboundError::TooLarge(self.max_answer));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(OutboundAnswer {
            status: response.status().as_u16(),
            headers: std::mem::take(response.headers_mut()),
            body,
        })
    }

    /// Gets what is at an address.
    pub async fn get(&self, url: &Url) -> Result<OutboundAnswer, OutboundError> {
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

/// Looks names up and leaves out what is not public.
struct PublicNames(Reach);

#[derive(Debug)]
struct NotPublicName;

impl fmt::Display for NotPublicName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the host is not a public one")
    }
}

impl std::error::Error for NotPublicName {}

impl Resolve for PublicNames {
    fn resolve(&self, name: Name) -> Resolving {
        let is_allowed = self.0.names(name.as_str());
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let usable: Vec<_> = found
                .filter(|address| is_allowed || is_public(address.ip()))
                .collect();
            if usable.is_empty() {
                return Err(NotPublicName.into());
            }
            let usable: Addrs = Box::new(usable.into_iter());
            Ok(usable)
        })
    }
}

#[cfg(test)]
mod tests;
