//! Which names the portal answers to.

use innkeeper_rest::filter::{Filter, Next};
use innkeeper_rest::{Request, Response};
use url::{Host, Url};

/// Refuses requests for another name than one of this machine.
///
/// A page of a stranger can let a name of its own lead to this machine, and would then be of the same
/// origin as the mailbox. It cannot change the name that the browser says it asks for.
pub(super) struct OfThisMachine;

impl Filter for OfThisMachine {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        if request.head().header_text("host").is_some_and(is_local) {
            return next.run(request).await;
        }
        Response::error_with(421, "this page is for this machine alone")
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
