//! Adding a passkey.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::json;

use super::{
    EMAIL, PASSWORD, add_passkey, both_profiles, gotrue_app, register, registration_options,
    std_app,
};
use crate::support::authenticator::{Authenticator, RP_ID, encode};
use crate::support::tokens::text;

#[tokio::test]
async fn the_options_are_those_of_gotrue() {
    for app in both_profiles().await {
        let session = app.signed_up(EMAIL, PASSWORD).await;
        let token = text(&session, "access_token");
        // The body may be empty.
        let headers = [("authorization", format!("Bearer {token}"))];
        let headers = headers
            .each_ref()
            .map(|(name, value)| (*name, value.as_str()));
        let target = "/passkeys/registration/options";
        let answer = app.send(http::Method::POST, target, &headers, None).await;
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        let started = answer.ok();
        let options = &started["options"];
        assert_eq!(options["rp"], json!({ "id": RP_ID, "name": "Test" }));
        // The user handle is the text of the id.
        let id = text(&session["user"], "id");
        assert_eq!(options["user"]["id"], encode(id.as_bytes()));
        assert_eq!(options["user"]["name"], EMAIL);
        assert_eq!(options["user"]["displayName"], EMAIL);
        let selection = &options["authenticatorSelection"];
        assert_eq!(selection["residentKey"], "required");
        assert_eq!(selection["userVerification"], "preferred");
        assert_eq!(options["attestation"], "none");
        // Only what is accepted: ES256, ES384 and RS256.
        let algorithms = [-7, -35, -257].map(|alg| json!({ "type": "public-key", "alg": alg }));
        assert_eq!(options["pubKeyCredParams"], json!(algorithms));
        assert!(options.get("excludeCredentials").is_none(), "{options}");
        let challenge = URL_SAFE_NO_PAD.decode(text(options, "challenge")).unwrap();
        assert_eq!(challenge.len(), 32);
        let end = app.clock.now().as_second() + 300;
        assert_eq!(started["expires_at"], end);
    }
}

#[tokio::test]
async fn a_passkey_is_added_and_named_after_its_model() {
    for app in both_profiles().await {
        let session = app.signed_up(EMAIL, PASSWORD).await;
        let token = text(&session, "access_token");
        let mut phone = Authenticator::new();
        phone.aaguid = *uuid::uuid!("fbfc3007-154e-4ecc-8c0b-6e020557d7bd").as_bytes();
        let added = add_passkey(&app, &token, &mut phone).await.ok();
        assert_eq!(added["friendly_name"], "Apple Passwords");
        assert!(added["created_at"].is_string() && added["id"].is_string());
        let mut key = Authenticator::new();
        let second = add_passkey(&app, &token, &mut key).await.ok();
        assert_eq!(second["friendly_name"], "Passkey");
        // Stored as GoTrue stores it.
        let sql = app.sql().await;
        let row = sql
            .query_one(
                "select credential_id, aaguid, sign_count, transports, attestation_type, backup_eligible
                   from webauthn_credentials
                  where friendly_name = 'Apple Passwords'",
                &[],
            )
            .await
            .unwrap();
        assert_eq!(row.get::<_, Vec<u8>>(0), phone.id);
        assert_eq!(row.get::<_, uuid::Uuid>(1).as_bytes(), &phone.aaguid);
        assert_eq!(row.get::<_, i64>(2), 1);
        assert_eq!(row.get::<_, serde_json::Value>(3), json!(["usb"]));
        assert_eq!(row.get::<_, String>(4), "none");
        assert!(!row.get::<_, bool>(5));
    }
}

#[tokio::test]
async fn known_authenticators_are_excluded_and_refused() {
    for app in both_profiles().await {
        let session = app.signed_up(EMAIL, PASSWORD).await;
        let token = text(&session, "access_token");
        let mut key = Authenticator::new();
        add_passkey(&app, &token, &mut key).await.ok();
        let started = registration_options(&app, &token).await.ok();
        let excluded = &started["options"]["excludeCredentials"];
        assert_eq!(excluded[0]["id"], encode(&key.id));
        assert_eq!(excluded[0]["type"], "public-key");
        // A client that ignores it, and another user with the same credential.
        let credential = key.create(&started["options"]);
        register(&app, &token, &started, &credential)
            .await
            .refused(422, "webauthn_credential_exists");
        let eve = app.signed_up("eve@example.com", PASSWORD).await;
        let refused = add_passkey(&app, &text(&eve, "access_token"), &mut key).await;
        refused.refused(422, "webauthn_credential_exists");
    }
}

#[tokio::test]
async fn the_name_of_the_user_is_shown_by_the_browser() {
    let app = std_app(|_| {}).await;
    let body = json!({ "email": EMAIL, "password": PASSWORD, "data": { "name": "Ada Lovelace" } });
    let session = app.post("/signup", body).await.ok();
    let token = text(&session, "access_token");
    let started = registration_options(&app, &token).await.ok();
    assert_eq!(started["options"]["user"]["displayName"], "Ada Lovelace");
    assert_eq!(started["options"]["user"]["name"], EMAIL);
}

#[tokio::test]
async fn only_permanent_users_with_a_session_add_passkeys() {
    for app in [
        std_app(|config| config.external.anonymous_users_enabled = true).await,
        gotrue_app(|config| config.external.anonymous_users_enabled = true).await,
    ] {
        app.post("/passkeys/registration/options", json!({}))
            .await
            .refused(401, "no_authorization");
        let guest = app.post("/signup", json!({})).await.ok();
        let guest = text(&guest, "access_token");
        registration_options(&app, &guest)
            .await
            .refused(403, "no_authorization");
        let body = json!({});
        app.post_as(&guest, "/passkeys/registration/verify", body)
            .await
            .refused(403, "no_authorization");
        // Accounts of single sign-on.
        let session = app.signed_up(EMAIL, PASSWORD).await;
        let sql = app.sql().await;
        sql.execute(
            "update users set is_sso_user = true where email = $1",
            &[&EMAIL],
        )
        .await
        .unwrap();
        registration_options(&app, &text(&session, "access_token"))
            .await
            .refused(422, "validation_failed");
    }
}

#[tokio::test]
async fn a_wrong_origin_domain_or_touch_is_refused() {
    for app in both_profiles().await {
        let session = app.signed_up(EMAIL, PASSWORD).await;
        let token = text(&session, "access_token");
        let lying = |change: fn(&mut Authenticator)| {
            let mut authenticator = Authenticator::new();
            change(&mut authenticator);
            authenticator
        };
        for (mut authenticator, reason) in [
            (
                lying(|it| it.origin = "http://localhost:5174".into()),
                "WEBAUTHN_RP_ORIGINS",
            ),
            (
                lying(|it| it.origin = "https://evil.example".into()),
                "WEBAUTHN_RP_ORIGINS",
            ),
            (
                lying(|it| it.origin = "http://localhost.evil.example:5173".into()),
                "WEBAUTHN_RP_ORIGINS",
            ),
            (
                lying(|it| it.rp_id = "evil.example".into()),
                "WEBAUTHN_RP_ID",
            ),
            (lying(|it| it.cross_origin = true), "frame"),
            (Authenticator::new().untouched(), "touched"),
        ] {
            let refused = add_passkey(&app, &token, &mut authenticator).await;
            let refused = refused.refused(400, "webauthn_verification_failed");
            let message = text(&refused, "msg");
            assert!(message.contains(reason), "{message}");
        }
        let list = app.get_as(&token, "/passkeys").await.ok();
        assert_eq!(list, json!([]));
    }
}

#[tokio::test]
async fn damaged_and_oversized_attestations_are_refused() {
    let app = std_app(|_| {}).await;
    let session = app.signed_up(EMAIL, PASSWORD).await;
    let token = text(&session, "access_token");
    let object = "/response/attestationObject";
    for cut in [0, 1, 10, 40, 100, 150, 193] {
        let started = registration_options(&app, &token).await.ok();
        let mut credential = Authenticator::new().create(&started["options"]);
        let whole = URL_SAFE_NO_PAD
            .decode(credential.pointer(object).unwrap().as_str().unwrap())
            .unwrap();
        *credential.pointer_mut(object).unwrap() = json!(encode(&whole[..cut]));
        register(&app, &token, &started, &credential)
            .await
            .refused(400, "webauthn_verification_failed");
    }
    // Nesting without an end, lengths without content, and plain size.
    let nested = vec![0x81; 10_000];
    let lengths = [0x5b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
    let large = vec![0; 20_000];
    for bytes in [nested.as_slice(), &lengths, &large, &[0xff; 300]] {
        let started = registration_options(&app, &token).await.ok();
        let mut credential = Authenticator::new().create(&started["options"]);
        *credential.pointer_mut(object).unwrap() = json!(encode(bytes));
        register(&app, &token, &started, &credential)
            .await
            .refused(400, "webauthn_verification_failed");
    }
    let started = registration_options(&app, &token).await.ok();
    let mut credential = Authenticator::new().create(&started["options"]);
    *credential.pointer_mut(object).unwrap() = json!("A".repeat(2_000_000));
    register(&app, &token, &started, &credential)
        .await
        .refused(413, "request_entity_too_large");
    // The id beside the attestation is that of the attestation.
    let started = registration_options(&app, &token).await.ok();
    let mut credential = Authenticator::new().create(&started["options"]);
    credential["rawId"] = json!(encode(b"another"));
    register(&app, &token, &started, &credential)
        .await
        .refused(400, "webauthn_verification_failed");
}

/// Somebody who knows the password adds a passkey while the owner adds a second factor.
#[tokio::test]
async fn a_passkey_that_is_added_while_another_session_verifies_a_factor_is_refused() {
    for app in both_profiles().await {
        let session = app.signed_up(EMAIL, PASSWORD).await;
        let token = text(&session, "access_token");
        let body = json!({ "factor_type": "totp", "friendly_name": "app" });
        app.post_as(&token, "/factors", body).await.ok();
        let started = registration_options(&app, &token).await.ok();
        let credential = Authenticator::new().create(&started["options"]);
        let statements =
            "select 1 from users for no key update; update mfa_factors set status = 'verified'";
        let held = app.hold(statements).await;
        let (refused, ()) = tokio::join!(
            register(&app, &token, &started, &credential),
            held.release_to(1)
        );
        refused.refused(403, "insufficient_aal");
        let sql = app.sql().await;
        let stored = sql.query("select from webauthn_credentials", &[]).await;
        assert!(stored.unwrap().is_empty());
    }
}
