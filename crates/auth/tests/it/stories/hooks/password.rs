//! `password-verification`.

use innkeeper_auth::config::HookKind;
use serde_json::{Value, json};

use crate::support::hook::{Receiver, Reply};
use crate::support::tokens::text;
use crate::support::{API_VERSION_2024, TestApp, redacted};

const KIND: HookKind = HookKind::PasswordVerificationAttempt;

async fn start(receiver: &Receiver) -> (TestApp, Value) {
    let app = TestApp::with(|config| receiver.configure(config, KIND)).await;
    let user = app.confirmed("ada@example.com").await;
    (app, user)
}

#[tokio::test]
async fn the_application_is_told_whether_a_password_was_right() {
    let receiver = Receiver::start(|_| Reply::Json(json!({ "decision": "continue" }))).await;
    let (app, user) = start(&receiver).await;
    app.sign_in("ada@example.com", "correct horse").await.ok();
    let call = receiver.next().await;
    assert_eq!(
        redacted(&call.body),
        json!({
            "metadata": {
                "uuid": "[uuid]",
                "time": "[time]",
                "name": "password-verification",
                "ip_address": "127.0.0.1",
            },
            "user_id": "[uuid]",
            "valid": true,
        })
    );
    assert_eq!(call.body["user_id"], user["id"]);
    let wrong = app.sign_in("ada@example.com", "wrong horse").await;
    wrong.refused(400, "invalid_credentials");
    assert_eq!(receiver.next().await.body["valid"], false);
    // An unknown user causes no call.
    let unknown = app.sign_in("eve@example.com", "correct horse").await;
    unknown.refused(400, "invalid_credentials");
    assert_eq!(receiver.count(), 2);
}

#[tokio::test]
async fn the_application_can_refuse_a_sign_in_in_its_own_words() {
    let receiver = Receiver::content().await;
    let (app, _) = start(&receiver).await;
    let session = app.sign_in("ada@example.com", "correct horse").await.ok();
    let token = text(&session, "access_token");

    receiver.answer(|_| Reply::Json(json!({ "decision": "reject", "message": "Try tomorrow" })));
    let refused = app.sign_in("ada@example.com", "correct horse").await;
    let body = refused.refused(400, "invalid_credentials");
    assert_eq!(
        body,
        json!({ "code": 400, "error_code": "invalid_credentials", "msg": "Try tomorrow" })
    );
    let body = json!({ "email": "ada@example.com", "password": "wrong horse" });
    let refused = app.post_versioned("/token?grant_type=password", body).await;
    assert_eq!(refused.header(API_VERSION_2024.0), Some(API_VERSION_2024.1));
    let body = refused.refused(400, "invalid_credentials");
    assert_eq!(
        body,
        json!({ "code": "invalid_credentials", "message": "Try tomorrow" })
    );
    app.get_as(&token, "/user").await.ok();

    receiver.answer(|_| Reply::Json(json!({ "decision": "reject", "should_logout_user": true })));
    let refused = app.sign_in("ada@example.com", "wrong horse").await;
    let body = refused.refused(400, "invalid_credentials");
    let default = "Further password verification attempts will be rejected.";
    assert_eq!(body["msg"], default);
    app.get_as(&token, "/user")
        .await
        .refused(403, "session_not_found");
}

#[tokio::test]
async fn a_verdict_that_is_none_signs_nobody_in() {
    let receiver = Receiver::content().await;
    let (app, _) = start(&receiver).await;
    for odd in [
        json!({ "decision": "rejekt" }),
        json!({ "decision": "reject", "message": ["no"] }),
        json!({ "decision": "reject", "should_logout_user": "yes" }),
    ] {
        receiver.answer(move |_| Reply::Json(odd.clone()));
        let refused = app.sign_in("ada@example.com", "correct horse").await;
        refused.refused(500, "unexpected_failure");
    }
    receiver.answer(|_| Reply::status(500));
    let refused = app.sign_in("ada@example.com", "correct horse").await;
    refused.refused(500, "unexpected_failure");
}
