//! Reuse of a refresh token: by a client that lost the response, by a second tab, by a thief.

use innkeeper_auth::config::{Config, Profile};
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::support::operator::count;
use crate::support::tokens::text;
use crate::support::{API_VERSION_2024, TestApp};

const GRANT: &str = "/token?grant_type=refresh_token";

/// Starts a server, and returns it with the first tokens of a session.
async fn session(change: impl FnOnce(&mut Config)) -> (TestApp, Value) {
    let app = TestApp::with(|config| {
        config.mailer.autoconfirm = true;
        change(config);
    })
    .await;
    let first = app.signed_up("ada@example.com", "correct horse").await;
    (app, first)
}

/// Sets the gotrue profile and its reuse interval.
fn gotrue(config: &mut Config) {
    config.profile = Profile::Gotrue;
    config.security.refresh_token_reuse_interval = SignedDuration::ZERO;
}

fn refresh_token(body: &Value) -> String {
    text(body, "refresh_token")
}

#[tokio::test]
async fn inside_the_interval_the_previous_token_gives_the_same_child() {
    let (app, first) = session(|_| {}).await;
    let second = app.refresh(&refresh_token(&first)).await.ok();
    for _ in 0..3 {
        app.advance(3);
        let answer = app.refresh(&refresh_token(&first)).await;
        assert_eq!(answer.header("sb-auth-refresh-token-reuse"), Some("true"));
        assert_eq!(answer.header("sb-auth-refresh-token-counter"), Some("1"));
        let again = answer.ok();
        assert_eq!(again["refresh_token"], second["refresh_token"]);
        app.get_as(&text(&again, "access_token"), "/user")
            .await
            .ok();
    }
    let third = app.refresh(&refresh_token(&second)).await.ok();
    assert_ne!(third["refresh_token"], second["refresh_token"]);
}

#[tokio::test]
async fn after_the_interval_the_previous_token_revokes_the_family_in_std() {
    let (app, first) = session(|_| {}).await;
    let second = app.refresh(&refresh_token(&first)).await.ok();
    app.advance(11);
    let body = json!({ "refresh_token": first["refresh_token"] });
    let answer = app.post_versioned(GRANT, body).await;
    let refused = answer.refused(400, "refresh_token_already_used");
    assert_eq!(refused["message"], "Invalid Refresh Token: Already Used");
    // The client got an error, but the revocation is committed.
    app.refresh(&refresh_token(&second))
        .await
        .refused(400, "refresh_token_not_found");
    app.get_as(&text(&second, "access_token"), "/user")
        .await
        .refused(403, "session_not_found");
    let sql = app.sql().await;
    assert_eq!(count(&sql, "select count(*) from sessions").await, 0);
    let revoked =
        "select count(*) from audit_log_entries where payload ->> 'action' = 'token_revoked'";
    assert_eq!(count(&sql, revoked).await, 1);
}

#[tokio::test]
async fn after_the_interval_the_previous_token_still_gives_its_child_in_gotrue() {
    let (app, first) = session(gotrue).await;
    let second = app.refresh(&refresh_token(&first)).await.ok();
    for _ in 0..2 {
        app.advance(100_000);
        let again = app.refresh(&refresh_token(&first)).await.ok();
        assert_eq!(again["refresh_token"], second["refresh_token"]);
    }
    // This holds until the child itself is used.
    let third = app.refresh(&refresh_token(&second)).await.ok();
    app.advance(11);
    app.refresh(&refresh_token(&first))
        .await
        .refused(400, "refresh_token_already_used");
    app.refresh(&refresh_token(&third))
        .await
        .refused(400, "refresh_token_not_found");
}

#[tokio::test]
async fn an_older_token_revokes_the_family_even_inside_the_interval() {
    let (app, first) = session(|_| {}).await;
    let second = app.refresh(&refresh_token(&first)).await.ok();
    let third = app.refresh(&refresh_token(&second)).await.ok();
    let refused = app.refresh(&refresh_token(&first)).await;
    let refused = refused.refused(400, "refresh_token_already_used");
    assert_eq!(refused["msg"], "Invalid Refresh Token: Already Used");
    for body in [second, third] {
        app.refresh(&refresh_token(&body))
            .await
            .refused(400, "refresh_token_not_found");
    }
}

#[tokio::test]
async fn in_gotrue_older_tokens_give_the_newest_inside_the_interval() {
    let (app, first) = session(|config| config.profile = Profile::Gotrue).await;
    let second = app.refresh(&refresh_token(&first)).await.ok();
    let third = app.refresh(&refresh_token(&second)).await.ok();
    app.advance(9);
    let again = app.refresh(&refresh_token(&first)).await.ok();
    assert_eq!(again["refresh_token"], third["refresh_token"]);
    app.advance(1);
    app.refresh(&refresh_token(&first))
        .await
        .refused(400, "refresh_token_already_used");
}

#[tokio::test]
async fn a_refusal_names_the_user_and_the_session_of_the_token() {
    let (app, first) = session(|_| {}).await;
    app.refresh(&refresh_token(&first)).await.ok();
    app.advance(11);
    let refused = app.refresh(&refresh_token(&first)).await;
    assert_eq!(
        refused.header("sb-auth-user-id"),
        first["user"]["id"].as_str()
    );
    assert!(refused.header("sb-auth-session-id").is_some());
    let unknown = app.refresh("abcdefghijkl").await;
    assert_eq!(unknown.header("sb-auth-user-id"), None);
    unknown.refused(400, "refresh_token_not_found");
}

#[tokio::test]
async fn reuse_ends_this_session_and_no_other() {
    let (app, first) = session(|_| {}).await;
    let other = app.sign_in("ada@example.com", "correct horse").await.ok();
    app.refresh(&refresh_token(&first)).await.ok();
    app.advance(11);
    app.refresh(&refresh_token(&first))
        .await
        .refused(400, "refresh_token_already_used");
    app.refresh(&refresh_token(&other)).await.ok();
}

#[tokio::test]
async fn without_rotation_reuse_is_refused_and_nothing_is_revoked() {
    let (app, first) =
        session(|config| config.security.refresh_token_rotation_enabled = false).await;
    let second = app.refresh(&refresh_token(&first)).await.ok();
    assert_ne!(second["refresh_token"], first["refresh_token"]);
    app.advance(11);
    app.refresh(&refresh_token(&first))
        .await
        .refused(400, "refresh_token_already_used");
    let third = app.refresh(&refresh_token(&second)).await.ok();
    app.advance(11);
    app.refresh(&refresh_token(&first))
        .await
        .refused(400, "refresh_token_already_used");
    app.refresh(&refresh_token(&third)).await.ok();
}

#[tokio::test]
async fn the_interval_is_a_setting() {
    let minute = SignedDuration::from_secs(60);
    let (app, first) =
        session(|config| config.security.refresh_token_reuse_interval = minute).await;
    let second = app.refresh(&refresh_token(&first)).await.ok();
    app.advance(59);
    let again = app.refresh(&refresh_token(&first)).await.ok();
    assert_eq!(again["refresh_token"], second["refresh_token"]);
    app.advance(2);
    let body = json!({ "refresh_token": first["refresh_token"] });
    app.send(
        innkeeper_rest::Method::POST,
        GRANT,
        &[API_VERSION_2024],
        Some(&body),
    )
    .await
    .refused(400, "refresh_token_already_used");
}
