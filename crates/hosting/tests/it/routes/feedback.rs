//! `POST /v1/kb/feedback`.

use innkeeper_rest::filter::{Quota, TrustedProxies};
use innkeeper_service::secret::Secret;
use innkeeper_service::testing::TestDatabase;
use jiff::SignedDuration;
use serde_json::json;
use tokio_postgres::NoTls;

use crate::support::{Answer, Site, article};

const TARGET: &str = "/v1/kb/feedback";

/// Starts a server with two articles, which takes the client's address from `x-forwarded-for`.
async fn site(database: &TestDatabase, feedback: Quota) -> Site {
    let text = article("Backups", "2026-01-01", "Text");
    let moved = "---\ntitle: Moved\naliases: [/kb/old]\n---\nText";
    let files = [("kb/backups.md", text.as_str()), ("kb/moved.md", moved)];
    let url = Secret::new(database.url().to_owned());
    let site = Site::start(&files, |config| {
        config.database.url = Some(url);
        config.limits.feedback = feedback;
        config.http.trusted_proxies = TrustedProxies::new(["127.0.0.1"]).unwrap();
    });
    let site = site.await;
    site.hosting.tick().await;
    site
}

async fn send(site: &Site, client: &str, body: &str) -> Answer {
    let headers = [
        ("content-type", "application/json"),
        ("x-forwarded-for", client),
    ];
    site.send_body("POST", TARGET, &headers, body).await
}

const PLENTY: Quota = Quota::per_minute(1_000_000);

#[tokio::test(flavor = "multi_thread")]
async fn a_client_says_one_thing_about_an_article_in_a_day() {
    let database = TestDatabase::empty().await.unwrap();
    let site = site(&database, PLENTY).await;
    let first = send(
        &site,
        "192.0.2.1",
        r#"{"path":"/kb/backups","helpful":true}"#,
    )
    .await;
    assert_eq!(first.status, 202);
    assert_eq!(first.header("cache-control"), Some("no-store"));
    let receipt = first.json();
    assert_eq!(receipt["id"].as_str().unwrap().len(), 36);
    assert!(receipt["receivedAt"].as_str().unwrap().ends_with('Z'));

    let changed =
        r#"{"path":"/kb/backups","helpful":false,"reason":"unclear","comment":"Which disk?"}"#;
    let second = send(&site, "192.0.2.1", changed).await;
    assert_eq!(
        (second.status, second.json()),
        (200, receipt),
        "the first one is changed"
    );
    assert_eq!(
        send(&site, "192.0.2.2", changed).await.status,
        202,
        "another client"
    );
    let moved = r#"{"path":"/kb/old","helpful":true,"email":"ada@example.com"}"#;
    assert_eq!(
        send(&site, "192.0.2.1", moved).await.status,
        202,
        "another article"
    );

    let counts = innkeeper_hosting::feedback_counts(&site.config())
        .await
        .unwrap();
    let counts: Vec<_> = counts
        .iter()
        .map(|count| {
            (
                count.path.as_str(),
                count.helpful,
                count.not_helpful,
                count.comments,
            )
        })
        .collect();
    assert_eq!(counts, [("/kb/backups", 0, 2, 2), ("/kb/moved", 1, 0, 0)]);

    // A day after the first feedback, the next one is new; calendar days do not matter. The test's clock
    // starts in the evening, so twelve hours later is the next day.
    site.clock.advance(SignedDuration::from_hours(12));
    assert_eq!(send(&site, "192.0.2.1", changed).await.status, 200);
    site.clock.advance(SignedDuration::from_hours(13));
    assert_eq!(send(&site, "192.0.2.1", changed).await.status, 202);
    assert_eq!(send(&site, "192.0.2.1", changed).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn addresses_are_not_stored_and_salts_do_not_outlive_their_day() {
    let database = TestDatabase::empty().await.unwrap();
    let site = site(&database, PLENTY).await;
    send(
        &site,
        "192.0.2.77",
        r#"{"path":"/kb/backups","helpful":true}"#,
    )
    .await;
    let (client, connection) = tokio_postgres::connect(database.url(), NoTls)
        .await
        .unwrap();
    tokio::spawn(connection);
    let row = "select f::text, encode(client, 'escape'), length(client) from hosting.feedback f";
    let row = client.query_one(row, &[]).await.unwrap();
    for column in 0..2 {
        let text: String = row.get(column);
        assert!(!text.contains("192.0.2.77"), "{text}");
    }
    assert_eq!(row.get::<_, i32>(2), 32);
    let salts = async || {
        let count = "select count(*) from hosting.feedback_salts";
        client.query_one(count, &[]).await.unwrap().get::<_, i64>(0)
    };
    assert_eq!(salts().await, 1);
    let config = innkeeper_hosting::config::Config {
        database: innkeeper_hosting::config::DatabaseConfig {
            probes: true,
            ..site.config().database
        },
        ..site.config()
    };
    site.clock.advance(SignedDuration::from_hours(50));
    let keeper = innkeeper_hosting::Hosting::start(config, site.clock.clone()).unwrap();
    keeper.tick().await;
    assert_eq!(salts().await, 0);
}

/// Malformed feedback, with the status and, where it matters, the message of the response.
const WRONG: &[(&str, u16, &str)] = &[
    (
        "{",
        400,
        "malformed JSON: EOF while parsing an object at line 1 column 1",
    ),
    (
        r#"{"path":"../x","helpful":true}"#,
        400,
        "path: must start with `/`",
    ),
    (
        r#"{"path":"/kb/none","helpful":true}"#,
        404,
        "article not found",
    ),
    (
        r#"{"path":"/kb/backups"}"#,
        422,
        "the body does not have the expected shape: missing field `helpful`",
    ),
    (
        r#"{"path":"/kb/backups","helpful":"yes"}"#,
        422,
        "the body does not have the expected shape: helpful: invalid type: string \"yes\", expected a boolean",
    ),
    (
        r#"{"path":"/kb/backups","helpful":true,"stars":5}"#,
        422,
        "",
    ),
    (
        r#"{"path":"/kb/backups","helpful":true,"reason":"bored","email":"x"}"#,
        422,
        "reason: expected one of incomplete, incorrect, not_what_i_needed, other, outdated, unclear; \
             email: expected an email address such as ada@example.com",
    ),
    (
        r#"{"path":"/kb/backups","helpful":true,"comment":"\u0000"}"#,
        422,
        "comment: contains control characters",
    ),
    ("[]", 422, ""),
    ("", 400, "the body is empty; expected JSON"),
];

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_is_said_and_nothing_is_stored() {
    let database = TestDatabase::empty().await.unwrap();
    let site = site(&database, PLENTY).await;
    let long = format!(
        r#"{{"path":"/kb/backups","helpful":true,"comment":"{}"}}"#,
        "x".repeat(2001)
    );
    let huge = format!(
        r#"{{"path":"/kb/backups","helpful":true,"comment":"{}"}}"#,
        "x".repeat(9000)
    );
    let long = [
        (&*long, 422, "comment: longer than 2000 characters"),
        (&*huge, 413, "the body is larger than 8192 bytes"),
    ];
    for (body, status, line) in WRONG.iter().copied().chain(long) {
        let answer = send(&site, "192.0.2.1", body).await;
        assert_eq!(answer.status, status, "{body}: {}", answer.text());
        if !line.is_empty() {
            answer.refused(status, line);
        }
    }
    let headers = [("content-type", "text/plain")];
    let answer = site.send_body(
        "POST",
        TARGET,
        &headers,
        r#"{"path":"/kb/backups","helpful":true}"#,
    );
    assert_eq!(answer.await.status, 415);
    // Pages of other sites may send this without asking first.
    let body = r#"{"path":"/kb/backups","helpful":true}"#;
    let answer = site.send_body("POST", TARGET, &[], body).await;
    answer.refused(
        415,
        "the request has no Content-Type; application/json is expected",
    );
    let headers = [
        ("content-type", "application/json"),
        ("accept", "application/json"),
    ];
    let body = r#"{"path":"/kb/backups","helpful":true,"reason":"bored"}"#;
    let problem = site.send_body("POST", TARGET, &headers, body).await.json();
    assert_eq!(problem["errors"][0]["pointer"], json!("/reason"));
    let entries = innkeeper_hosting::feedback_entries(&site.config())
        .await
        .unwrap();
    assert!(entries.is_empty(), "{entries:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_client_cannot_flood_it() {
    let database = TestDatabase::empty().await.unwrap();
    let site = site(&database, Quota::per_minute(5)).await;
    let body = r#"{"path":"/kb/backups","helpful":true}"#;
    for _ in 0..5 {
        assert!(send(&site, "192.0.2.1", body).await.status < 300);
    }
    let refused = send(&site, "192.0.2.1", body).await;
    assert_eq!(refused.status, 429);
    assert!(refused.header("retry-after").is_some());
    assert_eq!(
        send(&site, "192.0.2.2", body).await.status,
        202,
        "others are not meant"
    );
    // A preflight request does not count as feedback.
    let headers = [
        ("origin", "https://inn.example"),
        ("access-control-request-method", "POST"),
        ("x-forwarded-for", "192.0.2.1"),
    ];
    assert_ne!(site.send("OPTIONS", TARGET, &headers).await.status, 429);
}

#[tokio::test(flavor = "multi_thread")]
async fn over_a_day_there_is_a_limit_too() {
    let database = TestDatabase::empty().await.unwrap();
    let text = article("Backups", "2026-01-01", "Text");
    let url = Secret::new(database.url().to_owned());
    let files = [("kb/backups.md", text.as_str())];
    let site = Site::start(&files, |config| {
        config.database.url = Some(url);
        config.limits.feedback = PLENTY;
        config.limits.feedback_day = Quota::per_day(3);
    });
    let site = site.await;
    site.hosting.tick().await;
    let body = r#"{"path":"/kb/backups","helpful":true}"#;
    let mut statuses = Vec::new();
    for _ in 0..4 {
        statuses.push(site.post(TARGET, body).await.status);
    }
    assert_eq!(statuses, [202, 200, 200, 429]);
}

#[tokio::test]
async fn without_a_database_it_is_503() {
    let text = article("Backups", "2026-01-01", "Text");
    let site = Site::with(&[("kb/backups.md", &text)]).await;
    let answer = site
        .post(TARGET, r#"{"path":"/kb/backups","helpful":true}"#)
        .await;
    answer.refused(
        503,
        "feedback cannot be stored at the moment; try again later",
    );
    assert_eq!(answer.header("retry-after"), Some("10"));
}
