//! `/.well-known/…`.

use innkeeper_auth::config::JwtAlgorithm;
use serde_json::json;

use crate::support::TestApp;
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
    let app = TestApp::start().await;
    let answer = app.get("/.well-known/openid-configuration").await;
    assert_eq!(answer.header("cache-control"), Some("public, max-age=600"));
    let body = answer.ok();
    assert_eq!(body["issuer"], "http://localhost:8081");
    assert_eq!(
        body["jwks_uri"],
        "http://localhost:8081/.well-known/jwks.json"
    );
    assert_eq!(
        body["id_token_signing_alg_values_supported"],
        json!(["ES256"])
    );
    assert_eq!(body["response_types_supported"], json!(["code"]));
    assert_eq!(
        body["code_challenge_methods_supported"],
        json!(["S256", "plain"])
    );
}
