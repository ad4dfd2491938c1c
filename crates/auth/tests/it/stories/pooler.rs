//! Behind a PgBouncer in transaction mode, whose sessions a client of another schema uses too. The other
//! stories run behind one with `TEST_POOLER=1`, as the last test here does.

use std::process::Command;

use innkeeper_service::secret::Secret;
use innkeeper_service::testing::{TestDatabase, TestPooler};
use serde_json::{Value, json};

use crate::support::TestApp;

/// Signs up, confirms, signs in, refreshes, changes the account, and signs out.
async fn life_of_an_account(app: &TestApp, number: usize) {
    let email = format!("guest{number}@example.com");
    let password = "a long enough password";
    app.signed_up(&email, password).await;
    let session = app.sign_in(&email, password).await.ok();
    let refreshed = app.refresh(text(&session, "refresh_token")).await.ok();
    let token = text(&refreshed, "access_token");
    let data = json!({ "data": { "number": number } });
    let user = app.put_as(token, "/user", data).await.ok();
    assert_eq!(user["user_metadata"]["number"], json!(number));
    assert_eq!(app.get_as(token, "/user").await.ok()["email"], email);
    app.post("/recover", json!({ "email": email })).await.ok();
    let code = app.mailbox.next_to(&email).await.code();
    let body = json!({ "type": "recovery", "email": email, "token": code });
    app.post("/verify", body).await.ok();
    let signed_out = app.post_as(token, "/logout", json!({})).await;
    assert_eq!(signed_out.status, 204);
    assert_eq!(app.get_as(token, "/user").await.status, 403);
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn accounts_work_without_a_setting_and_in_the_right_schema() {
    let database = TestDatabase::empty().await.unwrap();
    let pooler = TestPooler::start(database.url()).await.unwrap();
    let tables = ["users", "sessions", "refresh_tokens", "schema_migrations"];
    let pooler = pooler.with_neighbour(&tables).await.unwrap();
    // The first start migrates the schema, behind the pooler too.
    let url = Secret::new(pooler.url().to_owned());
    let app = TestApp::on(database, |config| config.database.url = url).await;
    let lives = (0..24).map(|number| life_of_an_account(&app, number));
    futures_util::future::join_all(lives).await;

    let sql = app.sql().await;
    let count = "select (select count(*) from users), (select count(*) from neighbour.users)";
    let row = sql.query_one(count, &[]).await.unwrap();
    assert_eq!((row.get::<_, i64>(0), row.get::<_, i64>(1)), (24, 0));
    app.auth.clean_up().await.unwrap();
}

/// Stories with statements of every kind: transactions, locks, batches, operators' commands, migrations.
const STORIES: [&str; 9] = [
    "stories::cleanup",
    "stories::concurrency",
    "stories::confirm_then_sign_in",
    "stories::invite",
    "stories::keys",
    "stories::operator",
    "stories::outbox::",
    "stories::pkce",
    "stories::refresh_",
];

/// Stories that observe the database server itself or take it away, after which a pooler refuses the first request even
/// if it is back, or that run long programs of others, and this one.
const DIRECT: [&str; 5] = [
    "stories::connections",
    "stories::database_away",
    "stories::logs::errors_of_the_database",
    "stories::client_",
    "stories::pooler",
];

#[test]
fn stories_of_every_kind_work_behind_it() {
    run_behind_it(&STORIES);
}

#[test]
#[ignore = "takes minutes: make test-long"]
fn all_stories_work_behind_it() {
    run_behind_it(&["stories::"]);
}

/// Runs the stories with these names, except for [`DIRECT`] ones, behind a pooler.
fn run_behind_it(names: &[&str]) {
    let mut stories = Command::new(std::env::current_exe().unwrap());
    stories.args(names).env("TEST_POOLER", "1");
    for name in DIRECT {
        stories.args(["--skip", name]);
    }
    let output = stories.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("test result: ok"), "{text}");
}
