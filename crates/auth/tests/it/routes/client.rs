//! The address of the client, as sessions and the audit log store it.

use innkeeper_auth::config::{Config, Profile};
use innkeeper_rest::filter::TrustedProxies;
use serde_json::json;

use crate::support::TestApp;

/// Returns the addresses that the session and the audit log store for a sign-in with these headers.
async fn noted(change: impl FnOnce(&mut Config), headers: &[(&str, &str)]) -> (String, String) {
    let app = TestApp::with(|config| {
        config.mailer.autoconfirm = true;
        change(config);
    })
    .await;
    app.signed_up("ada@example.com", "correct horse").await;
    let body = json!({ "email": "ada@example.com", "password": "correct horse" });
    let target = "/token?grant_type=password";
    app.send(innkeeper_rest::Method::POST, target, headers, Some(&body))
        .await
        .ok();
    let row = app
        .sql()
        .await
        .query_one(
            "select (select host(ip) from sessions order by created_at desc limit 1),
                    (select ip_address from audit_log_entries
                      where payload ->> 'action' = 'login' order by created_at desc limit 1)",
            &[],
        )
        .await
        .unwrap();
    (row.get(0), row.get(1))
}

fn twice(address: &str) -> (String, String) {
    (address.to_owned(), address.to_owned())
}

const FORWARDED: (&str, &str) = ("X-Forwarded-For", "203.0.113.9, 198.51.100.4");
const PLATFORM: (&str, &str) = ("Sb-Forwarded-For", "192.0.2.8, 198.51.100.4");

#[tokio::test]
async fn what_a_stranger_says_about_the_address_counts_for_nothing() {
    assert_eq!(
        noted(|_| {}, &[FORWARDED, PLATFORM]).await,
        twice("127.0.0.1")
    );
}

#[tokio::test]
async fn past_trusted_proxies_the_forwarded_address_counts() {
    let one = |config: &mut Config| {
        config.trusted_proxies = TrustedProxies::new(["127.0.0.0/8"]).unwrap();
    };
    assert_eq!(noted(one, &[FORWARDED]).await, twice("198.51.100.4"));
    let both = |config: &mut Config| {
        let networks = ["127.0.0.0/8", "198.51.100.0/24"];
        config.trusted_proxies = TrustedProxies::new(networks).unwrap();
    };
    assert_eq!(noted(both, &[FORWARDED]).await, twice("203.0.113.9"));
}

fn platform(config: &mut Config) {
    config.security.forwarded_for = Some("sb-forwarded-for".parse().unwrap());
}

fn from_proxy(config: &mut Config) {
    platform(config);
    config.trusted_proxies = TrustedProxies::new(["127.0.0.0/8"]).unwrap();
}

#[tokio::test]
async fn where_the_platform_writes_a_header_its_first_value_counts() {
    assert_eq!(
        noted(from_proxy, &[PLATFORM, FORWARDED]).await,
        twice("192.0.2.8")
    );
    let broken = [("Sb-Forwarded-For", "unknown")];
    assert_eq!(noted(from_proxy, &broken).await, twice("127.0.0.1"));
}

#[tokio::test]
async fn the_header_of_the_platform_counts_only_from_its_proxies() {
    assert_eq!(noted(platform, &[PLATFORM]).await, twice("127.0.0.1"));
    let others = |config: &mut Config| {
        platform(config);
        config.trusted_proxies = TrustedProxies::new(["192.0.2.0/24"]).unwrap();
    };
    assert_eq!(noted(others, &[PLATFORM]).await, twice("127.0.0.1"));
    let gotrue = |config: &mut Config| {
        platform(config);
        config.profile = Profile::Gotrue;
    };
    assert_eq!(noted(gotrue, &[PLATFORM]).await, twice("192.0.2.8"));
}
