//! Failed sign-ins and refused admin calls in the audit log.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::TestApp;
use crate::support::log::Log;
use crate::support::profile::gotrue;

const ADA: &str = "ada@example.com";
const NOBODY: &str = "nobody@example.com";
const WRONG: &str = "not the password";

/// Returns the payloads of the entries with this action, oldest first.
async fn payloads(app: &TestApp, action: &str) -> Vec<Value> {
    let statement = "select payload from audit_log_entries
        where payload ->> 'action' = $1 order by created_at";
    let rows = app.sql().await.query(statement, &[&action]).await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

#[tokio::test]
async fn a_failed_sign_in_is_an_entry_whether_or_not_the_account_exists() {
    let app = TestApp::start().await;
    let ada = app.confirmed(ADA).await;
    for email in [ADA, NOBODY] {
        app.sign_in(email, WRONG)
            .await
            .refused(400, "invalid_credentials");
        app.advance(1);
    }
    let entry = |id: &Value, name: &str| {
        json!({
            "actor_id": id,
            "actor_username": name,
            "actor_via_sso": false,
            "action": "sign_in_failed",
            "log_type": "account",
            "traits": { "provider": "email", "reason": "invalid_credentials" },
        })
    };
    let entries = payloads(&app, "sign_in_failed").await;
    assert_eq!(
        entries,
        [entry(&ada["id"], ADA), entry(&json!(Uuid::nil()), NOBODY)]
    );
    let from = "select count(*) from audit_log_entries where ip_address = '127.0.0.1'
        and payload ->> 'action' = 'sign_in_failed'";
    let from: i64 = app.sql().await.query_one(from, &[]).await.unwrap().get(0);
    assert_eq!(from, 2);
}

#[tokio::test]
async fn who_may_not_sign_in_is_an_entry_with_the_reason() {
    let app = TestApp::start().await;
    let user = json!({ "email": ADA, "password": "correct horse" });
    app.operator().create(user).await;
    app.sign_in(ADA, "correct horse")
        .await
        .refused(400, "email_not_confirmed");
    let entries = payloads(&app, "sign_in_failed").await;
    assert_eq!(entries[0]["traits"]["reason"], "email_not_confirmed");
    assert_eq!(entries.len(), 1);
}

#[tokio::test]
async fn wrong_codes_and_links_are_entries_without_the_guess() {
    let app = TestApp::start().await;
    app.confirmed(ADA).await;
    app.mail_of("/recover", ADA).await;
    for email in [ADA, NOBODY] {
        app.verify_code("recovery", email, "135790")
            .await
            .refused(403, "otp_expired");
        app.advance(1);
    }
    let secret = "a-guessed-secret-of-a-link";
    app.verify_link("recovery", secret)
        .await
        .refused(403, "otp_expired");
    let entries = payloads(&app, "sign_in_failed").await;
    let names: Vec<&Value> = entries.iter().map(|it| &it["actor_username"]).collect();
    assert_eq!(names, [ADA, NOBODY, ""]);
    for entry in &entries {
        assert_eq!(entry["traits"]["reason"], "otp_expired");
        assert!(!entry.to_string().contains("135790"), "{entry}");
        assert!(!entry.to_string().contains(secret), "{entry}");
    }
}

#[tokio::test]
async fn a_refused_admin_call_is_an_entry_that_names_its_caller() {
    let app = TestApp::autoconfirm().await;
    let session = app.signed_up(ADA, "correct horse").await;
    let token = session["access_token"].as_str().unwrap();
    app.get_as(token, "/admin/users?page=1")
        .await
        .refused(403, "not_admin");
    app.advance(1);
    let invented = "eyJhbGciOiJub25lIn0.e30.";
    app.post_as(invented, "/invite", json!({ "email": NOBODY }))
        .await
        .refused(403, "bad_jwt");
    app.advance(1);
    app.get_as(token, "/admin/sso/providers")
        .await
        .refused(403, "not_admin");
    let entry = |id: &Value, name: &str, traits: Value| {
        json!({
            "actor_id": id,
            "actor_username": name,
            "actor_via_sso": false,
            "action": "admin_call_refused",
            "log_type": "token",
            "traits": traits,
        })
    };
    let by_ada = json!({ "method": "GET", "path": "/admin/users", "reason": "not_admin" });
    let by_nobody = json!({ "method": "POST", "path": "/invite", "reason": "bad_jwt" });
    let path = "/admin/sso/providers";
    let of_no_feature = json!({ "method": "GET", "path": path, "reason": "not_admin" });
    let expected = [
        entry(&session["user"]["id"], ADA, by_ada),
        entry(&json!(Uuid::nil()), "", by_nobody),
        entry(&session["user"]["id"], ADA, of_no_feature),
    ];
    assert_eq!(payloads(&app, "admin_call_refused").await, expected);
    let text = app.operator().get("/admin/audit").await.text;
    assert!(!text.contains(token) && !text.contains(invented), "{text}");
}

#[tokio::test]
async fn a_flood_of_refused_calls_does_not_flood_the_log() {
    let app = TestApp::autoconfirm().await;
    let session = app.signed_up(ADA, "correct horse").await;
    let token = session["access_token"].as_str().unwrap();
    for _ in 0..120 {
        app.get_as(token, "/admin/users").await.failed(403);
    }
    assert_eq!(payloads(&app, "admin_call_refused").await.len(), 100);
    // A failed sign-in is noticed all the same.
    app.sign_in(ADA, WRONG).await.failed(400);
    assert_eq!(payloads(&app, "sign_in_failed").await.len(), 1);
    app.advance(1);
    app.get_as(token, "/admin/users").await.failed(403);
    let entries = payloads(&app, "admin_call_refused").await;
    assert_eq!(entries.len(), 101);
    assert_eq!(entries[100]["traits"]["omitted"], 20);
}

#[tokio::test]
async fn refusals_are_lines_of_the_log_too() {
    let app = TestApp::with(|config| {
        config.audit_log_stream = true;
        config.audit_log_disable_postgres = true;
    })
    .await;
    let log = Log::capture();
    app.sign_in(NOBODY, WRONG).await.failed(400);
    app.get_as("x.y.z", "/admin/users").await.failed(403);
    let text = log.text();
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("auth_audit_event"))
        .collect();
    for action in ["sign_in_failed", "admin_call_refused"] {
        let action = format!("action=\"{action}\"");
        let found = lines.iter().filter(|line| line.contains(&action));
        assert_eq!(found.count(), 1, "{action}: {lines:?}");
    }
    assert!(lines.iter().all(|line| !line.contains(WRONG)), "{lines:?}");
    let count = "select count(*) from audit_log_entries";
    let count: i64 = app.sql().await.query_one(count, &[]).await.unwrap().get(0);
    assert_eq!(count, 0);
}

#[tokio::test]
async fn a_refusal_that_cannot_be_written_is_answered_all_the_same() {
    let app = TestApp::start().await;
    app.confirmed(ADA).await;
    let rename = "alter table audit_log_entries rename to somewhere_else";
    app.sql().await.batch_execute(rename).await.unwrap();
    app.sign_in(ADA, WRONG)
        .await
        .refused(400, "invalid_credentials");
    app.get_as("x.y.z", "/admin/users")
        .await
        .refused(403, "bad_jwt");
}

#[tokio::test]
async fn the_gotrue_profile_has_no_such_entries() {
    let app = TestApp::with(gotrue).await;
    app.sign_in(NOBODY, WRONG)
        .await
        .refused(400, "invalid_credentials");
    app.get_as("x.y.z", "/admin/users").await.failed(403);
    let count = "select count(*) from audit_log_entries";
    let count: i64 = app.sql().await.query_one(count, &[]).await.unwrap().get(0);
    assert_eq!(count, 0);
}
