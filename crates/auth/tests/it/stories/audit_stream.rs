//! The audit log, written as lines of the server's log.

use serde_json::json;

use crate::support::TestApp;
use crate::support::log::Log;

const ADA: &str = "ada@example.com";
const PASSWORD: &str = "correct horse";

/// Returns the log lines of audit entries.
fn events(log: &Log) -> Vec<String> {
    let text = log.text();
    let lines = text
        .lines()
        .filter(|line| line.contains("auth_audit_event"));
    lines.map(str::to_owned).collect()
}

async fn use_account(app: &TestApp) {
    app.signed_up(ADA, PASSWORD).await;
    let session = app.sign_in(ADA, PASSWORD).await.ok();
    let session = app
        .refresh(session["refresh_token"].as_str().unwrap())
        .await
        .ok();
    let token = session["access_token"].as_str().unwrap();
    app.put_as(token, "/user", json!({ "data": { "name": "Ada" } }))
        .await
        .ok();
    app.post_as(token, "/logout", json!({})).await.ok();
}

#[tokio::test]
async fn each_entry_is_a_line_beside_its_row() {
    let app = TestApp::with(|config| config.audit_log_stream = true).await;
    let log = Log::capture();
    use_account(&app).await;
    let rows = app
        .sql()
        .await
        .query(
            "select id::text, payload ->> 'action' from audit_log_entries order by created_at",
            &[],
        )
        .await
        .unwrap();
    let events = events(&log);
    assert_eq!(events.len(), rows.len());
    assert!(rows.len() >= 5, "{}", rows.len());
    for row in rows {
        let (id, action): (String, String) = (row.get(0), row.get(1));
        let line = events.iter().find(|line| line.contains(&id)).unwrap();
        assert!(line.contains(&format!("action=\"{action}\"")), "{line}");
        assert!(line.contains("ip_address=\"127.0.0.1\""), "{line}");
        assert!(line.contains("request_id="), "{line}");
        assert!(line.contains(ADA), "{line}");
        assert!(!line.contains(PASSWORD), "{line}");
    }
}

/// Counts the lines about refreshed tokens.
fn refreshes(log: &Log) -> usize {
    let events = events(log);
    let refreshes = events
        .iter()
        .filter(|line| line.contains("action=\"token_refreshed\""));
    refreshes.count()
}

#[tokio::test]
async fn a_refresh_is_a_line_whichever_format_the_token_has() {
    let app = TestApp::with(|config| config.audit_log_stream = true).await;
    app.signed_up(ADA, PASSWORD).await;
    let session = app.sign_in(ADA, PASSWORD).await.ok();
    let log = Log::capture();
    app.refresh(session["refresh_token"].as_str().unwrap())
        .await
        .ok();
    assert_eq!(refreshes(&log), 1, "version 2");

    // The session as GoTrue would have stored it, with a token of version 1.
    let sql = app.sql().await;
    sql.batch_execute(
        "update sessions set refresh_token_hmac_key = null, refresh_token_counter = null;
         insert into refresh_tokens (token, user_id, session_id, revoked, created_at, updated_at)
         select 'aaaaaaaaaaaa', user_id::text, id, false, created_at, created_at
           from sessions order by created_at desc limit 1",
    )
    .await
    .unwrap();
    app.refresh("aaaaaaaaaaaa").await.ok();
    assert_eq!(refreshes(&log), 2, "version 1");
}

#[tokio::test]
async fn lines_can_be_all_there_is() {
    let app = TestApp::with(|config| {
        config.audit_log_stream = true;
        config.audit_log_disable_postgres = true;
    })
    .await;
    let log = Log::capture();
    use_account(&app).await;
    let count = "select count(*) from audit_log_entries";
    let count: i64 = app.sql().await.query_one(count, &[]).await.unwrap().get(0);
    assert_eq!(count, 0);
    assert!(events(&log).len() >= 5);
}

#[tokio::test]
async fn without_the_setting_there_are_none() {
    let app = TestApp::start().await;
    let log = Log::capture();
    use_account(&app).await;
    assert_eq!(events(&log), [] as [&str; 0]);
}
