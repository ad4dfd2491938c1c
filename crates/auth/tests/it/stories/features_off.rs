//! Features that this server does not have answer as GoTrue answers while they are off.

use http::Method;
use innkeeper_auth::config::Profile;
use serde_json::json;
use uuid::Uuid;

use crate::support::TestApp;
use crate::support::tokens::text;

async fn server(profile: Profile) -> TestApp {
    TestApp::with(|config| {
        config.profile = profile;
        config.mailer.autoconfirm = true;
        config.external.anonymous_users_enabled = true;
    })
    .await
}

const PROFILES: [Profile; 2] = [Profile::Std, Profile::Gotrue];

#[tokio::test]
async fn features_for_everybody_say_that_they_are_off() {
    let saml = ("saml_provider_disabled", "SAML 2.0 is disabled");
    let passkeys = ("passkey_disabled", "Passkeys are disabled");
    let oauth = ("feature_disabled", "OAuth server is disabled");
    let scim = ("feature_disabled", "SCIM server is disabled");
    let cases = [
        (Method::POST, "/sso", saml),
        (Method::GET, "/sso/saml/metadata", saml),
        (Method::POST, "/passkeys/authentication/options", passkeys),
        (Method::GET, "/passkeys", passkeys),
        (Method::GET, "/oauth/authorize", oauth),
        (Method::POST, "/oauth/token", oauth),
        (
            Method::GET,
            "/.well-known/oauth-authorization-server",
            oauth,
        ),
        (Method::GET, "/scim/v2/Schemas", scim),
    ];
    for profile in PROFILES {
        let app = server(profile).await;
        for (method, target, (code, message)) in &cases {
            let answer = app.send(method.clone(), target, &[], None).await;
            let body = answer.refused(404, code);
            assert_eq!(body["msg"], *message, "{method} {target}");
        }
        let body = json!({ "chain": "solana", "message": "…", "signature": "…" });
        let body = app.post("/token?grant_type=web3", body).await;
        let body = body.refused(422, "web3_provider_disabled");
        assert_eq!(body["msg"], "Web3 provider is disabled");
    }
}

#[tokio::test]
async fn grants_and_factors_are_refused_after_the_token_was_checked() {
    for profile in PROFILES {
        let app = TestApp::with(|config| {
            config.profile = profile;
            config.mailer.autoconfirm = true;
            config.external.anonymous_users_enabled = true;
            config.mfa.totp.enroll = false;
        })
        .await;
        let totp = json!({ "factor_type": "totp" });
        app.post("/factors", totp.clone())
            .await
            .refused(401, "no_authorization");
        let session = app.signed_up("ada@example.com", "correct horse").await;
        let token = text(&session, "access_token");
        for (kind, code) in [
            ("totp", "mfa_totp_enroll_not_enabled"),
            ("phone", "mfa_phone_enroll_not_enabled"),
            ("webauthn", "mfa_webauthn_enroll_not_enabled"),
        ] {
            let body = json!({ "factor_type": kind });
            app.post_as(&token, "/factors", body)
                .await
                .refused(422, code);
        }
        let unknown = app.post_as(&token, "/factors", json!({})).await;
        let unknown = unknown.refused(400, "validation_failed");
        assert_eq!(
            unknown["msg"],
            "factor_type needs to be totp, phone, or webauthn"
        );
        let bearer = format!("Bearer {token}");
        let headers = [("authorization", bearer.as_str())];
        app.send(Method::POST, "/factors", &headers, None)
            .await
            .refused(400, "bad_json");
        let factor = format!("/factors/{}/challenge", Uuid::new_v4());
        app.post_as(&token, &factor, json!({}))
            .await
            .refused(404, "mfa_factor_not_found");
        app.post_as(&token, "/factors/9/verify", json!({}))
            .await
            .refused(404, "validation_failed");
        app.get_as(&token, "/user/oauth/grants")
            .await
            .refused(404, "feature_disabled");
        app.get("/user/oauth/grants")
            .await
            .refused(401, "no_authorization");
        let guest = app.post("/signup", json!({})).await.ok();
        app.post_as(&text(&guest, "access_token"), "/factors", totp)
            .await
            .refused(403, "no_authorization");
    }
}

#[tokio::test]
async fn admins_find_empty_lists() {
    for profile in PROFILES {
        let app = server(profile).await;
        let session = app.signed_up("ada@example.com", "correct horse").await;
        let user = format!("/admin/users/{}", text(&session["user"], "id"));
        let admin = app.service_key();
        let lists = [
            (format!("{user}/factors"), json!([])),
            (format!("{user}/passkeys"), json!([])),
            ("/admin/sso/providers".to_owned(), json!({ "items": [] })),
        ];
        for (target, expected) in lists {
            let token = text(&session, "access_token");
            app.get_as(&token, &target).await.refused(403, "not_admin");
            app.get(&target).await.refused(401, "no_authorization");
            assert_eq!(app.get_as(&admin, &target).await.ok(), expected);
        }
        let id = Uuid::new_v4();
        let cases = [
            (format!("{user}/factors/{id}"), "mfa_factor_not_found"),
            (format!("{user}/factors/9"), "validation_failed"),
            (format!("{user}/passkeys/{id}"), "validation_failed"),
            (
                format!("/admin/sso/providers/{id}"),
                "sso_provider_not_found",
            ),
            ("/admin/oauth/clients".to_owned(), "feature_disabled"),
        ];
        for (target, code) in cases {
            app.delete_as(&admin, &target, None)
                .await
                .refused(404, code);
        }
        app.get_as(&admin, &format!("/admin/users/{id}/factors"))
            .await
            .refused(404, "user_not_found");
        app.post_as(&admin, "/admin/sso/providers", json!({ "type": "saml" }))
            .await
            .refused(404, "saml_provider_disabled");
    }
}
