//! `GET /health`.

use innkeeper_service::smtp_sink::SmtpStep;
use serde_json::json;

use crate::support::TestApp;
use crate::support::outbox::always;

#[tokio::test]
async fn health_says_what_clients_look_for() {
    let app = TestApp::start().await;
    let health = app.get("/health").await.ok();
    assert_eq!(health["name"], json!("GoTrue"));
    assert_eq!(health["server"], json!("innkeeper"));
    assert_eq!(health["version"], json!(env!("CARGO_PKG_VERSION")));
    assert!(health["description"].is_string());
}

#[tokio::test]
async fn a_plain_look_says_nothing_of_the_parts_and_asks_none() {
    let app = TestApp::start().await;
    app.lose_database().await;
    for target in ["/health", "/health?deep=0", "/health?deep="] {
        let health = app.get(target).await.ok();
        assert!(health.get("checks").is_none(), "{health}");
    }
    app.find_database().await;
}

#[tokio::test]
async fn a_deep_look_asks_the_database_and_sees_keys_and_mails() {
    let app = TestApp::start().await;
    for target in ["/health?deep=1", "/health?deep=true"] {
        let health = app.get(target).await.ok();
        assert_eq!(health["status"], "up");
        assert_eq!(
            health["checks"],
            json!({
                "database": { "status": "up" },
                "keys": { "status": "up" },
                "mail": { "status": "up", "waiting": 0 },
            })
        );
    }
    let (_, without_mail) = app.replica_with(|config| config.smtp.host.clear()).await;
    let health: serde_json::Value = without_mail
        .get("/health?deep=1")
        .send()
        .await
        .json()
        .unwrap();
    assert_eq!(health["checks"]["mail"], json!({ "status": "off" }));
}

#[tokio::test]
async fn a_deep_look_is_503_while_the_database_is_away_and_tells_no_more() {
    let app = TestApp::start().await;
    app.lose_database().await;
    let answer = app.get("/health?deep=1").await;
    assert_eq!(answer.status, 503);
    assert_eq!(answer.body["name"], json!("GoTrue"));
    assert_eq!(answer.body["status"], "down");
    assert_eq!(
        answer.body["checks"]["database"],
        json!({ "status": "down" })
    );
    assert_eq!(answer.body["checks"]["keys"], json!({ "status": "up" }));
    app.find_database().await;
    app.get("/health?deep=1").await.ok();
}

#[tokio::test]
async fn a_deep_look_tells_how_many_mails_wait() {
    let app = TestApp::start().await;
    app.mailbox
        .sink()
        .set_behaviour(always(SmtpStep::Rcpt, "450 greylisted"));
    for email in ["ada@example.com", "bob@example.com"] {
        app.invite(email).await;
    }
    let health = app.get("/health?deep=1").await.ok();
    assert_eq!(health["checks"]["mail"]["waiting"], 2);
}
