//! Limits on the connections of a server.

use std::net::IpAddr;

use innkeeper_rest::Server;
use innkeeper_rest::filter::TrustedProxies;

/// Limits how many connections one client address may have open; `None` for any number. Proxies connect for
/// many clients and programs on this machine are the operator's own, so both are exempt, as are Unix sockets.
#[must_use]
pub fn limit_per_client(server: Server, count: Option<usize>, proxies: &TrustedProxies) -> Server {
    let Some(count) = count else { return server };
    let proxies = proxies.clone();
    server.connections_per_client(count, move |client| is_exempt(client, &proxies))
}

fn is_exempt(client: IpAddr, proxies: &TrustedProxies) -> bool {
    client.is_loopback() || proxies.trusts(client)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_and_trusted_proxies_are_exempt() {
        let proxies = TrustedProxies::new(["10.0.0.0/8", "2001:db8::1"]).unwrap();
        for (client, expected) in [
            ("127.0.0.1", true),
            ("127.8.9.10", true),
            ("::1", true),
            ("10.1.2.3", true),
            ("2001:db8::1", true),
            ("2001:db8::2", false),
            ("11.0.0.1", false),
            ("192.168.0.1", false),
        ] {
            assert_eq!(
                is_exempt(client.parse().unwrap(), &proxies),
                expected,
                "{client}"
            );
        }
    }
}
