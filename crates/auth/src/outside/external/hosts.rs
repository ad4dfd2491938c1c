//! The addresses of providers.

use std::time::Duration;

use innkeeper_service::outbound::is_public;
use url::Url;

use super::error::ExternalError;

/// How long the addresses of a host may be looked for.
const RESOLVE_TIMEOUT: Duration = Duration::from_secs(2);

/// A server in the place of all providers: it gets their requests, with the provider's host as the start of the path.
#[derive(Debug, Clone, Default)]
pub(super) struct Hosts {
    pub(super) replaced_by: Option<Url>,
}

impl Hosts {
    /// Parses the URL of a web server, and puts the replacement in its place if there is one.
    pub(super) fn parse(&self, text: &str, what: &'static str) -> Result<Url, ExternalError> {
        let url = Url::parse(text).map_err(|_| ExternalError::Address(what))?;
        let host = url.host_str().ok_or(ExternalError::Address(what))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(ExternalError::Address(what));
        }
        let Some(base) = &self.replaced_by else {
            return Ok(url);
        };
        if url.origin() == base.origin() {
            return Ok(url);
        }
        let mut moved = base.clone();
        moved.set_path(&format!("/{host}{}", url.path()));
        moved.set_query(url.query());
        Ok(moved)
    }

    /// Whether the host of a URL has public addresses only; `None` if it has no address.
    pub(super) async fn resolve(&self, text: &str) -> Option<bool> {
        if self.replaced_by.is_some() {
            return Some(true);
        }
        let url = Url::parse(text).ok()?;
        let host = url.host_str().map(unbracketed)?;
        let found = tokio::net::lookup_host((host, 0));
        let found = tokio::time::timeout(RESOLVE_TIMEOUT, found).await.ok()?;
        let mut addresses = found.ok()?.peekable();
        addresses.peek()?;
        Some(addresses.all(|address| is_public(address.ip())))
    }

    /// Returns the host that is called although its address may be private.
    pub(super) fn allowed(&self) -> Option<String> {
        let url = self.replaced_by.as_ref()?;
        url.host_str().map(unbracketed)
    }
}

/// Returns a host as it is written outside of URLs.
pub(super) fn unbracketed(host: &str) -> String {
    host.trim_start_matches('[')
        .trim_end_matches(']')
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Hosts, unbracketed};

    #[test]
    fn a_host_becomes_the_start_of_the_path() {
        let hosts = Hosts {
            replaced_by: Some("http://127.0.0.1:7000".parse().unwrap()),
        };
        for (given, called) in [
            (
                "https://api.github.com/user?a=b",
                "http://127.0.0.1:7000/api.github.com/user?a=b",
            ),
            ("http://127.0.0.1:7000/x", "http://127.0.0.1:7000/x"),
            (
                "http://127.0.0.1:7001/x",
                "http://127.0.0.1:7000/127.0.0.1/x",
            ),
        ] {
            assert_eq!(hosts.parse(given, "it").unwrap().as_str(), called);
        }
        assert_eq!(hosts.allowed().unwrap(), "127.0.0.1");
        assert_eq!(unbracketed("[::1]"), "::1");
    }

    #[test]
    fn only_web_servers_have_addresses() {
        let hosts = Hosts::default();
        for text in [
            "",
            "github.com",
            "ftp://github.com/",
            "file:///etc/passwd",
            "data:,x",
        ] {
            assert!(hosts.parse(text, "it").is_err(), "{text}");
        }
        let url = hosts.parse("https://github.com/login", "it").unwrap();
        assert_eq!(url.as_str(), "https://github.com/login");
    }
}
