//! What clients send by mistake or on purpose.

use serde_json::json;
use uuid::Uuid;

use super::{
    EMAIL, PASSWORD, both_profiles, challenge, code_in, enrol, protected, std_app, verify,
};
use crate::support::tokens::text;

#[tokio::test]
async fn factors_and_challenges_of_others_are_not_found() {
    for app in both_profiles().await {
        let ada = protected(&app, EMAIL).await;
        let eve = protected(&app, "eve@example.com").await;
        let of_ada = challenge(&app, &ada.token, &ada.factor).await;
        let of_eve = challenge(&app, &eve.token, &eve.factor).await;
        let target = format!("/factors/{}", ada.factor);
        app.delete_as(&eve.token, &target, None)
            .await
            .refused(404, "mfa_factor_not_found");
        app.post_as(&eve.token, &format!("{target}/challenge"), json!({}))
            .await
            .refused(404, "mfa_factor_not_found");
        // With the right code, which somebody has read over a shoulder.
        let code = code_in(&app, &ada.secret, 0);
        verify(&app, &eve.token, &ada.factor, &of_ada, &code)
            .await
            .refused(404, "mfa_factor_not_found");
        let own = code_in(&app, &eve.secret, 0);
        verify(&app, &eve.token, &eve.factor, &of_ada, &own)
            .await
            .refused(422, "mfa_factor_not_found");
        verify(&app, &ada.token, &ada.factor, &of_eve, &code)
            .await
            .refused(422, "mfa_factor_not_found");
        let unknown = Uuid::new_v4().to_string();
        verify(&app, &ada.token, &ada.factor, &unknown, &code)
            .await
            .refused(422, "mfa_factor_not_found");
        // Nothing of this has used anything up.
        verify(&app, &ada.token, &ada.factor, &of_ada, &code)
            .await
            .ok();
    }
}

#[tokio::test]
async fn odd_ids_and_codes_are_refused() {
    for app in both_profiles().await {
        let ada = protected(&app, EMAIL).await;
        for way in ["challenge", "verify"] {
            let target = format!("/factors/seven/{way}");
            app.post_as(&ada.token, &target, json!({ "code": "1" }))
                .await
                .refused(404, "validation_failed");
        }
        let opened = challenge(&app, &ada.token, &ada.factor).await;
        verify(&app, &ada.token, &ada.factor, &opened, "")
            .await
            .refused(400, "validation_failed");
        verify(&app, &ada.token, &ada.factor, "seven", "123456")
            .await
            .refused(400, "validation_failed");
        let target = format!("/factors/{}/verify", ada.factor);
        app.post_as(&ada.token, &target, json!({ "code": "123456" }))
            .await
            .refused(422, "mfa_factor_not_found");
        app.post_as(&ada.token, &target, json!({ "code": 123_456 }))
            .await
            .refused(400, "bad_json");
        for code in ["12345", "1234567", "abcdef", &"1".repeat(100_000)] {
            let opened = challenge(&app, &ada.token, &ada.factor).await;
            let refused = verify(&app, &ada.token, &ada.factor, &opened, code).await;
            refused.refused(422, "mfa_verification_failed");
        }
    }
}

#[tokio::test]
async fn odd_enrolments_are_refused() {
    let app = std_app(|config| config.mfa.phone.enroll = true).await;
    let session = app.signed_up(EMAIL, PASSWORD).await;
    let token = text(&session, "access_token");
    for body in [
        json!({}),
        json!({ "factor_type": null }),
        json!({ "factor_type": "sms" }),
        json!({ "factor_type": "totp", "friendly_name": "x".repeat(256) }),
        json!({ "factor_type": "phone" }),
        json!({ "factor_type": "phone", "phone": "" }),
        json!({ "factor_type": "phone", "phone": "seven" }),
    ] {
        app.post_as(&token, "/factors", body)
            .await
            .refused(400, "validation_failed");
    }
    let body = json!({ "factor_type": "totp", "friendly_name": "x".repeat(255) });
    app.post_as(&token, "/factors", body).await.ok();
}

/// GoTrue answers 500.
#[tokio::test]
async fn a_token_without_a_session_cannot_change_factors() {
    for app in both_profiles().await {
        let session = app.signed_up(EMAIL, PASSWORD).await;
        let token = text(&session, "access_token");
        let factor = text(&enrol(&app, &token, "app").await.ok(), "id");
        let bare = app.token_of_secret(&app.claims_for(&session["user"]));
        enrol(&app, &bare, "more")
            .await
            .refused(403, "session_not_found");
        let target = format!("/factors/{factor}");
        app.delete_as(&bare, &target, None)
            .await
            .refused(403, "session_not_found");
        for way in ["challenge", "verify"] {
            let body = json!({ "code": "123456" });
            app.post_as(&bare, &format!("{target}/{way}"), body)
                .await
                .refused(403, "session_not_found");
        }
    }
}

#[tokio::test]
async fn the_token_is_checked_first() {
    for app in both_profiles().await {
        for target in ["/factors", "/factors/7/verify", "/factors/recovery-codes"] {
            let refused = app.post(target, json!({})).await;
            let body = refused.refused(401, "no_authorization");
            assert!(body["msg"].as_str().unwrap().contains("Bearer token"));
        }
    }
}
