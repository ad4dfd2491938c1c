//! `customize-access-token`.

use innkeeper_auth::config::{Config, HookKind};
use serde_json::{Value, json};

use crate::support::hook::{Receiver, Reply};
use crate::support::mail_flows::claims_of;
use crate::support::operator::count;
use crate::support::tokens::text;
use crate::support::{API_VERSION_2024, TestApp, redacted};

const KIND: HookKind = HookKind::CustomAccessToken;

/// Adds a claim to every token.
fn golden(call: &Value) -> Reply {
    let mut claims = call["claims"].clone();
    claims["plan"] = "gold".into();
    Reply::Json(json!({ "claims": claims }))
}

fn refusal(_: &Value) -> Reply {
    Reply::Json(json!({ "error": { "http_code": 402, "message": "Pay first" } }))
}

async fn start(receiver: &Receiver, change: impl FnOnce(&mut Config)) -> TestApp {
    TestApp::with(|config| {
        receiver.configure(config, KIND);
        change(config);
    })
    .await
}

#[tokio::test]
async fn the_hook_sees_all_claims_and_what_it_says_is_signed() {
    let receiver = Receiver::start(golden).await;
    let app = start(&receiver, |_| {}).await;
    let user = app.confirmed("ada@example.com").await;
    let session = app.sign_in("ada@example.com", "correct horse").await.ok();

    let call = receiver.next().await;
    assert_eq!(call.path, "/hooks/customize-access-token");
    assert_eq!(call.timestamp, app.clock.now().as_second());
    assert_eq!(call.id, text(&call.body["metadata"], "uuid"));
    let second = app.clock.now().as_second();
    assert_eq!(
        redacted(&call.body),
        json!({
            "metadata": {
                "uuid": "[uuid]",
                "time": "[time]",
                "name": "customize-access-token",
                "ip_address": "127.0.0.1",
            },
            "user_id": "[uuid]",
            "authentication_method": "password",
            "claims": {
                "iss": "http://localhost:8081",
                "sub": "[uuid]",
                "aud": "authenticated",
                "exp": second + 3600,
                "iat": second,
                "email": "ada@example.com",
                "phone": "",
                "app_metadata": { "provider": "email", "providers": ["email"] },
                "user_metadata": {},
                "role": "authenticated",
                "aal": "aal1",
                "amr": [{ "method": "password", "timestamp": second }],
                "session_id": "[uuid]",
                "is_anonymous": false,
            },
        })
    );
    assert_eq!(call.body["user_id"], user["id"]);

    let token = text(&session, "access_token");
    let mut expected = call.body["claims"].clone();
    expected["plan"] = "gold".into();
    assert_eq!(claims_of(&token), expected);
    assert_eq!(app.get_as(&token, "/user").await.ok()["id"], user["id"]);
}

#[tokio::test]
async fn every_way_to_a_token_asks_the_hook_and_says_which_it_is() {
    let receiver = Receiver::start(golden).await;
    let app = start(&receiver, |_| {}).await;
    let is_golden = |session: &Value| claims_of(&text(session, "access_token"))["plan"] == "gold";

    let confirmed = app.signed_up("ada@example.com", "correct horse").await;
    assert!(is_golden(&confirmed));
    assert_eq!(receiver.next().await.body["authentication_method"], "otp");

    let refreshed = app.refresh(&text(&confirmed, "refresh_token")).await.ok();
    assert!(is_golden(&refreshed));
    let call = receiver.next().await;
    assert_eq!(call.body["authentication_method"], "token_refresh");
    assert_eq!(call.body["claims"]["amr"][0]["method"], "otp");

    // A repeated refresh returns the same refresh token, and an access token with the claim.
    let again = app.refresh(&text(&confirmed, "refresh_token")).await.ok();
    assert_eq!(again["refresh_token"], refreshed["refresh_token"]);
    assert!(is_golden(&again));
    receiver.next().await;

    let challenge = "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU";
    let body = json!({
        "email": "ada@example.com",
        "code_challenge": challenge,
        "code_challenge_method": "plain",
    });
    app.post("/magiclink", body).await.ok();
    let mail = app.mailbox.next_to("ada@example.com").await;
    let code = app.follow(&mail).await.query()["code"].clone();
    let body = json!({ "auth_code": code, "code_verifier": challenge });
    let exchanged = app.post("/token?grant_type=pkce", body).await.ok();
    assert!(is_golden(&exchanged));
    let call = receiver.next().await;
    assert_eq!(call.body["authentication_method"], "magiclink");

    assert_eq!(receiver.count(), 4);
}

#[tokio::test]
async fn a_sign_up_without_confirmation_asks_the_hook() {
    let receiver = Receiver::start(golden).await;
    let app = start(&receiver, |config| config.mailer.autoconfirm = true).await;
    let session = app.signed_up("ada@example.com", "correct horse").await;
    let claims = claims_of(&text(&session, "access_token"));
    assert_eq!(claims["plan"], "gold");
    let call = receiver.next().await;
    assert_eq!(call.body["authentication_method"], "password");
    assert_eq!(call.body["user_id"], session["user"]["id"]);

    receiver.answer(refusal);
    let body = json!({ "email": "ben@example.com", "password": "correct horse" });
    let refused = app.post("/signup", body).await.refused(402, "unknown");
    assert_eq!(refused["msg"], "Pay first");
    assert_eq!(app.accounts("ben@example.com").await, 0);
}

#[tokio::test]
async fn a_refusal_is_told_in_both_shapes_and_leaves_everything_as_it_was() {
    let receiver = Receiver::start(golden).await;
    let app = start(&receiver, |_| {}).await;
    app.confirmed("ada@example.com").await;
    let session = app.sign_in("ada@example.com", "correct horse").await.ok();
    let mail = app.mail_of_signup("ben@example.com").await;

    receiver.answer(refusal);
    let refused = app.sign_in("ada@example.com", "correct horse").await;
    assert_eq!(
        refused.refused(402, "unknown"),
        json!({ "code": 402, "error_code": "unknown", "msg": "Pay first" })
    );
    let body = json!({ "email": "ada@example.com", "password": "correct horse" });
    let refused = app.post_versioned("/token?grant_type=password", body).await;
    assert_eq!(refused.header(API_VERSION_2024.0), Some(API_VERSION_2024.1));
    assert_eq!(
        refused.refused(402, "unknown"),
        json!({ "code": "unknown", "message": "Pay first" })
    );
    let sql = app.sql().await;
    assert_eq!(count(&sql, "select count(*) from sessions").await, 1);

    let refresh_token = text(&session, "refresh_token");
    app.refresh(&refresh_token).await.refused(402, "unknown");
    let code = mail.code();
    let verified = app.verify_code("signup", "ben@example.com", &code).await;
    verified.refused(402, "unknown");
    let followed = app.follow(&mail).await;
    followed.sent_back_with("unknown");
    assert_eq!(followed.said("error_description"), "Pay first");

    receiver.answer(golden);
    let refreshed = app.refresh(&refresh_token).await;
    assert_eq!(refreshed.header("sb-auth-refresh-token-counter"), Some("1"));
    assert_eq!(
        refreshed.header("sb-auth-refresh-token-reuse"),
        Some("false")
    );
    app.verify_code("signup", "ben@example.com", &code)
        .await
        .ok();
}

#[tokio::test]
async fn claims_that_nobody_could_use_are_refused() {
    let receiver = Receiver::start(golden).await;
    let app = start(&receiver, |_| {}).await;
    app.confirmed("ada@example.com").await;
    let prefix = "The hook gave an answer that cannot be used: ";
    for (answer, problem) in [
        (json!({}), "`claims` must be an object"),
        (json!({ "claims": [] }), "`claims` must be an object"),
        (
            json!({ "claims": "all of them" }),
            "`claims` must be an object",
        ),
    ] {
        receiver.answer(move |_| Reply::Json(answer.clone()));
        let refused = app.sign_in("ada@example.com", "correct horse").await;
        let body = refused.refused(500, "unexpected_failure");
        assert_eq!(body["msg"], format!("{prefix}{problem}"));
    }
    for (name, value, problem) in [
        ("exp", Value::Null, "`exp` must be a whole number"),
        ("exp", json!("soon"), "`exp` must be a whole number"),
        ("sub", json!({}), "`sub` must be a text"),
        (
            "is_anonymous",
            json!(0),
            "`is_anonymous` must be true or false",
        ),
        ("app_metadata", json!(7), "`app_metadata` must be an object"),
        ("amr", json!("otp"), "`amr` must be a list"),
    ] {
        receiver.answer(move |call| {
            let mut claims = call["claims"].clone();
            claims[name] = value.clone();
            Reply::Json(json!({ "claims": claims }))
        });
        let refused = app.sign_in("ada@example.com", "correct horse").await;
        let body = refused.refused(500, "unexpected_failure");
        assert_eq!(body["msg"], format!("{prefix}{problem}"));
    }
    receiver.answer(|call| {
        let mut claims = call["claims"].clone();
        claims["story"] = "x".repeat(150 * 1024).into();
        Reply::Json(json!({ "claims": claims }))
    });
    app.sign_in("ada@example.com", "correct horse")
        .await
        .refused(422, "hook_payload_over_size_limit");
    let sql = app.sql().await;
    assert_eq!(count(&sql, "select count(*) from sessions").await, 0);
}

#[tokio::test]
async fn the_answer_says_when_a_token_ends_that_the_hook_has_shortened() {
    let receiver = Receiver::start(|call| {
        let mut claims = call["claims"].clone();
        claims["exp"] = (claims["iat"].as_i64().unwrap() + 60).into();
        Reply::Json(json!({ "claims": claims }))
    })
    .await;
    let app = start(&receiver, |_| {}).await;
    app.confirmed("ada@example.com").await;
    let session = app.sign_in("ada@example.com", "correct horse").await.ok();
    assert_eq!(session["expires_in"], 60);
    assert_eq!(session["expires_at"], app.clock.now().as_second() + 60);
    let token = text(&session, "access_token");
    app.get_as(&token, "/user").await.ok();
    app.advance(61);
    app.get_as(&token, "/user").await.refused(403, "bad_jwt");
}

#[tokio::test]
async fn the_hook_can_make_an_admin_of_a_user() {
    let receiver = Receiver::start(|call| {
        let mut claims = call["claims"].clone();
        claims["role"] = "service_role".into();
        Reply::Json(json!({ "claims": claims }))
    })
    .await;
    let app = start(&receiver, |_| {}).await;
    app.confirmed("ada@example.com").await;
    let session = app.sign_in("ada@example.com", "correct horse").await.ok();
    let token = text(&session, "access_token");
    app.get_as(&token, "/admin/users").await.ok();
}
