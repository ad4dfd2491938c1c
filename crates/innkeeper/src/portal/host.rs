//! Checks the host name of requests to the portal.

use innkeeper_rest::filter::{Filter, Next};
use innkeeper_rest::{Request, Response};
use url::{Host, Url};

/// A filter that rejects requests whose `Host` is not this machine.
///
/// It protects against DNS rebinding: a foreign page can make its own host name resolve to this machine
/// and would then share an origin with the mailbox. But it cannot change the `Host` that the browser
/// sends.
pub(super) struct LocalHosts;

impl Filter for LocalHosts {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        if request.head().header_text("host").is_some_and(is_local) {
            return next.run(request).await;
        }
        Response::error_with(421, "the portal is reachable only from this machine")
    }
}

fn is_local(host: &str) -> bool {
    let Ok(url) = Url::parse(&format!("http://{host}/")) else {
        return false;
    };
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_local;

    #[test]
    fn only_names_of_this_machine_are_answered() {
        for host in [
            "localhost",
            "localhost:8082",
            "127.0.0.1:8082",
            "[::1]:1",
            "inn.localhost",
        ] {
            assert!(is_local(host), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "localhost.evil.example",
            "10.0.0.1:8082",
            "a@localhost.example",
        ] {
            assert!(!is_local(host), "{host}");
        }
    }
}
