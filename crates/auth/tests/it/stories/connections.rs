//! How long connections to the database are kept.

use std::collections::BTreeSet;
use std::time::Duration;

use jiff::SignedDuration;
use serde_json::json;

use crate::support::{Sql, TestApp};

/// Returns the process ids of the server's database connections.
async fn backends(sql: &Sql) -> BTreeSet<i32> {
    let ours = "select pid from pg_stat_activity
         where datname = current_database() and application_name = 'innkeeper-auth'";
    let rows = sql.query(ours, &[]).await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

/// Uses both shared and exclusive connections.
async fn work(app: &TestApp) {
    app.get("/health").await.ok();
    for _ in 0..2 {
        app.post("/recover", json!({ "email": "nobody@example.com" }))
            .await;
    }
    app.post_as(
        &app.service_key(),
        "/invite",
        json!({ "email": "ada@example.com" }),
    )
    .await
    .ok();
}

async fn eventually(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let look = async {
        let mut pulse = tokio::time::interval(Duration::from_millis(20));
        while !holds().await {
            pulse.tick().await;
        }
    };
    let outcome = tokio::time::timeout(Duration::from_mins(1), look).await;
    assert!(outcome.is_ok(), "it never came true that {what}");
}

#[tokio::test]
async fn connections_are_replaced_when_they_are_as_old_as_the_setting_says() {
    let app = TestApp::with(|config| {
        config.database.conn_max_lifetime = Some(SignedDuration::from_millis(200));
    })
    .await;
    let sql = app.sql().await;
    work(&app).await;
    let first = backends(&sql).await;
    assert!(!first.is_empty());
    eventually("all connections are others", async || {
        work(&app).await;
        let now = backends(&sql).await;
        !now.is_empty() && now.is_disjoint(&first)
    })
    .await;
}

#[tokio::test]
async fn connections_that_nobody_uses_are_closed_after_the_time_that_the_setting_says() {
    let app = TestApp::with(|config| {
        config.database.conn_max_idle_time = Some(SignedDuration::from_millis(50));
    })
    .await;
    let lasting = TestApp::start().await;
    work(&lasting).await;
    assert!(backends(&lasting.sql().await).await.len() > 2);
    let sql = app.sql().await;
    work(&app).await;
    // The two shared connections stay open.
    eventually("those of single requests are closed", async || {
        backends(&sql).await.len() <= 2
    })
    .await;
    work(&app).await;
}
