//! `POST /logout`.

use innkeeper_auth::jwt::{KeySet, KeySetOptions};
use serde_json::{Value, json};

use crate::support::operator::count;
use crate::support::tokens::text;
use crate::support::{Answer, TestApp};

const ADA: &str = "ada@example.com";
const PASSWORD: &str = "correct horse";

async fn logout(app: &TestApp, session: &Value, scope: &str) -> Answer {
    let target = format!("/logout{scope}");
    app.post_as(&text(session, "access_token"), &target, json!({}))
        .await
}

/// Creates three sessions of one user.
async fn three(app: &TestApp) -> [Value; 3] {
    let first = app.signed_up(ADA, PASSWORD).await;
    let second = app.sign_in(ADA, PASSWORD).await.ok();
    let third = app.sign_in(ADA, PASSWORD).await.ok();
    [first, second, third]
}

/// Returns whether the access and the refresh token of a session still work.
async fn lives(app: &TestApp, session: &Value) -> bool {
    let user = app.get_as(&text(session, "access_token"), "/user").await;
    if user.status == 200 {
        app.refresh(&text(session, "refresh_token")).await.ok();
        return true;
    }
    user.refused(403, "session_not_found");
    app.refresh(&text(session, "refresh_token"))
        .await
        .refused(400, "refresh_token_not_found");
    false
}

#[tokio::test]
async fn without_a_scope_all_sessions_of_the_user_end() {
    for scope in ["", "?scope=", "?scope=global"] {
        let app = TestApp::autoconfirm().await;
        let sessions = three(&app).await;
        let bob = app.signed_up("bob@example.com", PASSWORD).await;
        let answer = logout(&app, &sessions[1], scope).await;
        assert_eq!(answer.status, 204, "{}", answer.text);
        assert_eq!(answer.text, "");
        assert_eq!(answer.header("content-type"), None);
        for session in &sessions {
            assert!(!lives(&app, session).await, "{scope}");
        }
        assert!(lives(&app, &bob).await);
        let sql = app.sql().await;
        let logouts =
            "select count(*) from audit_log_entries where payload ->> 'action' = 'logout'";
        assert_eq!(count(&sql, logouts).await, 1);
    }
}

#[tokio::test]
async fn local_ends_this_session_only() {
    let app = TestApp::autoconfirm().await;
    let [first, second, third] = three(&app).await;
    logout(&app, &second, "?scope=local").await.failed(204);
    assert!(lives(&app, &first).await);
    assert!(!lives(&app, &second).await);
    assert!(lives(&app, &third).await);
}

#[tokio::test]
async fn others_ends_all_sessions_but_this() {
    let app = TestApp::autoconfirm().await;
    let [first, second, third] = three(&app).await;
    logout(&app, &second, "?scope=others").await.failed(204);
    assert!(!lives(&app, &first).await);
    assert!(lives(&app, &second).await);
    assert!(!lives(&app, &third).await);
}

#[tokio::test]
async fn a_token_without_a_session_ends_them_all_whatever_the_scope() {
    for scope in ["?scope=local", "?scope=others", ""] {
        let app = TestApp::autoconfirm().await;
        let sessions = three(&app).await;
        let token = app.token_of_secret(&app.claims_for(&sessions[0]["user"]));
        app.post_as(&token, &format!("/logout{scope}"), json!({}))
            .await
            .failed(204);
        for session in &sessions {
            assert!(!lives(&app, session).await);
        }
    }
}

#[tokio::test]
async fn an_unknown_scope_is_told_and_ends_nothing() {
    let app = TestApp::autoconfirm().await;
    let session = app.signed_up(ADA, PASSWORD).await;
    for scope in ["?scope=all", "?scope=GLOBAL", "?scope=local%20"] {
        logout(&app, &session, scope)
            .await
            .refused(400, "validation_failed");
    }
    assert!(lives(&app, &session).await);
}

#[tokio::test]
async fn logging_out_twice_or_without_an_account_is_an_error_that_clients_pass_over() {
    let app = TestApp::autoconfirm().await;
    let session = app.signed_up(ADA, PASSWORD).await;
    logout(&app, &session, "").await.failed(204);
    logout(&app, &session, "")
        .await
        .refused(403, "session_not_found");
    let session = app.sign_in(ADA, PASSWORD).await.ok();
    let id = text(&session["user"], "id");
    app.operator()
        .delete(&format!("/admin/users/{id}"), None)
        .await
        .ok();
    logout(&app, &session, "")
        .await
        .refused(403, "user_not_found");
    app.post("/logout", json!({}))
        .await
        .refused(401, "no_authorization");
}

#[tokio::test]
async fn logging_out_needs_the_token_of_a_user() {
    let app = TestApp::autoconfirm().await;
    let session = app.signed_up(ADA, PASSWORD).await;
    app.post("/logout", json!({}))
        .await
        .refused(401, "no_authorization");
    for token in [
        "nonsense".to_owned(),
        app.service_key(),
        text(&session, "refresh_token"),
    ] {
        app.post_as(&token, "/logout", json!({}))
            .await
            .refused(403, "bad_jwt");
    }
    assert!(lives(&app, &session).await);
}

#[tokio::test]
async fn a_body_does_not_matter() {
    let app = TestApp::autoconfirm().await;
    for body in ["", "{", "null", "[1]"] {
        let session = match app.sign_in(ADA, PASSWORD).await {
            answer if answer.status == 200 => answer.ok(),
            _ => app.signed_up(ADA, PASSWORD).await,
        };
        let token = text(&session, "access_token");
        let request = app
            .client
            .post("/logout")
            .header("authorization", format!("Bearer {token}"))
            .body(body.to_owned());
        assert_eq!(request.send().await.status(), 204, "{body}");
    }
}

#[tokio::test]
async fn the_token_of_an_ended_session_still_convinces_others_until_it_expires() {
    let app = TestApp::autoconfirm().await;
    let session = app.signed_up(ADA, PASSWORD).await;
    let token = text(&session, "access_token");
    logout(&app, &session, "").await.failed(204);
    // Another service knows the public keys but not the sessions.
    let mut keys = app.jwks().await;
    let own = innkeeper_auth::generate_keys(innkeeper_auth::config::JwtAlgorithm::Hs256).unwrap();
    let own: Vec<Value> = serde_json::from_str(&own).unwrap();
    keys.extend(own);
    let keys = Value::Array(keys).to_string();
    let keys = KeySet::from_jwks_json(&keys, &KeySetOptions::default()).unwrap();
    assert!(keys.verify(&token, app.clock.now()).is_ok());
    app.advance(3600);
    assert!(keys.verify(&token, app.clock.now()).is_err());
}
