//! Custom providers of the settings: what they are sent, and which claims they may set.

use innkeeper_service::clock::Clock;
use reqwest::Method;
use serde_json::{Value, json};

use super::{CLIENT_ID, REDIRECT_URI, SECRET, Stage, authorize, query};
use crate::config::{Config, CustomProvider, CustomProviderInput, ProviderOrigin};
use crate::outside::external::Providers;
use crate::outside::external::custom::CustomMapping;
use crate::outside::external::provider::ProviderShared;
use crate::outside::external::tests::double::DoubleReply;

const ISSUER: &str = "https://sso.example.com";

fn provider(changes: &Value) -> CustomProvider {
    let mut description = json!({
        "provider_type": "oidc", "identifier": "custom:inn", "name": "inn", "client_id": CLIENT_ID,
        "client_secret": SECRET, "issuer": ISSUER,
    });
    for (name, value) in changes.as_object().unwrap() {
        description[name] = value.clone();
    }
    let input: CustomProviderInput = serde_json::from_value(description).unwrap();
    input.check(ProviderOrigin::Settings).unwrap()
}

/// Sets up a provider, whose discovery document has these members too.
async fn stage(changes: &Value, document: &Value) -> Stage {
    let custom = provider(changes);
    let stage = Stage::with("google", |config| {
        config.api.external_url = "https://auth.example.com/".parse().unwrap();
        let providers = &mut config.custom_oauth.providers;
        providers.insert(custom.identifier.clone(), custom);
    })
    .await;
    let mut published = json!({
        "issuer": ISSUER,
        "authorization_endpoint": "https://sso.example.com/authorize?theme=dark",
        "token_endpoint": "https://sso.example.com/token",
        "jwks_uri": "https://keys.example.com/jwks",
    });
    for (name, value) in document.as_object().unwrap() {
        published[name] = value.clone();
    }
    let target = "GET sso.example.com/.well-known/openid-configuration";
    stage.double.json(target, published);
    stage.publish_keys(&[&stage.key]);
    stage
}

#[tokio::test]
async fn the_document_says_how_the_client_authenticates_and_whether_pkce_is_possible() {
    let basic = json!({ "token_endpoint_auth_methods_supported": ["client_secret_basic"] });
    let form = json!({ "token_endpoint_auth_methods_supported": ["client_secret_post"] });
    let plain = json!({ "code_challenge_methods_supported": ["plain"] });
    for (document, in_header, pkce) in [
        (json!({}), true, true),
        (basic, true, true),
        (form, false, true),
        (plain, true, false),
    ] {
        let stage = stage(&json!({}), &document).await;
        let inn = stage.provider("custom:inn").await;
        let sent = authorize(&inn, &[]).await;
        let pairs = query(&sent.url);
        assert_eq!(pairs["theme"], "dark");
        assert_eq!(pairs["redirect_uri"], REDIRECT_URI);
        assert_eq!(pairs["scope"], "openid");
        assert_eq!(pairs.contains_key("code_challenge"), pkce, "{document}");
        let claims = json!({ "nonce": sent.secrets.nonce });
        let token = stage.id_token(ISSUER, &claims);
        let answer = json!({ "access_token": "a", "id_token": token });
        stage.double.json("POST sso.example.com/token", answer);
        let exchanged = inn.exchange(&super::callback(), &sent.secrets).await;
        assert_eq!(exchanged.unwrap().0.subject, "subject-1");
        let sent = stage.double.take_one("POST sso.example.com/token");
        assert_eq!(
            sent.headers.contains_key("authorization"),
            in_header,
            "{document}"
        );
        assert_eq!(sent.form.contains_key("client_secret"), !in_header);
        assert_eq!(sent.form.contains_key("code_verifier"), pkce);
    }
}

#[tokio::test]
async fn a_provider_without_a_usable_document_is_not_used() {
    for document in [
        json!({ "issuer": "https://evil.example.com" }),
        json!({ "jwks_uri": "http://keys.example.com/jwks" }),
        json!({ "authorization_endpoint": "javascript:alert(1)" }),
        json!({ "authorization_endpoint": null }),
        json!({ "token_endpoint": null }),
    ] {
        let stage = stage(&json!({}), &document).await;
        let error = stage.providers.find("custom:inn").await.unwrap_err();
        assert_eq!(error.code(), "unexpected_failure", "{document}");
    }
    let stage = stage(&json!({}), &json!({})).await;
    let gone = DoubleReply::Raw(503, "text/plain", "gone".to_owned());
    let target = "GET sso.example.com/.well-known/openid-configuration";
    stage.double.on(target, gone);
    let error = stage.providers.find("custom:inn").await.unwrap_err();
    assert_eq!(error.code(), "unexpected_failure");
    assert!(stage.providers.find("custom:other").await.is_err());
}

#[tokio::test]
async fn the_issuer_is_enough_and_a_disabled_provider_has_none() {
    let found = stage(&json!({}), &json!({})).await;
    let with_slash = format!("{ISSUER}/");
    for issuer in [ISSUER, with_slash.as_str()] {
        let provider = found
            .providers
            .find_for_id_token(None, Some(issuer), Some("another"))
            .await;
        assert_eq!(provider.unwrap().name(), "custom:inn");
    }
    let off = stage(&json!({ "enabled": false }), &json!({})).await;
    let error = off
        .providers
        .find_for_id_token(None, Some(ISSUER), Some(CLIENT_ID))
        .await
        .unwrap_err();
    assert_eq!(error.code(), "validation_failed");
    let error = off.providers.find("custom:inn").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "Unsupported provider: provider is not enabled"
    );
}

fn read(attributes: &Value, allowed: &[&str], claims: &Value) -> Value {
    let mapping = CustomMapping {
        attributes: attributes.as_object().unwrap().clone(),
        allowed: allowed.iter().map(|it| (*it).to_owned()).collect(),
    };
    let profile = mapping.read(ISSUER, claims).unwrap();
    Value::Object(profile.into_user().data)
}

#[test]
fn mapped_claims_replace_those_of_the_provider() {
    let claims = json!({
        "sub": "s", "id": 7, "uid": 8, "name": "A", "email": "a@example.com", "email_verified": true,
        "mail": "b@example.com", "nick": "n", "team": ["x"], "more": "m",
    });
    let data = read(&json!({}), &["team", "absent"], &claims);
    assert_eq!(
        data,
        json!({
            "iss": ISSUER, "sub": "s", "provider_id": "s", "name": "A", "full_name": "A",
            "email": "a@example.com", "email_verified": true, "phone_verified": false,
            "custom_claims": { "team": ["x"] },
        })
    );
    let mapping = json!({
        "sub": "uid", "full_name": "nick", "user_name": "nick", "level": 3, "club": "team", "name": "absent",
    });
    let data = read(&mapping, &[], &claims);
    for (claim, value) in [
        ("sub", json!("8")),
        ("full_name", json!("n")),
        ("user_name", json!("n")),
        ("name", Value::Null),
        ("email_verified", json!(true)),
        ("custom_claims", json!({ "level": 3, "club": ["x"] })),
    ] {
        assert_eq!(data.get(claim).unwrap_or(&Value::Null), &value, "{claim}");
    }
    // What the provider has verified is not this address.
    let data = read(&json!({ "email": "mail" }), &[], &claims);
    assert_eq!(data["email"], "b@example.com");
    assert_eq!(data["email_verified"], false);
    let data = read(&json!({ "email": "email" }), &[], &claims);
    assert_eq!(data["email_verified"], true);
    // A provider of OAuth 2 may call the id so.
    let data = read(&json!({}), &[], &json!({ "id": 7 }));
    assert_eq!(data["sub"], "7");
}

#[test]
fn a_mapped_subject_that_is_missing_is_nobody() {
    let mapping = CustomMapping {
        attributes: json!({ "sub": "uid" }).as_object().unwrap().clone(),
        allowed: Vec::new(),
    };
    let claims = json!({ "sub": "s", "id": 7 });
    assert!(mapping.read(ISSUER, &claims).is_err());
    assert!(mapping.read(ISSUER, &json!([])).is_err());
}

#[tokio::test]
async fn rows_do_not_reach_what_the_settings_name() {
    let mut config = Config::for_tests();
    let custom = provider(&json!({ "issuer": "http://127.0.0.1:1/inn" }));
    let providers = &mut config.custom_oauth.providers;
    providers.insert(custom.identifier.clone(), custom);
    let providers = Providers::new(&config, &Clock::manual(), None).unwrap();
    let url = "http://127.0.0.1:1/inn".parse().unwrap();
    let reaches = |shared: &ProviderShared| shared.http.request(Method::GET, &url).is_ok();
    assert!(reaches(&providers.shared));
    assert!(!reaches(&providers.public));
}
