//! Sign-in with id tokens that clients got from providers by themselves.

use aws_lc_rs::digest::{SHA256, digest};
use innkeeper_auth::config::Config;
use serde_json::{Value, json};

use crate::support::mail_flows::{claims_of, methods_of};
use crate::support::provider_cases::ProviderCase;
use crate::support::provider_double::{DoubleReply, ProviderDouble};
use crate::support::tokens::{assemble, hmac_signed};
use crate::support::{Answer, TestApp, hex};

const CALLBACK: &str = "http://localhost:8081/callback";
const NONCE: &str = "a nonce of the app";

async fn start(name: &'static str, change: impl FnOnce(&mut Config)) -> (TestApp, ProviderDouble) {
    let double = ProviderDouble::start(ProviderCase::of(name)).await;
    let app = TestApp::with(|config| {
        double.configure(config, CALLBACK);
        change(config);
    });
    (app.await, double)
}

async fn present(app: &TestApp, body: Value) -> Answer {
    app.post("/token?grant_type=id_token", body).await
}

/// The hash that an app sends to the provider, so that only who knows the nonce can use the token.
fn hash_of(nonce: &str) -> String {
    hex(digest(&SHA256, nonce.as_bytes()).as_ref())
}

#[tokio::test]
async fn an_id_token_signs_in_and_the_next_one_finds_the_account() {
    for name in ["google", "apple", "linkedin_oidc", "azure"] {
        let (app, double) = start(name, |_| {}).await;
        let token = double.id_token(&json!({ "nonce": hash_of(NONCE) }));
        let body = json!({ "provider": name, "id_token": token, "nonce": NONCE });
        let session = present(&app, body).await.ok();
        assert_eq!(session["token_type"], "bearer");
        assert_eq!(
            methods_of(session["access_token"].as_str().unwrap()),
            ["oauth"]
        );
        assert!(session.get("provider_token").is_none(), "{session}");
        let user = &session["user"];
        assert_eq!(user["email"], "ada@example.com", "{name}");
        assert!(user["email_confirmed_at"].is_string(), "{name}");
        assert_eq!(
            user["app_metadata"],
            json!({ "provider": name, "providers": [name] })
        );
        assert_eq!(user["identities"][0]["id"], "subject-1");
        app.refresh(session["refresh_token"].as_str().unwrap())
            .await
            .ok();

        let token = double.id_token(&json!({ "aud": "client-2" }));
        let again = present(&app, json!({ "provider": name, "id_token": token }))
            .await
            .ok();
        assert_eq!(again["user"]["id"], user["id"], "{name}");
        assert_eq!(
            (app.rows("users").await, app.rows("identities").await),
            (1, 1)
        );
    }
}

#[tokio::test]
async fn the_issuer_names_the_provider_for_older_clients() {
    let (app, double) = start("google", |_| {}).await;
    let token = double.id_token(&json!({}));
    let body = json!({
        "client_id": "client-1", "issuer": "https://accounts.google.com", "id_token": token,
    });
    let session = present(&app, body).await.ok();
    assert_eq!(session["user"]["app_metadata"]["provider"], "google");
}

#[tokio::test]
async fn a_verified_address_leads_to_the_account_that_has_it() {
    let (app, double) = start("google", |_| {}).await;
    let before = app.signed_up("ada@example.com", "correct horse").await;
    let token = double.id_token(&json!({}));
    let session = present(&app, json!({ "provider": "google", "id_token": token }))
        .await
        .ok();
    assert_eq!(session["user"]["id"], before["user"]["id"]);
    assert_eq!(app.rows("identities").await, 2);
}

#[tokio::test]
async fn an_id_token_adds_an_identity_to_the_account_of_the_caller() {
    let (app, double) = start("google", |config| {
        config.security.manual_linking_enabled = true;
    })
    .await;
    let session = app.signed_up("bob@example.com", "correct horse").await;
    let bearer = session["access_token"].as_str().unwrap();
    let body = json!({ "provider": "google", "id_token": double.id_token(&json!({})), "link_identity": true });
    present(&app, body.clone())
        .await
        .refused(401, "no_authorization");
    let target = "/token?grant_type=id_token";
    let linked = app.post_as(bearer, target, body).await.ok();
    let token = linked["access_token"].as_str().unwrap();
    assert_eq!(claims_of(token)["sub"], session["user"]["id"]);
    let providers = json!(["email", "google"]);
    assert_eq!(linked["user"]["app_metadata"]["providers"], providers);
}

/// Returns tokens that nobody may sign in with, and what is said about them.
fn bad_tokens(double: &ProviderDouble, foreign: &ProviderDouble) -> Vec<(String, &'static str)> {
    let claims = double.claims(&json!({}));
    let now = claims["iat"].as_i64().unwrap();
    let good = double.id_token(&json!({}));
    let header = json!({ "alg": "HS256", "typ": "JWT" });
    let (message, _) = good.rsplit_once('.').unwrap();
    let changed = |changes: Value| double.id_token(&changes);
    vec![
        (
            changed(json!({ "iss": "https://evil.example" })),
            "Bad ID token: the issuer is not the provider",
        ),
        (
            changed(json!({ "iss": null })),
            "Bad ID token: the issuer is not the provider",
        ),
        (
            changed(json!({ "aud": "another-client" })),
            "Unacceptable audience in id_token",
        ),
        (
            changed(json!({ "exp": now - 3600 })),
            "Bad ID token: it has expired",
        ),
        (
            changed(json!({ "iat": now + 3600 })),
            "Bad ID token: it is not valid yet",
        ),
        (
            changed(json!({ "exp": null })),
            "Bad ID token: it is malformed",
        ),
        (
            changed(json!({ "sub": null })),
            "Bad ID token: it has no subject",
        ),
        (
            assemble(&json!({ "alg": "none" }), &claims, b""),
            "Bad ID token: it is not signed with an asymmetric algorithm",
        ),
        (
            hmac_signed(&header, &claims, b"client-1"),
            "Bad ID token: it is not signed with an asymmetric algorithm",
        ),
        (
            foreign.id_token(&json!({})),
            "Bad ID token: the provider does not have the key that it names",
        ),
        (
            format!("{message}.AAAA"),
            "Bad ID token: the signature is wrong",
        ),
        (message.to_owned(), "Bad ID token: it is malformed"),
        ("x".repeat(50_000), "Bad ID token: it is malformed"),
    ]
}

#[tokio::test]
async fn tokens_of_somebody_else_sign_nobody_in() {
    let (app, double) = start("google", |_| {}).await;
    let foreign = ProviderDouble::start(ProviderCase::of("google")).await;
    let refused = |answer: Answer, error: &str, description: &str| {
        assert_eq!(answer.status, 400, "{}", answer.text);
        let expected = json!({ "error": error, "error_description": description });
        assert_eq!(answer.body, expected);
    };
    for (token, description) in bad_tokens(&double, &foreign) {
        let body = json!({ "provider": "google", "id_token": token });
        refused(present(&app, body).await, "invalid request", description);
    }
    let bound = double.id_token(&json!({ "nonce": hash_of(NONCE) }));
    let free = double.id_token(&json!({}));
    let both = "Passed nonce and nonce in id_token should either both exist or not.";
    for (token, nonce, error, description) in [
        (&bound, json!("another"), "invalid nonce", "Nonces mismatch"),
        (
            &bound,
            json!(hash_of(NONCE)),
            "invalid nonce",
            "Nonces mismatch",
        ),
        (&bound, Value::Null, "invalid request", both),
        (&free, json!(NONCE), "invalid request", both),
    ] {
        let body = json!({ "provider": "google", "id_token": token, "nonce": nonce });
        refused(present(&app, body).await, error, description);
    }
    for table in ["users", "identities", "sessions"] {
        assert_eq!(app.rows(table).await, 0, "{table}");
    }
    let body = json!({ "provider": "google", "id_token": bound, "nonce": NONCE });
    present(&app, body).await.ok();
}

#[tokio::test]
async fn a_token_for_one_provider_is_nothing_to_another() {
    let (app, double) = start("google", |config| {
        let google = config.external.providers["google"].clone();
        config.external.providers.insert("apple", google);
    })
    .await;
    let apple = "https://appleid.apple.com";
    let document = json!({ "issuer": apple, "jwks_uri": "https://keys.example.com/jwks" });
    let target = "GET appleid.apple.com/.well-known/openid-configuration";
    double.on(target, DoubleReply::Json(200, document));
    let present = async |changes: Value| {
        let body = json!({ "provider": "apple", "id_token": double.id_token(&changes) });
        present(&app, body).await
    };
    let answer = present(json!({})).await;
    assert_eq!(answer.status, 400, "{}", answer.text);
    let told = "Bad ID token: the issuer is not the provider";
    assert_eq!(answer.body["error_description"], told);
    assert_eq!(app.rows("users").await, 0);
    present(json!({ "iss": apple })).await.ok();
}
