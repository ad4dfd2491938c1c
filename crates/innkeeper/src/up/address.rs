//! Hosts and URLs of the servers that `innkeeper up` starts.

/// The host of everything that is reachable only from this machine.
pub(super) const LOOPBACK: &str = "127.0.0.1";

/// Returns the URL by which clients on this machine reach a server that listens on this host.
pub(super) fn external_url(host: &str, port: u16) -> String {
    match host {
        "" | "0.0.0.0" | "::" | "[::]" => format!("http://localhost:{port}"),
        host if host.contains(':') && !host.starts_with('[') => format!("http://[{host}]:{port}"),
        host => format!("http://{host}:{port}"),
    }
}

#[cfg(test)]
mod tests {
    use super::external_url;

    #[test]
    fn the_address_follows_the_host() {
        for (host, url) in [
            ("127.0.0.1", "http://127.0.0.1:8081"),
            ("", "http://localhost:8081"),
            ("0.0.0.0", "http://localhost:8081"),
            ("::1", "http://[::1]:8081"),
            ("[::1]", "http://[::1]:8081"),
            ("inn.example", "http://inn.example:8081"),
        ] {
            assert_eq!(external_url(host, 8081), url);
        }
    }
}
