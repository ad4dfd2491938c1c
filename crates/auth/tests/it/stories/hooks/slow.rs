//! Slow hooks do not delay other requests.

use std::sync::Arc;

use futures_util::future::join_all;
use innkeeper_auth::config::HookKind;
use serde_json::{Value, json};

use crate::support::hook::{Receiver, Reply};
use crate::support::operator::count;
use crate::support::profile::gotrue;
use crate::support::tokens::text;
use crate::support::{TestApp, eventually};

/// How many requests wait for a hook.
const WAITING: usize = 30;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn thirty_sign_ins_that_wait_for_a_hook_leave_connections_for_others() {
    let receiver = Receiver::start(|call| {
        let claims = json!({ "claims": call["claims"] });
        if call["claims"]["email"] == "ada@example.com" {
            return Reply::Json(claims);
        }
        Reply::Held(claims)
    })
    .await;
    let app = TestApp::with(|config| {
        receiver.configure(config, HookKind::CustomAccessToken);
        // Two are shared, four are for transactions.
        config.database.max_pool_size = 6;
    })
    .await;
    let app = Arc::new(app);
    app.confirmed("ada@example.com").await;
    let session = app.sign_in("ada@example.com", "correct horse").await.ok();
    let token = text(&session, "access_token");

    let mut links = Vec::new();
    for number in 0..WAITING {
        let email = format!("user{number}@example.com");
        let body = json!({ "type": "magiclink", "email": email });
        let link = app.operator().post("/admin/generate_link", body).await;
        links.push(link.text_at("/hashed_token"));
    }
    let waiting: Vec<_> = links
        .into_iter()
        .map(|secret| {
            let app = Arc::clone(&app);
            tokio::spawn(async move { app.verify_link("signup", &secret).await.ok() })
        })
        .collect();
    // One call for Ada, and one for each of the two connections that hooks may hold: half of those for
    // transactions.
    receiver.wait_for(3).await;

    // A read, a transaction, a sign-in and a refresh of another user, while all of these requests wait.
    app.get_as(&token, "/user").await.ok();
    let change = json!({ "data": { "name": "Ada" } });
    let user = app.put_as(&token, "/user", change).await.ok();
    assert_eq!(user["user_metadata"]["name"], "Ada");
    app.sign_in("ada@example.com", "correct horse").await.ok();
    app.refresh(&text(&session, "refresh_token")).await.ok();
    let statement = "select count(*) from pg_stat_activity \
                     where datname = current_database() and state = 'idle in transaction'";
    // Work in the background may be in a transaction for a moment; the two stay in theirs until they are released.
    let sql = app.sql().await;
    eventually("nobody else is in a transaction", async || {
        count(&sql, statement).await == 2
    })
    .await;
    assert!(waiting.iter().all(|task| !task.is_finished()));

    receiver.release();
    for answer in join_all(waiting).await {
        let session: Value = answer.unwrap();
        assert!(session["access_token"].is_string());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn thirty_sign_ups_that_wait_for_a_hook_hold_no_connection() {
    let receiver = Receiver::start(|_| Reply::Held(json!({}))).await;
    let app = TestApp::with(|config| {
        receiver.configure(config, HookKind::BeforeUserCreated);
        // One of them is shared.
        config.database.max_pool_size = 2;
    })
    .await;
    let app = Arc::new(app);
    app.confirmed("ada@example.com").await;
    let waiting: Vec<_> = (0..WAITING)
        .map(|number| {
            let app = Arc::clone(&app);
            tokio::spawn(async move {
                let body = json!({ "email": format!("user{number}@example.com") });
                app.operator().post("/invite", body).await.ok()
            })
        })
        .collect();
    receiver.wait_for(WAITING).await;
    let session = app.sign_in("ada@example.com", "correct horse").await.ok();
    let token = text(&session, "access_token");
    let change = json!({ "data": { "name": "Ada" } });
    app.put_as(&token, "/user", change).await.ok();
    receiver.release();
    for answer in join_all(waiting).await {
        assert!(answer.unwrap()["id"].is_string());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn mails_that_wait_for_a_hook_hold_no_connection() {
    let receiver = Receiver::start(|_| Reply::Held(json!({}))).await;
    let app = TestApp::with(|config| {
        gotrue(config);
        receiver.configure(config, HookKind::SendEmail);
        // One of them is shared.
        config.database.max_pool_size = 2;
    })
    .await;
    let app = Arc::new(app);
    app.confirmed("ada@example.com").await;
    app.confirmed("ben@example.com").await;
    let asked = ["/recover", "/otp", "/magiclink"].map(|target| {
        let app = Arc::clone(&app);
        let address = match target {
            "/recover" => "ben@example.com".to_owned(),
            _ => format!("{}@example.com", target.trim_start_matches('/')),
        };
        tokio::spawn(async move { app.post(target, json!({ "email": address })).await.ok() })
    });
    receiver.wait_for(asked.len()).await;
    let session = app.sign_in("ada@example.com", "correct horse").await.ok();
    let token = text(&session, "access_token");
    let change = json!({ "data": { "name": "Ada" } });
    app.put_as(&token, "/user", change).await.ok();
    receiver.release();
    for answer in join_all(asked).await {
        assert_eq!(answer.unwrap(), json!({}));
    }
}
