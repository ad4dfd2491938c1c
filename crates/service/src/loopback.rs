//! Tells this machine from others.

use std::net::IpAddr;

/// Whether a name or address in a setting is this machine, so that nobody can listen on the way.
#[must_use]
pub fn is_loopback_host(host: &str) -> bool {
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost")
        || address.is_ok_and(|address| address.to_canonical().is_loopback())
}

#[cfg(test)]
mod tests {
    use super::is_loopback_host;

    #[test]
    fn only_names_and_addresses_of_this_machine_count() {
        for (host, expected) in [
            ("localhost", true),
            ("LocalHost", true),
            ("127.0.0.1", true),
            ("127.8.8.8", true),
            ("::1", true),
            ("[::1]", true),
            ("::ffff:127.0.0.1", true),
            ("", false),
            ("10.0.0.5", false),
            ("126.255.255.255", false),
            ("128.0.0.1", false),
            ("::2", false),
            ("localhost.example.com", false),
            ("127.0.0.1.example.com", false),
        ] {
            assert_eq!(is_loopback_host(host), expected, "{host:?}");
        }
    }
}
