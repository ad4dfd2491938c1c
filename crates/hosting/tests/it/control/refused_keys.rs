//! Keys that are refused.

use innkeeper_hosting::model::Scope;
use innkeeper_rest::filter::Quota;
use innkeeper_service::clock::Clock;
use innkeeper_service::testing::HeldPort;
use jiff::SignedDuration;
use serde_json::json;

use super::{Control, assert_refused};
use crate::support::{Answer, Site, eventually};

/// A key in the right format, with a right checksum, that was never created.
const NEVER_CREATED: &str = "ink_live_0123456789ABabcdefghijklmnopqrstuvwxyzABCDEF2lXTEk";

/// Returns the checksum of a key, as programs outside of this one compute it.
fn checksum(body: &str) -> String {
    const DIGITS: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut crc = flate2::Crc::new();
    crc.update(body.as_bytes());
    let mut rest = crc.sum() as usize;
    let mut digits = Vec::new();
    for _ in 0..6 {
        digits.insert(0, DIGITS[rest % 62]);
        rest /= 62;
    }
    String::from_utf8(digits).unwrap()
}

/// Returns the key with another secret and a right checksum.
fn with_other_secret(key: &str) -> String {
    let body = format!("{}{}", &key[..21], "x".repeat(32));
    format!("{body}{}", checksum(&body))
}

/// Returns the parts of a refusal that a client sees, except those that differ between requests.
fn seen(answer: &Answer) -> (u16, Vec<String>, String) {
    let challenge = answer.headers("www-authenticate");
    let challenge = challenge.into_iter().map(str::to_owned).collect();
    let mut body = answer.json();
    body.as_object_mut().unwrap().remove("requestId");
    (answer.status, challenge, body.to_string())
}

#[tokio::test]
async fn a_request_without_a_key_is_told_what_to_send() {
    let control = Control::start().await;
    let answer = control.ask_with(&[]).await;
    assert_refused(&answer, 401, "unauthenticated");
    let challenge = "ApiKey header=\"x-api-key\", Bearer";
    assert_eq!(answer.header("www-authenticate"), Some(challenge));
    let detail = "an API key is required, in the header Authorization or X-API-Key";
    assert_eq!(answer.json()["detail"], detail);
}

#[tokio::test]
async fn keys_that_are_not_valid_cannot_be_told_apart() {
    let control = Control::start_with(|config| {
        config.limits.key_failures = Quota::per_minute(1000);
    });
    let control = control.await;
    let north = control.customer("North").await;
    let key = control.key(&north, &[Scope::All]).await;
    let key = key.text.reveal().as_str();
    let mistyped = format!(
        "{}{}",
        &key[..58],
        if key.ends_with('0') { '1' } else { '0' }
    );
    let expected = seen(&control.ask(NEVER_CREATED).await);
    assert_eq!(expected.0, 401);
    assert!(expected.2.contains("unauthenticated"), "{}", expected.2);
    for wrong in [
        "nonsense",
        "ink_live_",
        &key[..58],
        &format!("{key}0"),
        &mistyped,
        &with_other_secret(key),
        // An access token of the auth server is no key.
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxIiwicm9sZSI6InNlcnZpY2Vfcm9sZSJ9.c2ln",
    ] {
        assert_eq!(seen(&control.ask(wrong).await), expected, "{wrong}");
        let header = [("x-api-key", wrong)];
        assert_eq!(seen(&control.ask_with(&header).await), expected, "{wrong}");
    }
}

#[tokio::test]
async fn a_wrong_secret_is_refused_also_while_the_key_is_cached() {
    let control = Control::start().await;
    let north = control.customer("North").await;
    let key = control.key(&north, &[Scope::All]).await;
    let key = key.text.reveal().as_str();
    let wrong = with_other_secret(key);
    assert_eq!(control.ask(key).await.status, 200);
    assert_refused(&control.ask(&wrong).await, 401, "unauthenticated");
    assert_eq!(control.ask(key).await.status, 200);
    // And the other way round: a wrong secret does not shut the right one out.
    control.site.clock.advance(SignedDuration::from_secs(10));
    assert_refused(&control.ask(&wrong).await, 401, "unauthenticated");
    assert_eq!(control.ask(key).await.status, 200);
}

#[tokio::test]
async fn a_revoked_key_stops_working_within_five_seconds() {
    let control = Control::start().await;
    let north = control.customer("North").await;
    let key = control.key(&north, &[Scope::All]).await;
    let other = control.key(&north, &[Scope::All]).await;
    let clock = &control.site.clock;
    assert_eq!(control.ask(key.text.reveal()).await.status, 200);
    let config = control.site.config();
    let id = &key.key.key.id;
    innkeeper_hosting::revoke_key(&config, clock, id)
        .await
        .unwrap();
    clock.advance(SignedDuration::from_millis(4900));
    assert_eq!(control.ask(key.text.reveal()).await.status, 200, "cached");
    clock.advance(SignedDuration::from_millis(100));
    let answer = control.ask(key.text.reveal()).await;
    assert_refused(&answer, 401, "key_revoked");
    assert!(answer.header("www-authenticate").is_some());
    // Only who has the secret learns that it was revoked.
    let wrong = with_other_secret(key.text.reveal());
    assert_refused(&control.ask(&wrong).await, 401, "unauthenticated");
    assert_eq!(control.ask(other.text.reveal()).await.status, 200);
    let again = innkeeper_hosting::revoke_key(&config, clock, id).await;
    let message = again.unwrap_err().to_string();
    assert_eq!(message, format!("key {id} was revoked before"));
}

#[tokio::test]
async fn a_key_stops_working_when_it_expires() {
    let control = Control::start().await;
    let north = control.customer("North").await;
    let clock = control.site.clock.clone();
    let end = clock.now() + SignedDuration::from_hours(1);
    let key = control.key_with(&north, &[Scope::All], |new| new.expires_at = Some(end));
    let key = key.await;
    // The cached reading of the key does not keep it alive.
    let before = end.duration_since(clock.now()) - SignedDuration::from_millis(200);
    clock.advance(before);
    assert_eq!(control.ask(key.text.reveal()).await.status, 200);
    clock.advance(SignedDuration::from_millis(200));
    assert!(clock.now() >= end);
    assert_refused(&control.ask(key.text.reveal()).await, 401, "key_expired");
}

#[tokio::test]
async fn a_key_expires_by_the_clock_also_when_that_is_set() {
    let control = Control::start().await;
    let north = control.customer("North").await;
    let clock = control.site.clock.clone();
    // Below its start, the clock for durations stands still, as the one of the system does not go back either.
    clock.advance(SignedDuration::from_hours(-24 * 500));
    let end = clock.now() + SignedDuration::from_hours(1);
    let key = control.key_with(&north, &[Scope::All], |new| new.expires_at = Some(end));
    let key = key.await;
    assert_eq!(control.ask(key.text.reveal()).await.status, 200);
    clock.advance(SignedDuration::from_hours(24 * 400));
    assert_refused(&control.ask(key.text.reveal()).await, 401, "key_expired");
    clock.advance(SignedDuration::from_hours(-24 * 400));
    assert_eq!(control.ask(key.text.reveal()).await.status, 200);
    clock.advance(SignedDuration::from_hours(-24));
    assert_eq!(control.ask(key.text.reveal()).await.status, 200);
}

#[tokio::test]
async fn a_key_works_from_its_networks_only() {
    let control = Control::start().await;
    let north = control.customer("North").await;
    let key = control.key_with(&north, &[Scope::All], |new| {
        new.networks = ["192.0.2.0/24", "2001:db8:1::/48"]
            .map(|text| text.parse().unwrap())
            .to_vec();
    });
    let key = key.await;
    for (address, status) in [
        ("192.0.2.1", 200),
        ("::ffff:192.0.2.1", 200),
        ("2001:db8:1:2::3", 200),
        ("192.0.3.1", 403),
        ("::ffff:192.0.3.1", 403),
        ("2001:db8:2::1", 403),
    ] {
        let answer = control.ask_from(key.text.reveal(), address).await;
        assert_eq!(answer.status, status, "{address}");
        if status == 403 {
            assert_refused(&answer, 403, "ip_not_allowed");
        }
    }
    // Without the secret nobody learns where a key may be used.
    let wrong = with_other_secret(key.text.reveal());
    let answer = control.ask_from(&wrong, "192.0.3.1").await;
    assert_refused(&answer, 401, "unauthenticated");
    let sql = control.sql().await;
    let refused = "select actor, customer_id, target, address, outcome, details ->> 'path' \
                   from audit_log where event = 'key.refuse' order by id limit 1";
    let row = sql.query_one(refused, &[]).await.unwrap();
    let row: Vec<String> = (0..6).map(|column| row.get(column)).collect();
    let id = &key.key.key.id;
    let expected = [
        id,
        &north.id,
        id,
        "192.0.3.1",
        "ip_not_allowed",
        "/v1/hosting/key",
    ];
    assert_eq!(row, expected);
}

#[tokio::test]
async fn a_key_in_the_url_is_refused_whether_or_not_it_is_valid() {
    let control = Control::start().await;
    let north = control.customer("North").await;
    let key = control.key(&north, &[Scope::All]).await;
    let key = key.text.reveal().as_str();
    for query in [
        format!("api_key={key}"),
        format!("access_token={key}"),
        format!("anything={key}"),
        format!("a=b&token=Bearer%20{key}"),
        "api_key=nonsense".to_owned(),
    ] {
        for headers in [&[][..], &[("x-api-key", key)]] {
            let target = format!("/v1/hosting/key?{query}");
            let answer = control.site.get_with(&target, headers).await;
            assert_refused(&answer, 400, "invalid_request");
            assert!(!answer.text().contains(key), "{}", answer.text());
        }
    }
}

#[tokio::test]
async fn a_client_may_fail_ten_times_a_minute() {
    let control = Control::start().await;
    let north = control.customer("North").await;
    let key = control.key(&north, &[Scope::All]).await;
    let (good, clock) = (key.text.reveal().as_str(), &control.site.clock);
    // Requests without a key are no attempts.
    for _ in 0..20 {
        let answer = control.ask_with(&[("x-forwarded-for", "192.0.2.1")]).await;
        assert_refused(&answer, 401, "unauthenticated");
    }
    for attempt in 0..10 {
        let wrong = if attempt % 2 == 0 {
            "nonsense"
        } else {
            NEVER_CREATED
        };
        let answer = control.ask_from(wrong, "192.0.2.1").await;
        assert_refused(&answer, 401, "unauthenticated");
    }
    let answer = control.ask_from(NEVER_CREATED, "192.0.2.1").await;
    assert_refused(&answer, 429, "rate_limited");
    let wait: i64 = answer.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=6).contains(&wait), "{wait}");
    // Neither others nor valid keys from the same address are shut out.
    let answer = control.ask_from(NEVER_CREATED, "192.0.2.2").await;
    assert_refused(&answer, 401, "unauthenticated");
    assert_eq!(control.ask_from(good, "192.0.2.1").await.status, 200);
    clock.advance(SignedDuration::from_secs(wait));
    let answer = control.ask_from(NEVER_CREATED, "192.0.2.1").await;
    assert_refused(&answer, 401, "unauthenticated");
}

#[tokio::test]
async fn without_peppers_or_a_database_keys_cannot_be_checked() {
    let control = Control::start().await;
    let north = control.customer("North").await;
    let key = control.key(&north, &[Scope::All]).await;
    let Control { site, database } = control;
    drop(site);
    let bare = Control::start_on(database, |config| config.keys.peppers.clear()).await;
    let answer = bare.ask(key.text.reveal()).await;
    assert_refused(&answer, 503, "unavailable");
    assert!(answer.header("retry-after").is_some());
    assert!(
        !answer.text().contains("PEPPERS"),
        "the cause is for the log"
    );
    assert_refused(&bare.ask_with(&[]).await, 503, "unavailable");
    let site = Site::demo().await;
    let answer = site.get("/v1/hosting/key").await;
    assert_refused(&answer, 503, "unavailable");
}

#[tokio::test]
async fn without_a_reachable_database_keys_cannot_be_checked() {
    let away = HeldPort::take().unwrap();
    let unreachable = Site::start(&[], |config| {
        let url = format!("postgres://{}/none", away.address());
        config.database.url = Some(innkeeper_service::secret::Secret::new(url));
        config.keys.peppers = vec![super::pepper(1)];
    });
    let site = unreachable.await;
    let header = [("x-api-key", NEVER_CREATED)];
    let answer = site.get_with("/v1/hosting/key", &header).await;
    assert_refused(&answer, 503, "unavailable");
}

#[tokio::test]
async fn an_outage_of_the_database_is_over_without_a_restart() {
    let control = Control::start().await;
    let north = control.customer("North").await;
    let key = control.key(&north, &[Scope::All]).await;
    let sql = control.sql().await;
    sql.batch_execute("alter table api_keys rename to away")
        .await
        .unwrap();
    let answer = control.ask(key.text.reveal()).await;
    assert_refused(&answer, 503, "unavailable");
    sql.batch_execute("alter table away rename to api_keys")
        .await
        .unwrap();
    eventually("the key works", async || {
        control.site.clock.advance(SignedDuration::from_secs(1));
        control.ask(key.text.reveal()).await.status == 200
    })
    .await;
}

#[tokio::test]
async fn the_keys_of_a_removed_customer_stop_working() {
    let control = Control::start().await;
    let (north, south) = (
        control.customer("North").await,
        control.customer("South").await,
    );
    let key = control.key(&north, &[Scope::All]).await;
    let other = control.key(&south, &[Scope::All]).await;
    assert_eq!(control.ask(key.text.reveal()).await.status, 200);
    let (config, clock): (_, &Clock) = (control.site.config(), &control.site.clock);
    innkeeper_hosting::remove_customer(&config, clock, &north.id)
        .await
        .unwrap();
    clock.advance(SignedDuration::from_secs(5));
    assert_refused(
        &control.ask(key.text.reveal()).await,
        401,
        "unauthenticated",
    );
    let answer = control.ask(other.text.reveal()).await.json();
    assert_eq!(
        answer["customer"],
        json!({ "id": south.id, "name": "South" })
    );
}
