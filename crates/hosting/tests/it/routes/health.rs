//! `GET /health`.

use std::time::Duration;

use innkeeper_rest::filter::TrustedProxies;
use innkeeper_service::secret::Secret;
use innkeeper_service::testing::{HeldPort, TestDatabase};
use jiff::SignedDuration;
use serde_json::json;

use crate::support::{Site, article, eventually};

#[tokio::test]
async fn health_says_that_the_server_is_up_outside_v1() {
    let site = Site::with(&[]).await;
    site.clock.advance(SignedDuration::from_secs(90));
    let mut answer = site.get("/health").await.json();
    let uptime = answer["uptimeSeconds"].take().as_i64().unwrap();
    assert!((90..200).contains(&uptime), "{uptime}");
    let expected =
        json!({ "status": "ok", "version": innkeeper_hosting::VERSION, "uptimeSeconds": null });
    assert_eq!(answer, expected);
    assert_eq!(
        site.get("/health").await.header("cache-control"),
        Some("no-store")
    );
    assert_eq!(site.get("/v1/health").await.status, 404);
}

#[tokio::test]
async fn deep_health_tells_of_each_part_and_fails_with_the_database() {
    let database = TestDatabase::empty().await.unwrap();
    let site = Site::with_database(&[], &database).await;
    let answer = site.get("/health?deep=1").await;
    assert_eq!(
        (answer.status, &answer.json()["parts"]),
        (200, &json!({ "content": "ok", "database": "ok" }))
    );
    site.write("kb/bad.md", "---\ndate: never\n---\n");
    site.reload();
    let faulty = site.get("/health?deep=1").await;
    assert_eq!(
        (faulty.status, &faulty.json()["parts"]["content"]),
        (200, &json!("faulty"))
    );
    assert!(!faulty.text().contains("bad.md"));

    let closed = HeldPort::take().unwrap();
    let away = Site::start(&[], |config| {
        let url = format!("postgres://ada:hunter2@{}/inn", closed.address());
        config.database.url = Some(Secret::new(url));
    });
    let away = away.await;
    let failing = away.get("/health?deep=1").await;
    assert_eq!(failing.status, 503);
    assert!(failing.header("retry-after").is_some());
    let report = failing.json();
    assert_eq!(
        (&report["status"], &report["parts"]["database"]),
        (&json!("failing"), &json!("away"))
    );
    assert!(!failing.text().contains("127.0.0.1"), "{}", failing.text());
    // The shallow check only says that the server responds.
    assert_eq!(away.get("/health").await.status, 200);

    let without = Site::with(&[]).await.get("/health?deep=1").await;
    assert_eq!(
        (without.status, &without.json()["parts"]["database"]),
        (200, &json!("none"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn feedback_is_stored_as_soon_as_deep_health_is_ok() {
    let database = TestDatabase::empty().await.unwrap();
    let url = Secret::new(database.url().to_owned());
    let text = article("Backups", "2026-01-01", "Text");
    let site = Site::start(&[("kb/backups.md", &text)], |config| {
        config.database.url = Some(url);
    })
    .await;
    // The server responds while the schema is still missing.
    eventually("deep health is ok", async || {
        site.get("/health?deep=1").await.status == 200
    })
    .await;
    let feedback = r#"{"path":"/kb/backups","helpful":true}"#;
    let stored = site.post("/v1/kb/feedback", feedback).await;
    assert_eq!(stored.status, 202, "{}", stored.text());
}

#[tokio::test]
async fn deep_health_is_for_clients_inside_and_takes_0_or_1() {
    let site = Site::start(&[], |config| {
        config.http.trusted_proxies = TrustedProxies::new(["127.0.0.1"]).unwrap();
    })
    .await;
    for (client, expected) in [
        ("192.0.2.1", 403),
        ("2001:db8::1", 403),
        ("10.1.2.3", 200),
        ("::1", 200),
        ("fd00::1", 200),
        ("::ffff:192.168.0.1", 200),
    ] {
        let headers = [("x-forwarded-for", client)];
        let answer = site.get_with("/health?deep=1", &headers).await;
        assert_eq!(answer.status, expected, "{client}");
        assert_eq!(site.get_with("/health", &headers).await.status, 200);
    }
    let odd = site.get("/health?deep=yes").await;
    odd.refused(400, "deep: expected 0 or 1");
    assert_eq!(site.get("/health?deep=0").await.json().get("parts"), None);
}

#[tokio::test]
async fn a_server_that_will_stop_says_so_and_goes_on_answering_meanwhile() {
    let site = Site::start(&[], |config| {
        config.http.drain_delay = Duration::from_mins(10);
    })
    .await;
    assert_eq!(site.get("/health").await.status, 200);
    site.tell_to_stop();
    eventually("health says so", async || {
        site.get("/health").await.status == 503
    })
    .await;
    let answer = site.get("/health").await;
    assert_eq!(answer.json()["status"], "draining");
    assert!(answer.header("retry-after").is_some());
    assert_eq!(site.get("/v1/plans").await.status, 200);
}
