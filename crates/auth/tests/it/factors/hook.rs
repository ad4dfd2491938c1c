//! `mfa-verification`.

use innkeeper_auth::config::HookKind;
use serde_json::json;

use super::{EMAIL, answer, code_in, low_session, protected, std_app, wrong_code};
use crate::support::hook::{Receiver, Reply};
use crate::support::redacted;
use crate::support::tokens::text;

const KIND: HookKind = HookKind::MfaVerificationAttempt;

#[tokio::test]
async fn the_application_is_told_whether_a_code_was_right() {
    let receiver = Receiver::start(|_| Reply::Json(json!({ "decision": "continue" }))).await;
    let app = std_app(|config| receiver.configure(config, KIND)).await;
    let ada = protected(&app, EMAIL).await;
    let call = receiver.next().await;
    assert_eq!(
        redacted(&call.body),
        json!({
            "metadata": {
                "uuid": "[uuid]",
                "time": "[time]",
                "name": "mfa-verification",
                "ip_address": "127.0.0.1",
            },
            "user_id": "[uuid]",
            "factor_id": "[uuid]",
            "factor_type": "totp",
            "valid": true,
        })
    );
    assert_eq!(call.body["factor_id"], ada.factor.as_str());
    let wrong = wrong_code(&app, &ada.secret);
    answer(&app, &ada.token, &ada.factor, &wrong)
        .await
        .refused(422, "mfa_verification_failed");
    assert_eq!(receiver.next().await.body["valid"], false);
}

#[tokio::test]
async fn the_application_can_refuse_and_ends_all_sessions() {
    for (reply, message) in [
        (
            json!({ "decision": "reject", "message": "Call us" }),
            "Call us",
        ),
        (
            json!({ "decision": "reject" }),
            "The verification was refused.",
        ),
    ] {
        let receiver = Receiver::start(|_| Reply::Json(json!({}))).await;
        let app = std_app(|config| receiver.configure(config, KIND)).await;
        let ada = protected(&app, EMAIL).await;
        let low = text(&low_session(&app, EMAIL).await, "access_token");
        receiver.answer(move |_| Reply::Json(reply.clone()));
        let code = code_in(&app, &ada.secret, 0);
        let refused = answer(&app, &low, &ada.factor, &code).await;
        let body = refused.refused(403, "mfa_verification_rejected");
        assert_eq!(body["msg"], message);
        for token in [&low, &ada.token] {
            app.get_as(token, "/user")
                .await
                .refused(403, "session_not_found");
        }
    }
}

/// A hook that does not answer lets nobody in.
#[tokio::test]
async fn an_answer_that_is_none_refuses() {
    let receiver = Receiver::start(|_| Reply::Json(json!({}))).await;
    let app = std_app(|config| receiver.configure(config, KIND)).await;
    let ada = protected(&app, EMAIL).await;
    receiver.answer(|_| Reply::Json(json!({ "decision": "perhaps" })));
    let code = code_in(&app, &ada.secret, 0);
    let refused = answer(&app, &ada.token, &ada.factor, &code).await;
    assert_eq!(refused.status, 500, "{}", refused.text);
}

/// The hook of access tokens sees the level and the method before anything is written.
#[tokio::test]
async fn the_claims_of_a_raised_session_can_be_changed() {
    let receiver = Receiver::start(|body| {
        let mut claims = body["claims"].clone();
        claims["level"] = claims["aal"].clone();
        Reply::Json(json!({ "claims": claims }))
    })
    .await;
    let app = std_app(|config| receiver.configure(config, HookKind::CustomAccessToken)).await;
    let ada = protected(&app, EMAIL).await;
    let methods = [receiver.next().await, receiver.next().await]
        .map(|call| text(&call.body, "authentication_method"));
    assert_eq!(methods, ["password", "totp"]);
    assert_eq!(super::claims_of(&ada.session)["level"], "aal2");
}
