//! The client's address behind trusted proxies.

use innkeeper_rest::filter::{ClientAddress, TrustedProxies};
use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, RestApi, resource};

struct Who;

#[resource("/who")]
impl Who {
    #[get]
    fn who(&self, #[value] client: Option<ClientAddress>) -> String {
        client.map_or_else(|| "unknown".to_owned(), |client| client.0.to_string())
    }
}

fn client(proxies: TrustedProxies) -> Client {
    let app = App::new().filter(proxies).mount("/", RestApi::new(Who));
    Client::new(app).unwrap()
}

/// Returns the client address of a request from this peer with these `X-Forwarded-For` headers.
async fn who(client: &Client, peer: &str, forwarded: &[&str]) -> String {
    let mut request = client.get("/who").from_peer(peer.parse().unwrap());
    for value in forwarded {
        request = request.header("x-forwarded-for", value);
    }
    request.send().await.text()
}

fn trusting() -> Client {
    client(TrustedProxies::new(["10.0.0.0/8", "::1", "2001:db8:ffff::/48"]).unwrap())
}

#[tokio::test]
async fn the_header_is_read_from_the_right_past_trusted_proxies() {
    let client = trusting();
    for (forwarded, expected) in [
        (&["203.0.113.7"][..], "203.0.113.7"),
        (&["203.0.113.7, 10.1.1.1"], "203.0.113.7"),
        (&["6.6.6.6, 203.0.113.7, 10.1.1.1"], "203.0.113.7"),
        (&["6.6.6.6", "203.0.113.7", "10.1.1.1"], "203.0.113.7"),
        (&["203.0.113.7,10.1.1.1 ,\t10.2.2.2"], "203.0.113.7"),
        (&["10.3.3.3, 10.1.1.1"], "10.3.3.3"),
        (&[], "10.0.0.1"),
    ] {
        let found = who(&client, "10.0.0.1:5000", forwarded).await;
        assert_eq!(found, expected, "{forwarded:?}");
    }
}

#[tokio::test]
async fn an_untrusted_peer_is_the_client_whatever_it_says() {
    let client = trusting();
    let found = who(&client, "198.51.100.9:5000", &["1.2.3.4"]).await;
    assert_eq!(found, "198.51.100.9");
    let found = who(&client, "[2001:db8::9]:5000", &["1.2.3.4"]).await;
    assert_eq!(found, "2001:db8::9");
}

#[tokio::test]
async fn nobody_is_trusted_unless_named() {
    let client = client(TrustedProxies::none());
    for peer in ["127.0.0.1:80", "10.0.0.1:80", "[::1]:80"] {
        let expected = peer
            .parse::<std::net::SocketAddr>()
            .unwrap()
            .ip()
            .to_string();
        assert_eq!(who(&client, peer, &["1.2.3.4"]).await, expected);
    }
}

#[tokio::test]
async fn addresses_may_have_ports_and_be_of_either_family() {
    let client = trusting();
    for (forwarded, expected) in [
        ("203.0.113.7:1234", "203.0.113.7"),
        ("2001:db8::7", "2001:db8::7"),
        ("[2001:db8::7]:1234", "2001:db8::7"),
        ("[2001:db8::7]", "2001:db8::7"),
        ("2001:db8::7, 2001:db8:ffff::1", "2001:db8::7"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("203.0.113.7, ::ffff:10.0.0.9", "203.0.113.7"),
    ] {
        assert_eq!(who(&client, "[::1]:5000", &[forwarded]).await, expected);
    }
}

#[tokio::test]
async fn an_address_mapped_into_ipv6_is_the_ipv4_address() {
    let client = trusting();
    let found = who(&client, "[::ffff:10.0.0.1]:5000", &["203.0.113.7"]).await;
    assert_eq!(found, "203.0.113.7");
}

#[tokio::test]
async fn what_is_no_address_ends_the_search() {
    let client = trusting();
    for (forwarded, expected) in [
        ("unknown", "10.0.0.1"),
        ("", "10.0.0.1"),
        ("1.2.3.4, unknown", "10.0.0.1"),
        ("1.2.3.4, garbage, 10.1.1.1", "10.1.1.1"),
        ("1.2.3.4, , 10.1.1.1", "10.1.1.1"),
        ("999.1.1.1", "10.0.0.1"),
        ("_hidden:80", "10.0.0.1"),
        ("1.2.3.4:port:x", "10.0.0.1"),
    ] {
        let found = who(&client, "10.0.0.1:5000", &[forwarded]).await;
        assert_eq!(found, expected, "{forwarded}");
    }
}

#[tokio::test]
async fn without_a_peer_the_client_is_unknown() {
    let response = trusting()
        .get("/who")
        .header("x-forwarded-for", "1.2.3.4")
        .send()
        .await;
    assert_eq!(response.text(), "unknown");
}

#[test]
fn a_network_that_is_none_is_named() {
    let error = TrustedProxies::new(["10.0.0.0/8", "10.0.0.0/33"]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`10.0.0.0/33` is neither an address nor a network such as `10.0.0.0/8`"
    );
}
