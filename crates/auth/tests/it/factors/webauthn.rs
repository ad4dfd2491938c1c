//! Security keys as second factors.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use innkeeper_auth::config::Config;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{EMAIL, PASSWORD, claims_of, low_session, methods_of};
use crate::support::authenticator::{Authenticator, RP_ID, accept_authenticators, encode};
use crate::support::tokens::text;
use crate::support::{Answer, TestApp};

async fn key_app(change: impl FnOnce(&mut Config)) -> TestApp {
    super::std_app(|config| {
        accept_authenticators(config);
        change(config);
    })
    .await
}

async fn gotrue_key_app(change: impl FnOnce(&mut Config)) -> TestApp {
    super::gotrue_app(|config| {
        accept_authenticators(config);
        change(config);
    })
    .await
}

async fn both_profiles() -> [TestApp; 2] {
    [key_app(|_| {}).await, gotrue_key_app(|_| {}).await]
}

async fn enrol(app: &TestApp, token: &str, name: &str) -> Answer {
    let body = json!({ "factor_type": "webauthn", "friendly_name": name });
    app.post_as(token, "/factors", body).await
}

/// Opens a challenge. The official client also sends the site, which this server knows.
async fn challenge(app: &TestApp, token: &str, factor: &str) -> Answer {
    let body = json!({ "factorId": factor, "webauthn": { "rpId": RP_ID, "rpOrigins": ["x"] } });
    let target = format!("/factors/{factor}/challenge");
    app.post_as(token, &target, body).await
}

fn options_of(challenge: &Value) -> &Value {
    &challenge["webauthn"]["credential_options"]["publicKey"]
}

async fn verify(
    app: &TestApp,
    token: &str,
    factor: &str,
    challenge: &Value,
    credential: &Value,
) -> Answer {
    let kind = &challenge["webauthn"]["type"];
    let body = json!({
        "challenge_id": challenge["id"],
        "webauthn": { "type": kind, "credential_response": credential },
    });
    let target = format!("/factors/{factor}/verify");
    app.post_as(token, &target, body).await
}

/// Opens a challenge and lets an authenticator answer it.
async fn answer(
    app: &TestApp,
    token: &str,
    factor: &str,
    authenticator: &mut Authenticator,
) -> Answer {
    let opened = challenge(app, token, factor).await.ok();
    let options = options_of(&opened);
    let credential = if opened["webauthn"]["type"] == "create" {
        authenticator.create(options)
    } else {
        authenticator.get(options)
    };
    verify(app, token, factor, &opened, &credential).await
}

/// Adds a security key, and returns the session at the second level.
pub(crate) async fn security_key(
    app: &TestApp,
    token: &str,
    name: &str,
    authenticator: &mut Authenticator,
) -> Value {
    let enrolled = enrol(app, token, name).await.ok();
    let factor = text(&enrolled, "id");
    answer(app, token, &factor, authenticator).await.ok()
}

#[tokio::test]
async fn a_key_is_enrolled_challenged_and_verified() {
    for app in both_profiles().await {
        let session = app.signed_up(EMAIL, PASSWORD).await;
        let low = text(&session, "access_token");
        let enrolled = enrol(&app, &low, "key").await.ok();
        let factor = text(&enrolled, "id");
        let expected = json!({ "id": factor, "type": "webauthn", "friendly_name": "key" });
        assert_eq!(enrolled, expected);
        let opened = challenge(&app, &low, &factor).await.ok();
        assert_eq!(opened["type"], "webauthn");
        assert_eq!(opened["webauthn"]["type"], "create");
        assert!(opened["expires_at"].is_i64());
        let options = options_of(&opened);
        assert_eq!(options["rp"]["id"], RP_ID);
        let user_id = text(&session["user"], "id");
        assert_eq!(options["user"]["id"], encode(user_id.as_bytes()));
        let mut key = Authenticator::new();
        key.aaguid = *uuid::uuid!("cb69481e-8ff7-4039-93ec-0a2729a154a8").as_bytes();
        let credential = key.create(options);
        let raised = verify(&app, &low, &factor, &opened, &credential).await.ok();
        assert_eq!(claims_of(&raised)["aal"], "aal2");
        assert_eq!(methods_of(&raised)[0], "mfa/webauthn");
        let shown = &raised["user"]["factors"][0];
        assert_eq!(shown["status"], "verified");
        assert_eq!(shown["factor_type"], "webauthn");
        assert_eq!(
            shown["web_authn_aaguid"],
            Uuid::from_bytes(key.aaguid).to_string()
        );
        assert!(shown.get("web_authn_credential").is_none());
        // Later, with a new session.
        let low = text(&low_session(&app, EMAIL).await, "access_token");
        let opened = challenge(&app, &low, &factor).await.ok();
        assert_eq!(opened["webauthn"]["type"], "request");
        let allowed = &options_of(&opened)["allowCredentials"];
        assert_eq!(allowed[0]["id"], encode(&key.id));
        let credential = key.get(options_of(&opened));
        let raised = verify(&app, &low, &factor, &opened, &credential).await.ok();
        assert_eq!(claims_of(&raised)["aal"], "aal2");
        app.refresh(&text(&raised, "refresh_token")).await.ok();
        // Used once.
        verify(
            &app,
            &text(&raised, "access_token"),
            &factor,
            &opened,
            &credential,
        )
        .await
        .refused(422, "mfa_ip_address_mismatch");
    }
}

/// The credential is stored as GoTrue stores it.
#[tokio::test]
async fn the_credential_has_the_form_of_gotrue() {
    for app in both_profiles().await {
        let session = app.signed_up(EMAIL, PASSWORD).await;
        let mut key = Authenticator::new();
        let raised = security_key(&app, &text(&session, "access_token"), "key", &mut key).await;
        let factor = text(&raised["user"]["factors"][0], "id");
        let token = text(&raised, "access_token");
        answer(&app, &token, &factor, &mut key).await.ok();
        let sql = app.sql().await;
        let query = "select web_authn_credential from mfa_factors";
        let stored: Value = sql.query_one(query, &[]).await.unwrap().get(0);
        assert_eq!(stored["id"], STANDARD.encode(&key.id));
        assert_eq!(stored["authenticator"]["signCount"], key.counter);
        assert_eq!(stored["transport"], json!(["usb"]));
        assert_eq!(stored["flags"]["userVerified"], true);
        assert!(stored["publicKey"].is_string());
    }
}

#[tokio::test]
async fn a_copy_of_a_key_is_refused() {
    for app in both_profiles().await {
        let session = app.signed_up(EMAIL, PASSWORD).await;
        let mut key = Authenticator::new();
        let raised = security_key(&app, &text(&session, "access_token"), "key", &mut key).await;
        let factor = text(&raised["user"]["factors"][0], "id");
        let token = text(&raised, "access_token");
        let before = key.counter;
        answer(&app, &token, &factor, &mut key).await.ok();
        key.counter = before;
        let refused = answer(&app, &token, &factor, &mut key).await;
        let refused = refused.refused(422, "mfa_verification_failed");
        assert!(text(&refused, "msg").contains("counter"), "{refused}");
        answer(&app, &token, &factor, &mut key).await.ok();
    }
}

#[tokio::test]
async fn wrong_answers_are_refused_and_the_right_one_still_counts() {
    let app = key_app(|_| {}).await;
    let session = app.signed_up(EMAIL, PASSWORD).await;
    let mut key = Authenticator::new();
    let raised = security_key(&app, &text(&session, "access_token"), "key", &mut key).await;
    let factor = text(&raised["user"]["factors"][0], "id");
    let token = text(&raised, "access_token");
    let failed = "mfa_verification_failed";
    // Another origin, another domain, another key, another challenge.
    key.origin = "https://evil.example".to_owned();
    answer(&app, &token, &factor, &mut key)
        .await
        .refused(422, failed);
    key = with(key, |it| {
        it.origin = crate::support::authenticator::ORIGIN.to_owned();
    });
    key.rp_id = "evil.example".to_owned();
    answer(&app, &token, &factor, &mut key)
        .await
        .refused(422, failed);
    key.rp_id = RP_ID.to_owned();
    let mut other = Authenticator::new();
    answer(&app, &token, &factor, &mut other)
        .await
        .refused(422, failed);
    let first = challenge(&app, &token, &factor).await.ok();
    let second = challenge(&app, &token, &factor).await.ok();
    let credential = key.get(options_of(&first));
    verify(&app, &token, &factor, &second, &credential)
        .await
        .refused(422, failed);
    verify(&app, &token, &factor, &first, &credential)
        .await
        .ok();
}

fn with(mut key: Authenticator, change: impl FnOnce(&mut Authenticator)) -> Authenticator {
    change(&mut key);
    key
}

#[tokio::test]
async fn odd_bodies_are_refused() {
    for app in both_profiles().await {
        let session = app.signed_up(EMAIL, PASSWORD).await;
        let token = text(&session, "access_token");
        let factor = text(&enrol(&app, &token, "").await.ok(), "id");
        let opened = challenge(&app, &token, &factor).await.ok();
        let target = format!("/factors/{factor}/verify");
        let created = Authenticator::new().create(options_of(&opened));
        let as_request = Authenticator::new().get(options_of(&opened));
        for (webauthn, status, code) in [
            (json!(null), 400, "validation_failed"),
            (json!({}), 400, "validation_failed"),
            (json!({ "type": "create" }), 400, "validation_failed"),
            (
                json!({ "type": "update", "credential_response": created }),
                400,
                "validation_failed",
            ),
            (
                json!({ "type": "create", "credential_response": {} }),
                400,
                "validation_failed",
            ),
            (
                json!({ "type": "request", "credential_response": as_request }),
                422,
                "mfa_verification_failed",
            ),
            (json!("create"), 400, "bad_json"),
        ] {
            let body =
                json!({ "challenge_id": opened["id"], "code": "123456", "webauthn": webauthn });
            app.post_as(&token, &target, body)
                .await
                .refused(status, code);
        }
        verify(&app, &token, &factor, &opened, &created).await.ok();
    }
}

#[tokio::test]
async fn keys_of_other_users_are_not_found_or_not_accepted() {
    for app in both_profiles().await {
        let ada = app.signed_up(EMAIL, PASSWORD).await;
        let mut of_ada = Authenticator::new();
        let ada = security_key(&app, &text(&ada, "access_token"), "key", &mut of_ada).await;
        let eve = app.signed_up("eve@example.com", PASSWORD).await;
        let mut of_eve = Authenticator::new();
        let eve = security_key(&app, &text(&eve, "access_token"), "key", &mut of_eve).await;
        let (ada_factor, eve_factor) = (
            text(&ada["user"]["factors"][0], "id"),
            text(&eve["user"]["factors"][0], "id"),
        );
        let token = text(&eve, "access_token");
        challenge(&app, &token, &ada_factor)
            .await
            .refused(404, "mfa_factor_not_found");
        // Ada's key does not answer for Eve's factor.
        answer(&app, &token, &eve_factor, &mut of_ada)
            .await
            .refused(422, "mfa_verification_failed");
        // Nor does a credential that names another user.
        of_eve.user_handle.clone_from(&of_ada.user_handle);
        answer(&app, &token, &eve_factor, &mut of_eve)
            .await
            .refused(422, "mfa_verification_failed");
    }
}

#[tokio::test]
async fn a_key_is_one_factor_and_factors_have_a_maximum() {
    let app = key_app(|config| config.mfa.max_enrolled = 2).await;
    let session = app.signed_up(EMAIL, PASSWORD).await;
    let mut key = Authenticator::new();
    let raised = security_key(&app, &text(&session, "access_token"), "first", &mut key).await;
    let token = text(&raised, "access_token");
    let second = text(&enrol(&app, &token, "second").await.ok(), "id");
    let opened = challenge(&app, &token, &second).await.ok();
    let excluded = &options_of(&opened)["excludeCredentials"];
    assert_eq!(excluded[0]["id"], encode(&key.id));
    answer(&app, &token, &second, &mut key)
        .await
        .refused(422, "mfa_verification_failed");
    enrol(&app, &token, "third")
        .await
        .refused(422, "too_many_enrolled_mfa_factors");
}

#[tokio::test]
async fn challenges_expire_and_keys_are_removed() {
    for app in both_profiles().await {
        let session = app.signed_up(EMAIL, PASSWORD).await;
        let mut key = Authenticator::new();
        let raised = security_key(&app, &text(&session, "access_token"), "key", &mut key).await;
        let token = text(&raised, "access_token");
        let factor = text(&raised["user"]["factors"][0], "id");
        let opened = challenge(&app, &token, &factor).await.ok();
        let credential = key.get(options_of(&opened));
        app.advance(301);
        verify(&app, &token, &factor, &opened, &credential)
            .await
            .refused(422, "mfa_challenge_expired");
        let low = low_session(&app, EMAIL).await;
        let target = format!("/factors/{factor}");
        app.delete_as(&text(&low, "access_token"), &target, None)
            .await
            .refused(422, "insufficient_aal");
        let gone = app.delete_as(&token, &target, None).await.ok();
        assert_eq!(gone, json!({ "id": factor }));
        let user = app.get_as(&token, "/user").await.ok();
        assert!(user.get("factors").is_none(), "{user}");
    }
}

/// Without a site the switches have a warning at the start, and only enrolment works, as in GoTrue.
#[tokio::test]
async fn without_a_site_no_key_is_challenged() {
    for app in [
        key_app(|config| config.webauthn.relying_party = None).await,
        gotrue_key_app(|config| config.webauthn.relying_party = None).await,
    ] {
        let session = app.signed_up(EMAIL, PASSWORD).await;
        let token = text(&session, "access_token");
        let factor = text(&enrol(&app, &token, "").await.ok(), "id");
        challenge(&app, &token, &factor)
            .await
            .refused(422, "mfa_webauthn_verify_not_enabled");
    }
    let app = key_app(|config| config.mfa.webauthn.verify = false).await;
    let session = app.signed_up(EMAIL, PASSWORD).await;
    let token = text(&session, "access_token");
    let factor = text(&enrol(&app, &token, "").await.ok(), "id");
    challenge(&app, &token, &factor)
        .await
        .refused(422, "mfa_webauthn_verify_not_enabled");
}

/// GoTrue keeps the last answer of a security key beside its factor.
#[tokio::test]
async fn the_last_answer_is_stored_as_gotrue_stores_it() {
    for app in both_profiles().await {
        let session = app.signed_up(EMAIL, PASSWORD).await;
        let token = text(&session, "access_token");
        let enrolled = enrol(&app, &token, "key").await.ok();
        let factor = text(&enrolled, "id");
        let sql = app.sql().await;
        let mut key = Authenticator::new();
        let mut token = token;
        for kind in ["create", "request"] {
            let opened = challenge(&app, &token, &factor).await.ok();
            let created_at = app.clock.now().to_string();
            let options = options_of(&opened);
            let credential = match kind {
                "create" => key.create(options),
                _ => key.get(options),
            };
            app.advance(5);
            let raised = verify(&app, &token, &factor, &opened, &credential).await;
            token = text(&raised.ok(), "access_token");
            let query = "select last_webauthn_challenge_data from mfa_factors";
            let stored: Value = sql.query_one(query, &[]).await.unwrap().get(0);
            assert_eq!(stored["type"], kind);
            assert_eq!(stored["credential_response"], credential);
            let challenged = &stored["challenge"];
            assert_eq!(challenged["challenge_id"], opened["id"]);
            assert_eq!(challenged["factor_id"], factor);
            assert_eq!(text(challenged, "created_at")[..19], created_at[..19]);
            assert!(challenged["ip_address"].is_string(), "{stored}");
        }
        // What no authenticator sends does not fill the database.
        let opened = challenge(&app, &token, &factor).await.ok();
        let mut credential = key.get(options_of(&opened));
        credential["padding"] = json!("x".repeat(64 * 1024));
        let raised = verify(&app, &token, &factor, &opened, &credential).await;
        token = text(&raised.ok(), "access_token");
        let query = "select last_webauthn_challenge_data from mfa_factors";
        let stored: Value = sql.query_one(query, &[]).await.unwrap().get(0);
        assert_eq!(stored["credential_response"], json!(null));
        assert_eq!(stored["challenge"]["challenge_id"], opened["id"]);
        // A wrong answer is not kept.
        let opened = challenge(&app, &token, &factor).await.ok();
        key.origin = "https://evil.example".into();
        let credential = key.get(options_of(&opened));
        verify(&app, &token, &factor, &opened, &credential)
            .await
            .refused(422, "mfa_verification_failed");
        let query =
            "select last_webauthn_challenge_data->'challenge'->>'challenge_id' from mfa_factors";
        let stored: String = sql.query_one(query, &[]).await.unwrap().get(0);
        assert_ne!(stored, text(&opened, "id"));
    }
}

#[tokio::test]
async fn a_key_without_a_counter_is_accepted_again_and_again() {
    for app in both_profiles().await {
        let session = app.signed_up(EMAIL, PASSWORD).await;
        let mut key = Authenticator::new();
        key.counts = false;
        let raised = security_key(&app, &text(&session, "access_token"), "key", &mut key).await;
        let factor = text(&raised["user"]["factors"][0], "id");
        let token = text(&raised, "access_token");
        for _ in 0..2 {
            answer(&app, &token, &factor, &mut key).await.ok();
        }
    }
}

#[tokio::test]
async fn a_challenge_is_for_the_key_of_its_factor() {
    for app in both_profiles().await {
        let session = app.signed_up(EMAIL, PASSWORD).await;
        let (mut first, mut second) = (Authenticator::new(), Authenticator::new());
        let token = text(&session, "access_token");
        let token = text(
            &security_key(&app, &token, "first", &mut first).await,
            "access_token",
        );
        let raised = security_key(&app, &token, "second", &mut second).await;
        let factor = text(&raised["user"]["factors"][1], "id");
        let token = text(&raised, "access_token");
        let opened = challenge(&app, &token, &factor).await.ok();
        let allowed = options_of(&opened)["allowCredentials"].as_array().unwrap();
        assert_eq!(allowed.len(), 1);
        assert_eq!(allowed[0]["id"], encode(&second.id));
        answer(&app, &token, &factor, &mut first)
            .await
            .refused(422, "mfa_verification_failed");
    }
}
