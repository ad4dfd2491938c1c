//! Keys: which requests are counted together.

use innkeeper_rest::filter::{Quota, RateLimit, RateLimitBuilder, TrustedProxies};
use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, Method, Rejection, RestApi, filter};

use super::{Plain, behind};

fn one_a_day() -> RateLimitBuilder {
    RateLimit::builder(Quota::per_day(1))
}

async fn from(client: &Client, peer: &str) -> u16 {
    let request = client.get("/plain").from_peer(peer.parse().unwrap());
    request.send().await.status()
}

#[tokio::test]
async fn clients_are_told_apart_by_their_address_and_not_by_their_port() {
    let client = behind(one_a_day().build().unwrap());
    for (peer, status) in [
        ("192.0.2.1:1000", 200),
        ("192.0.2.1:1001", 429),
        ("192.0.2.2:1000", 200),
        ("[::ffff:192.0.2.1]:1000", 429),
        ("[2001:db8::1]:1000", 200),
    ] {
        assert_eq!(from(&client, peer).await, status, "{peer}");
    }
}

#[tokio::test]
async fn ipv6_clients_are_told_apart_by_their_network() {
    let client = behind(one_a_day().build().unwrap());
    for (peer, status) in [
        ("[2001:db8:0:1::1]:1000", 200),
        ("[2001:db8:0:1:ffff::9]:1000", 429),
        ("[2001:db8:0:2::1]:1000", 200),
    ] {
        assert_eq!(from(&client, peer).await, status, "{peer}");
    }
}

#[tokio::test]
async fn behind_a_trusted_proxy_the_client_is_counted() {
    let app = App::new()
        .filter(TrustedProxies::new(["10.0.0.0/8"]).unwrap())
        .filter(one_a_day().build().unwrap());
    let client = Client::new(app.mount("/", RestApi::new(Plain))).unwrap();
    for (peer, forwarded, status) in [
        ("10.0.0.1:80", "192.0.2.1", 200),
        ("10.0.0.2:80", "192.0.2.1", 429),
        ("10.0.0.1:80", "192.0.2.2", 200),
        ("198.51.100.1:80", "192.0.2.3", 200),
        ("198.51.100.1:80", "192.0.2.4", 429),
    ] {
        let request = client.get("/plain").header("x-forwarded-for", forwarded);
        let response = request.from_peer(peer.parse().unwrap()).send().await;
        assert_eq!(response.status(), status, "{forwarded} by {peer}");
    }
}

#[tokio::test]
async fn clients_that_nobody_knows_are_counted_together() {
    let client = behind(one_a_day().build().unwrap());
    assert_eq!(client.get("/plain").send().await.status(), 200);
    assert_eq!(client.get("/plain").send().await.status(), 429);
    assert_eq!(from(&client, "192.0.2.1:1000").await, 200);
}

#[tokio::test]
async fn a_header_tells_requests_apart_and_none_is_one_of_them() {
    let client = behind(one_a_day().by_header("X-Api-Key").build().unwrap());
    for (key, status) in [
        (Some("a"), 200),
        (Some("a"), 429),
        (Some("b"), 200),
        (None, 200),
        (None, 429),
        (Some(""), 429),
        (Some("\u{fc}"), 200),
    ] {
        let request = client.get("/plain");
        let request = match key {
            Some(key) => request.header("x-api-key", key),
            None => request,
        };
        assert_eq!(request.send().await.status(), status, "{key:?}");
    }
}

#[tokio::test]
async fn a_function_tells_requests_apart_and_may_leave_some_alone() {
    let caller = filter::before(|request| {
        let name = request.head().header_text("x-name").map(str::to_owned);
        if let Some(name) = name {
            request.values_mut().set_named("caller", name);
        }
        Ok::<(), Rejection>(())
    });
    let limit = one_a_day().by(|request| {
        let caller = request.values().get_named::<String>("caller")?;
        (request.method() != Method::PUT).then(|| caller.clone())
    });
    let api = RestApi::new(Plain).filter(caller);
    let api = api.filter(limit.build().unwrap());
    let client = Client::new(App::new().mount("/", api)).unwrap();
    for (name, status) in [("ada", 200), ("ada", 429), ("bob", 200)] {
        let response = client.get("/plain").header("x-name", name).send().await;
        assert_eq!(response.status(), status, "{name}");
    }
    for _ in 0..3 {
        let free = client.put("/plain").header("x-name", "ada").send().await;
        assert_eq!(free.status(), 204);
        assert_eq!(free.header("ratelimit"), None);
        assert_eq!(client.get("/plain").send().await.status(), 200);
    }
}

#[tokio::test]
async fn messages_are_counted_with_the_requests_of_the_same_key() {
    let limit = RateLimit::builder(Quota::per_minute(2))
        .by(|request| request.head().header_text("x-room").map(str::to_owned))
        .build()
        .unwrap();
    let client = behind(limit.clone());
    let request = client.get("/plain").header("x-room", "1");
    assert_eq!(request.send().await.status(), 200);
    assert_eq!(limit.count_for("1").await, Ok(()));
    let refused = limit.count_for("1").await.unwrap_err();
    assert!(!refused.allowed && refused.more_in > std::time::Duration::from_secs(25));
    assert_eq!(limit.count_for("2").await, Ok(()));
    let request = client.get("/plain").header("x-room", "1");
    assert_eq!(request.send().await.status(), 429);
}
