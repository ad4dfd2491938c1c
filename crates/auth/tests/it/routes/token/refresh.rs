//! `grant_type=refresh_token`: the shape of tokens and of refusals. Reuse of tokens is tested in
//! `stories/refresh_reuse.rs`.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use innkeeper_auth::session::token::{RefreshKey, RefreshToken};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::TestApp;
use crate::support::operator::count;
use crate::support::tokens::{parts_of, text};

const GRANT: &str = "/token?grant_type=refresh_token";
const NOT_FOUND: &str = "Invalid Refresh Token: Refresh Token Not Found";

#[tokio::test]
async fn a_refresh_gives_another_pair_of_tokens_of_the_same_session() {
    let app = TestApp::autoconfirm().await;
    let first = app.signed_up("ada@example.com", "correct horse").await;
    app.advance(60);
    let answer = app.refresh(&text(&first, "refresh_token")).await;
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(
        answer.header("sb-auth-user-id"),
        first["user"]["id"].as_str()
    );
    assert_eq!(answer.header("sb-auth-refresh-token-counter"), Some("1"));
    assert_eq!(answer.header("sb-auth-refresh-token-reuse"), Some("false"));
    let session_id = answer.header("sb-auth-session-id").unwrap().to_owned();
    let second = answer.ok();
    assert_ne!(second["refresh_token"], first["refresh_token"]);
    assert_ne!(second["access_token"], first["access_token"]);
    assert_eq!(second["token_type"], "bearer");
    assert_eq!(second["expires_in"], 3600);
    assert_eq!(second["user"]["id"], first["user"]["id"]);
    let (_, before) = parts_of(&text(&first, "access_token"));
    let (_, after) = parts_of(&text(&second, "access_token"));
    assert_eq!(after["session_id"], session_id);
    assert_eq!(after["session_id"], before["session_id"]);
    // How and when the user signed in does not change with a refresh.
    assert_eq!(after["amr"], before["amr"]);
    assert_eq!(after["iat"], before["iat"].as_i64().unwrap() + 60);
}

#[tokio::test]
async fn a_refresh_token_names_session_and_counter_and_the_database_keeps_only_a_sealed_key() {
    let app = TestApp::autoconfirm().await;
    let session = app.signed_up("ada@example.com", "correct horse").await;
    let (_, claims) = parts_of(&text(&session, "access_token"));
    let session_id: Uuid = claims["session_id"].as_str().unwrap().parse().unwrap();
    let mut token = text(&session, "refresh_token");
    for counter in [0, 1] {
        let bytes = URL_SAFE_NO_PAD.decode(&token).unwrap();
        assert_eq!(bytes.len(), 1 + 16 + 1 + 16 + 4);
        assert_eq!(bytes[0], 0);
        assert_eq!(bytes[1..17], *session_id.as_bytes());
        assert_eq!(bytes[17], counter);
        token = text(&app.refresh(&token).await.ok(), "refresh_token");
    }
    let sql = app.sql().await;
    let row = sql
        .query_one(
            "select refresh_token_hmac_key, refresh_token_counter from sessions",
            &[],
        )
        .await
        .unwrap();
    let key: String = row.get(0);
    let key: Value = serde_json::from_str(&key).unwrap();
    assert_eq!(key["alg"], "aes-gcm-hkdf");
    assert_eq!(key["key_id"], "innkeeper-jwt-secret");
    assert_eq!(row.get::<_, i64>(1), 2);
    assert_eq!(count(&sql, "select count(*) from refresh_tokens").await, 0);
}

#[tokio::test]
async fn malformed_unknown_and_forged_tokens_are_not_found_in_both_shapes() {
    let app = TestApp::autoconfirm().await;
    let session = app.signed_up("ada@example.com", "correct horse").await;
    let (_, claims) = parts_of(&text(&session, "access_token"));
    let session_id: Uuid = claims["session_id"].as_str().unwrap().parse().unwrap();
    let other_key = RefreshKey::generate();
    let forged = |session_id, counter| {
        let token = RefreshToken {
            session_id,
            counter,
        };
        token.encode(&other_key)
    };
    let mut altered = text(&session, "refresh_token");
    altered.replace_range(30..31, if altered[30..31] == *"A" { "B" } else { "A" });
    for token in [
        "short".to_owned(),
        "abcdefgh2345".to_owned(),
        "ABCDEFGHIJKL".to_owned(),
        "AbCdEfGhIjKlMnOpQrStUv".to_owned(),
        "nul\u{1}byte".to_owned(),
        "ß".repeat(12),
        "x".repeat(100_000),
        text(&session, "access_token"),
        altered,
        forged(session_id, 0),
        forged(session_id, 1),
        forged(Uuid::new_v4(), 0),
        forged(Uuid::nil(), 0),
    ] {
        let body = json!({ "refresh_token": token });
        let plain = app.post(GRANT, body.clone()).await;
        let plain = plain.refused(400, "refresh_token_not_found");
        assert_eq!(plain["msg"], NOT_FOUND);
        let dated = app.post_versioned(GRANT, body).await;
        let dated = dated.refused(400, "refresh_token_not_found");
        assert_eq!(dated["message"], NOT_FOUND);
    }
    // The refused tokens did not end the session.
    app.refresh(&text(&session, "refresh_token")).await.ok();
}

#[tokio::test]
async fn a_refresh_without_a_token_is_told() {
    let app = TestApp::start().await;
    for body in [
        json!({}),
        json!({ "refresh_token": "" }),
        json!({ "refresh_token": null }),
    ] {
        app.post(GRANT, body.clone())
            .await
            .refused(400, "validation_failed");
        app.post_versioned(GRANT, body)
            .await
            .refused(400, "validation_failed");
    }
    for body in [
        json!({ "refresh_token": 7 }),
        json!({ "refresh_token": ["x"] }),
    ] {
        app.post(GRANT, body).await.refused(400, "bad_json");
    }
}

#[tokio::test]
async fn a_banned_user_refreshes_nothing() {
    let app = TestApp::autoconfirm().await;
    let session = app.signed_up("ada@example.com", "correct horse").await;
    // A ban by the admin endpoint would end the session; one that is set in the table does not.
    let sql = app.sql().await;
    sql.execute("update users set banned_until = '2999-01-01'", &[])
        .await
        .unwrap();
    let body = app.refresh(&text(&session, "refresh_token")).await;
    let body = body.refused(400, "user_banned");
    assert_eq!(body["msg"], "Invalid Refresh Token: User Banned");
    sql.execute("update users set banned_until = null", &[])
        .await
        .unwrap();
    app.refresh(&text(&session, "refresh_token")).await.ok();
}

#[tokio::test]
async fn a_session_whose_key_cannot_be_opened_ends_in_a_new_sign_in_and_no_failure() {
    let app = TestApp::autoconfirm().await;
    let session = app.signed_up("ada@example.com", "correct horse").await;
    let sql = app.sql().await;
    sql.execute(
        r#"update sessions set refresh_token_hmac_key
             = '{"key_id":"lost","alg":"aes-gcm-hkdf","data":"AAAA","nonce":"AAECAwQFBgcICQoL"}'"#,
        &[],
    )
    .await
    .unwrap();
    app.refresh(&text(&session, "refresh_token"))
        .await
        .refused(400, "refresh_token_not_found");
}

#[tokio::test]
async fn a_refresh_notes_who_came_from_where() {
    let app = TestApp::autoconfirm().await;
    let session = app.signed_up("ada@example.com", "correct horse").await;
    app.advance(5);
    let body = json!({ "refresh_token": session["refresh_token"] });
    let request = app
        .client
        .post(GRANT)
        .from_peer(([192, 0, 2, 7], 1234).into())
        .header("user-agent", "a second browser")
        .json(&body);
    assert_eq!(request.send().await.status(), 200);
    let sql = app.sql().await;
    let row = sql
        .query_one(
            "select host(ip), user_agent,
                    refreshed_at at time zone 'UTC' - created_at between '5 s' and '30 s'
               from sessions",
            &[],
        )
        .await
        .unwrap();
    assert_eq!(row.get::<_, &str>(0), "192.0.2.7");
    assert_eq!(row.get::<_, &str>(1), "a second browser");
    assert!(row.get::<_, bool>(2));
    let refreshes = "select count(*) from audit_log_entries
        where payload ->> 'action' = 'token_refreshed' and ip_address = '192.0.2.7'";
    assert_eq!(count(&sql, refreshes).await, 1);
}
