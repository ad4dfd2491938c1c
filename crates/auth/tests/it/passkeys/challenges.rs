//! Challenges: used once, in time, and by whom they were made for.

use serde_json::json;
use uuid::Uuid;

use super::{
    EMAIL, PASSWORD, both_profiles, owner, register, registration_options, sign_in,
    sign_in_options, std_app, verify,
};
use crate::support::authenticator::Authenticator;
use crate::support::operator::count;
use crate::support::tokens::text;

#[tokio::test]
async fn a_challenge_is_used_once_even_by_a_wrong_answer() {
    for app in both_profiles().await {
        let mut ada = owner(&app, EMAIL).await;
        let started = sign_in_options(&app).await;
        let credential = ada.authenticator.get(&started["options"]);
        verify(&app, &started, &credential).await.ok();
        verify(&app, &started, &credential)
            .await
            .refused(400, "webauthn_challenge_not_found");
        // A damaged answer, and then the right one.
        let started = sign_in_options(&app).await;
        let credential = ada.authenticator.get(&started["options"]);
        verify(&app, &started, &json!({ "type": "public-key" }))
            .await
            .refused(400, "webauthn_verification_failed");
        verify(&app, &started, &credential)
            .await
            .refused(400, "webauthn_challenge_not_found");
        let started = registration_options(&app, &ada.token).await.ok();
        let credential = Authenticator::new().create(&started["options"]);
        register(&app, &ada.token, &started, &json!({}))
            .await
            .refused(400, "webauthn_verification_failed");
        register(&app, &ada.token, &started, &credential)
            .await
            .refused(400, "webauthn_challenge_not_found");
    }
}

/// Of many requests with the same answer, one is accepted.
#[tokio::test]
async fn answers_at_the_same_time_open_one_session() {
    let app = std_app(|_| {}).await;
    let mut ada = owner(&app, EMAIL).await;
    let started = sign_in_options(&app).await;
    let credential = ada.authenticator.get(&started["options"]);
    let all = (0..8).map(|_| verify(&app, &started, &credential));
    let all = futures_util::future::join_all(all).await;
    let accepted = all.iter().filter(|answer| answer.status == 200).count();
    assert_eq!(accepted, 1);
}

#[tokio::test]
async fn challenges_expire() {
    for app in both_profiles().await {
        let mut ada = owner(&app, EMAIL).await;
        for (seconds, is_accepted) in [(299, true), (300, false)] {
            let started = sign_in_options(&app).await;
            let credential = ada.authenticator.get(&started["options"]);
            app.advance(seconds);
            let answer = verify(&app, &started, &credential).await;
            if is_accepted {
                answer.ok();
            } else {
                answer.refused(400, "webauthn_challenge_expired");
            }
        }
        let started = registration_options(&app, &ada.token).await.ok();
        let credential = Authenticator::new().create(&started["options"]);
        app.advance(300);
        register(&app, &ada.token, &started, &credential)
            .await
            .refused(400, "webauthn_challenge_expired");
    }
}

#[tokio::test]
async fn a_signature_of_another_challenge_is_refused() {
    for app in both_profiles().await {
        let mut ada = owner(&app, EMAIL).await;
        let first = sign_in_options(&app).await;
        let second = sign_in_options(&app).await;
        assert_ne!(
            first["options"]["challenge"],
            second["options"]["challenge"]
        );
        let credential = ada.authenticator.get(&first["options"]);
        let refused = verify(&app, &second, &credential).await;
        let refused = refused.refused(400, "webauthn_verification_failed");
        assert!(text(&refused, "msg").contains("challenge"), "{refused}");
        let started = registration_options(&app, &ada.token).await.ok();
        let other = registration_options(&app, &ada.token).await.ok();
        let credential = Authenticator::new().create(&started["options"]);
        register(&app, &ada.token, &other, &credential)
            .await
            .refused(400, "webauthn_verification_failed");
    }
}

#[tokio::test]
async fn challenges_of_other_users_sessions_and_purposes_are_not_found() {
    for app in both_profiles().await {
        let mut ada = owner(&app, EMAIL).await;
        let eve = owner(&app, "eve@example.com").await;
        let started = registration_options(&app, &ada.token).await.ok();
        let credential = Authenticator::new().create(&started["options"]);
        // Another user, and another session of the same user.
        let elsewhere = app.sign_in(EMAIL, PASSWORD).await.ok();
        for token in [&eve.token, &text(&elsewhere, "access_token")] {
            register(&app, token, &started, &credential)
                .await
                .refused(400, "webauthn_challenge_not_found");
        }
        // The challenge of a registration is not one of a sign-in, and the other way round.
        let signed = ada.authenticator.get(&started["options"]);
        verify(&app, &started, &signed)
            .await
            .refused(400, "webauthn_challenge_not_found");
        let sign_in_challenge = sign_in_options(&app).await;
        register(&app, &ada.token, &sign_in_challenge, &credential)
            .await
            .refused(400, "webauthn_challenge_not_found");
        // None of them has used it up.
        register(&app, &ada.token, &started, &credential).await.ok();
    }
}

#[tokio::test]
async fn incomplete_answers_are_refused() {
    for app in both_profiles().await {
        let ada = owner(&app, EMAIL).await;
        let unknown = Uuid::new_v4();
        for (body, code) in [
            (json!({}), "validation_failed"),
            (
                json!({ "challenge_id": null, "credential": null }),
                "validation_failed",
            ),
            (json!({ "challenge_id": unknown }), "validation_failed"),
            (json!({ "credential": {} }), "validation_failed"),
            (
                json!({ "challenge_id": "seven", "credential": {} }),
                "validation_failed",
            ),
            (json!({ "challenge_id": 7, "credential": {} }), "bad_json"),
            (
                json!({ "challenge_id": unknown, "credential": {} }),
                "webauthn_challenge_not_found",
            ),
            (
                json!({ "challenge_id": unknown, "credential": "text" }),
                "webauthn_challenge_not_found",
            ),
        ] {
            app.post("/passkeys/authentication/verify", body.clone())
                .await
                .refused(400, code);
            app.post_as(&ada.token, "/passkeys/registration/verify", body)
                .await
                .refused(400, code);
        }
    }
}

#[tokio::test]
async fn expired_challenges_are_deleted() {
    let app = std_app(|_| {}).await;
    let mut ada = owner(&app, EMAIL).await;
    sign_in_options(&app).await;
    let sql = app.sql().await;
    let all = "select count(*) from webauthn_challenges";
    assert_eq!(count(&sql, all).await, 1);
    sign_in(&app, &mut ada.authenticator).await.ok();
    assert_eq!(count(&sql, all).await, 1);
    app.advance(300 + 3600 + 1);
    app.auth.clean_up().await.unwrap();
    assert_eq!(count(&sql, all).await, 0);
}
