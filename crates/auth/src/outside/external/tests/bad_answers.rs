//! Answers that a provider should not give.

use jiff::SignedDuration;
use serde_json::{Value, json};

use super::double::DoubleReply;
use super::{Stage, authorize, callback};
use crate::outside::external::CallbackParameters;

const TOKEN: &str = "POST github.com/login/oauth/access_token";
const USER: &str = "GET api.github.com/user";
const EMAILS: &str = "GET api.github.com/user/emails";

async fn github() -> Stage {
    let stage = Stage::new("github").await;
    stage
        .double
        .json(TOKEN, json!({ "access_token": "access-1" }));
    stage.double.json(USER, json!({ "id": 1, "login": "ada" }));
    stage.double.json(EMAILS, json!([]));
    stage
}

fn html(status: u16) -> DoubleReply {
    DoubleReply::Raw(status, "text/html", "<h1>SECRET-PAGE</h1>".to_owned())
}

fn large() -> DoubleReply {
    DoubleReply::Raw(
        200,
        "application/json",
        format!("{{\"a\":\"{}\"}}", "x".repeat(10 << 20)),
    )
}

#[tokio::test]
async fn broken_answers_of_the_token_endpoint_end_the_sign_in() {
    let stage = github().await;
    for reply in [
        html(200),
        html(500),
        large(),
        DoubleReply::Endless,
        DoubleReply::Json(json!({})),
        DoubleReply::Json(json!([])),
        DoubleReply::Json(json!({ "access_token": 5 })),
        DoubleReply::Raw(302, "text/plain", String::new()),
        DoubleReply::Json(json!({ "error": "invalid_client", "error_description": "SECRET-PAGE" })),
    ] {
        let shown = format!("{reply:.60?}");
        stage.double.on(TOKEN, reply);
        let error = stage.sign_in("github").await.unwrap_err();
        assert_eq!(error.code(), "unexpected_failure", "{shown}");
        assert_eq!(
            error.to_string(),
            "Unable to exchange external code",
            "{shown}"
        );
    }
}

#[tokio::test]
async fn what_the_provider_says_about_the_code_is_passed_on() {
    let stage = github().await;
    // GitHub answers 200 even then, others 400.
    for status in [200, 400] {
        let body = json!({ "error": "bad_verification_code", "error_description": "expired\r\nset-cookie: a" });
        stage.double.on(
            TOKEN,
            DoubleReply::Raw(status, "application/json", body.to_string()),
        );
        let error = stage.sign_in("github").await.unwrap_err();
        assert_eq!(error.code(), "bad_oauth_callback");
        assert_eq!(
            error.to_string(),
            "Unable to exchange external code: bad_verification_code: expiredset-cookie: a"
        );
    }
}

#[tokio::test]
async fn broken_descriptions_of_the_user_end_the_sign_in() {
    for target in [USER, EMAILS] {
        let stage = github().await;
        for reply in [
            html(200),
            html(500),
            html(401),
            large(),
            DoubleReply::Endless,
        ] {
            let shown = format!("{target} {reply:.60?}");
            stage.double.on(target, reply);
            let error = stage.sign_in("github").await.unwrap_err();
            assert_eq!(error.code(), "unexpected_failure", "{shown}");
            assert_eq!(
                error.to_string(),
                "Error getting user profile from external provider",
                "{shown}"
            );
        }
    }
    let stage = github().await;
    for user in [
        json!({}),
        json!([]),
        json!(null),
        json!({ "id": { "a": 1 } }),
        json!({ "id": "" }),
    ] {
        stage.double.json(USER, user.clone());
        stage.sign_in("github").await.expect_err(&user.to_string());
    }
}

#[tokio::test]
async fn a_user_may_lack_everything_but_an_id() {
    let stage = github().await;
    for emails in [
        json!([]),
        json!({ "message": "no" }),
        json!([{ "email": null }, { "email": "" }, { "email": 5 }, 7]),
    ] {
        stage.double.json(EMAILS, emails);
        stage.double.json(
            USER,
            json!({ "id": 1, "login": null, "name": { "first": "Ada" } }),
        );
        let (user, _) = stage.sign_in("github").await.unwrap();
        assert!(user.emails.is_empty());
        let expected = json!({
            "iss": "https://api.github.com", "sub": "1", "provider_id": "1",
            "email_verified": false, "phone_verified": false,
        });
        assert_eq!(Value::Object(user.data), expected);
    }
}

#[tokio::test]
async fn only_the_providers_own_word_verifies_an_address() {
    let stage = github().await;
    stage.double.json(
        EMAILS,
        json!([
            { "email": "a@example.com", "primary": false, "verified": true },
            { "email": "b@example.com", "primary": true, "verified": "yes" },
        ]),
    );
    let (user, _) = stage.sign_in("github").await.unwrap();
    let verified: Vec<bool> = user.emails.iter().map(|email| email.verified).collect();
    assert_eq!(verified, [true, false]);
    assert_eq!(user.data["email"], "b@example.com");
    assert_eq!(user.data["email_verified"], false);
}

#[tokio::test]
async fn a_silent_provider_is_given_up() {
    let stage = Stage::with("github", |config| {
        config.internal_http_timeout = SignedDuration::from_millis(200);
    })
    .await;
    stage.double.on(TOKEN, DoubleReply::Silence);
    let error = stage.sign_in("github").await.unwrap_err();
    assert_eq!(error.to_string(), "Unable to exchange external code");
}

#[tokio::test]
async fn a_callback_without_its_parts_asks_nobody() {
    let stage = github().await;
    let provider = stage.provider("github").await;
    let secrets = authorize(&provider, &[]).await.secrets;
    let empty = CallbackParameters {
        code: Some(String::new()),
        ..CallbackParameters::default()
    };
    for callback in [CallbackParameters::default(), empty] {
        let error = provider.exchange(&callback, &secrets).await.unwrap_err();
        assert_eq!(error.code(), "bad_oauth_callback");
    }
    let error = provider
        .exchange(&callback(), &super::super::FlowSecrets::default())
        .await;
    assert_eq!(error.unwrap_err().code(), "bad_oauth_callback");
    assert!(stage.double.take().is_empty());
}

#[tokio::test]
async fn private_addresses_are_called_only_if_the_operator_names_them() {
    let stage = github().await;
    let port = stage.double.address.port();
    let named = Stage::with("gitlab", |config| {
        config.external.hosts_replaced_by = None;
        let gitlab = config.external.providers.get_mut("gitlab").unwrap();
        gitlab.url = Some(format!("http://127.0.0.1:{port}/git/"));
        // The other host is not the one of this URL.
        gitlab.api_url = Some(format!("http://localhost:{port}/api"));
    })
    .await;
    stage.double.json(
        "POST git/oauth/token",
        json!({ "access_token": "access-1" }),
    );
    stage.double.json("GET api/api/v4/user", json!({ "id": 1 }));
    stage.double.json("GET api/api/v4/user/emails", json!([]));
    let (user, _) = named.sign_in("gitlab").await.unwrap();
    assert_eq!(user.subject, "1");

    // A discovery document may not lead to other private addresses.
    let issuer = format!("http://127.0.0.1:{port}/realm");
    let keycloak = Stage::with("keycloak", |config| {
        config.external.hosts_replaced_by = None;
        let keycloak = config.external.providers.get_mut("keycloak").unwrap();
        keycloak.url = Some(issuer.clone());
    })
    .await;
    for (host, is_called) in [("127.0.0.1", true), ("127.0.0.2", false), ("[::1]", false)] {
        let keys = format!("http://{host}:{port}/keys");
        let document = json!({ "issuer": issuer, "jwks_uri": keys });
        stage
            .double
            .json("GET realm/.well-known/openid-configuration", document);
        let key = keycloak.key.verifying().public_jwk();
        stage.double.json("GET keys", json!({ "keys": [key] }));
        let token = keycloak.id_token(&issuer, &json!({}));
        let token = crate::outside::external::IdToken {
            id_token: &token,
            access_token: None,
            nonce: None,
            issuer: None,
        };
        let provider = keycloak.provider("keycloak").await;
        let outcome = provider.verify_id_token(&token).await;
        assert_eq!(outcome.is_ok(), is_called, "{host}");
        keycloak.clock.advance(SignedDuration::from_hours(2));
    }
}
