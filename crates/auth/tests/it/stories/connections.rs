//! How many connections to the database there are, and how long they are kept.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::SignedDuration;
use serde_json::json;
use tokio::task::JoinSet;

use crate::support::mail_flows::without_pauses;
use crate::support::tokens::text;
use crate::support::{Sql, TestApp, eventually};

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

/// Uses the server as several people do at once: reads, transactions, mails, and the tasks of the background.
async fn use_it(app: &TestApp, number: usize) {
    let email = format!("user{number}@example.com");
    app.confirmed(&email).await;
    let session = app.sign_in(&email, "correct horse").await.ok();
    let token = text(&session, "access_token");
    app.get_as(&token, "/user").await.ok();
    let change = json!({ "data": { "number": number } });
    app.put_as(&token, "/user", change).await.ok();
    app.refresh(&text(&session, "refresh_token")).await.ok();
    app.get("/health?deep=1").await.ok();
    let mail = app.mail_of("/recover", &email).await;
    app.verify_link("recovery", &mail.token()).await.ok();
    app.auth.keep_up().await.unwrap();
    app.auth.clean_up().await.unwrap();
    app.auth.refresh_keys().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_server_has_no_more_connections_than_the_setting_says() {
    for limit in [2_u32, 3, 6] {
        let app = TestApp::with(|config| {
            without_pauses(config);
            config.database.max_pool_size = limit;
        })
        .await;
        let sql = app.sql().await;
        let app = Arc::new(app);
        let limit = usize::try_from(limit).unwrap();
        // That of the migrations ends.
        eventually("there is room", async || backends(&sql).await.len() < limit).await;
        let blocker = app.sql().await;
        let block = "begin; lock table users in access exclusive mode";
        blocker.batch_execute(block).await.unwrap();
        let mut people = JoinSet::new();
        for number in 0..20 {
            let app = Arc::clone(&app);
            people.spawn(async move { use_it(&app, number).await });
        }
        // Nobody's transaction ends, so each needs a connection of its own.
        let mut most = 0;
        eventually("all connections are used", async || {
            most = most.max(backends(&sql).await.len());
            most >= limit
        })
        .await;
        blocker.batch_execute("commit").await.unwrap();
        while !people.is_empty() {
            most = most.max(backends(&sql).await.len());
            while let Some(person) = people.try_join_next() {
                person.unwrap();
            }
        }
        assert_eq!(most, limit);
    }
}
