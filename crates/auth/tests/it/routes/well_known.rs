//! `/.well-known/…`.

use innkeeper_auth::config::JwtAlgorithm;
use serde_json::json;

use crate::support::TestApp;
use crate::support::profile::gotrue;
use crate::support::tokens::{parts_of, text};

#[tokio::test]
async fn the_public_key_of_the_tokens_is_shown_and_nothing_private() {
    let app = TestApp::autoconfirm().await;
    let answer = app.get("/.well-known/jwks.json").await;
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.header("cache-control"), Some("public, max-age=600"));
    let body = answer.ok();
    let key = &body["keys"][0];
    assert_eq!(body["keys"].as_array().unwrap().len(), 1);
    let mut members: Vec<&String> = key.as_object().unwrap().keys().collect();
    members.sort();
    assert_eq!(
        members,
        ["alg", "crv", "key_ops", "kid", "kty", "use", "x", "y"]
    );
    assert_eq!(key["alg"], "ES256");
    assert_eq!(key["use"], "sig");
    assert_eq!(key["key_ops"], json!(["verify"]));
    let session = app.signed_up("ada@example.com", "correct horse").await;
    let (header, _) = parts_of(&text(&session, "access_token"));
    assert_eq!(header["kid"], key["kid"]);
}

#[tokio::test]
async fn a_shared_secret_is_never_shown() {
    let app = TestApp::with(|config| config.jwt.algorithm = JwtAlgorithm::Hs256).await;
    let body = app.get("/.well-known/jwks.json").await.ok();
    assert_eq!(body, json!({ "keys": [] }));
}

#[tokio::test]
async fn the_discovery_document_names_issuer_keys_and_algorithm() {
    let app = TestApp::with(|config| {
        config.jwt.issuer = Some("https://issuer.example.com".to_owned());
    })
    .await;
    let answer = app.get("/.well-known/openid-configuration").await;
    assert_eq!(answer.header("cache-control"), Some("public, max-age=600"));
    let body = answer.ok();
    assert_eq!(body["issuer"], "https://issuer.example.com");
    assert_eq!(
        body["id_token_signing_alg_values_supported"],
        json!(["ES256"])
    );
    // Everything that it names exists.
    let mut urls = 0;
    for (name, value) in body.as_object().unwrap() {
        assert!(!name.ends_with("_endpoint"), "{name}");
        let Some(url) = value.as_str().filter(|_| name.ends_with("_uri")) else {
            continue;
        };
        let path = url.strip_prefix("http://localhost:8081").unwrap();
        app.get(path).await.ok();
        urls += 1;
    }
    assert_eq!(urls, 1);
    for name in ["response_types_supported", "grant_types_supported"] {
        assert!(body.get(name).is_none(), "{name}");
    }
}

#[tokio::test]
async fn the_discovery_document_of_the_gotrue_profile_is_that_of_gotrue() {
    let app = TestApp::with(gotrue).await;
    let body = app.get("/.well-known/openid-configuration").await.ok();
    assert_eq!(body["response_types_supported"], json!(["code"]));
    assert_eq!(
        body["code_challenge_methods_supported"],
        json!(["S256", "plain"])
    );
    assert_eq!(body["token_endpoint"], "http://localhost:8081/oauth/token");
}
