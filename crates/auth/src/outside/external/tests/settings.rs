//! Which providers can be used, and what clients may pass on to them.

use serde_json::json;

use super::{CLIENT_ID, Stage, authorize, enabled, query};
use crate::config::{Config, ProviderConfig};
use crate::outside::external::{AuthorizationRequest, Providers};

#[tokio::test]
async fn a_provider_that_cannot_be_used_is_refused_with_its_reason() {
    let mut config = Config::for_tests();
    let mut set = |name, provider| config.external.providers.insert(name, provider);
    set(
        "github",
        ProviderConfig {
            client_id: Vec::new(),
            ..enabled()
        },
    );
    set(
        "google",
        ProviderConfig {
            secret: None,
            ..enabled()
        },
    );
    set(
        "gitlab",
        ProviderConfig {
            redirect_uri: None,
            ..enabled()
        },
    );
    set("keycloak", enabled());
    set("discord", enabled());
    let providers =
        Providers::new(&config, &innkeeper_service::clock::Clock::manual(), None).unwrap();
    for (name, message) in [
        ("figma", "Unsupported provider: provider is not enabled"),
        ("github", "Unsupported provider: missing OAuth client ID"),
        ("google", "Unsupported provider: missing OAuth secret"),
        ("gitlab", "Unsupported provider: missing redirect URI"),
        ("keycloak", "Unsupported provider: missing URL"),
        (
            "nobody",
            "Unsupported provider: Provider nobody could not be found",
        ),
        ("", "Unsupported provider: Provider  could not be found"),
    ] {
        let error = providers.find(name).await.unwrap_err();
        assert_eq!(
            (error.code(), error.to_string().as_str()),
            ("validation_failed", message)
        );
    }
    assert_eq!(providers.find("DisCord").await.unwrap().name(), "discord");
}

#[tokio::test]
async fn clients_add_parameters_and_scopes_but_replace_none() {
    let stage = Stage::new("google").await;
    let provider = stage.provider("google").await;
    let forwarded = [
        ("access_type", "offline"),
        ("client_id", "evil"),
        ("redirect_uri", "https://evil.example.com"),
        ("response_type", "token"),
        ("response_mode", "fragment"),
        ("state", "evil"),
        ("scope", "evil"),
        ("code_challenge", "evil"),
        ("code_challenge_method", "plain"),
        ("code_verifier", "evil"),
        ("client_secret", "evil"),
        ("request_uri", "https://evil.example.com"),
        ("redirect_to", "https://evil.example.com"),
        ("invite_token", "evil"),
    ];
    let sent = authorize(&provider, &forwarded).await.url;
    assert_eq!(query(&sent)["access_type"], "offline");
    assert!(!sent.as_str().contains("evil"), "{sent}");
    assert_eq!(query(&sent)["code_challenge_method"], "S256");
    let scopes = ["email".to_owned(), " calendar ".to_owned(), String::new()];
    let request = AuthorizationRequest {
        state: "s",
        scopes: &scopes,
        forwarded: &[],
    };
    let sent = provider.authorize(&request).await.unwrap().url;
    assert_eq!(query(&sent)["scope"], "email profile calendar");
}

#[tokio::test]
async fn a_nonce_of_the_client_is_the_one_that_counts() {
    let stage = Stage::new("google").await;
    let provider = stage.provider("google").await;
    let authorization = authorize(&provider, &[("nonce", "mine")]).await;
    assert_eq!(authorization.secrets.nonce.as_deref(), Some("mine"));
    let nonces = authorization
        .url
        .query_pairs()
        .filter(|(name, _)| name == "nonce");
    assert_eq!(nonces.count(), 1);
    let first = authorize(&provider, &[]).await.secrets;
    let second = authorize(&provider, &[]).await.secrets;
    assert_ne!(first.nonce, second.nonce);
    assert_ne!(first.code_verifier, second.code_verifier);
}

#[tokio::test]
async fn secrets_are_stored_and_read_back_and_never_shown() {
    let stage = Stage::new("google").await;
    let provider = stage.provider("google").await;
    let secrets = authorize(&provider, &[]).await.secrets;
    let stored = json!(secrets);
    assert_eq!(
        serde_json::from_value::<crate::outside::external::FlowSecrets>(stored).unwrap(),
        secrets
    );
    let verifier = secrets.code_verifier.clone().unwrap();
    assert!(!format!("{secrets:?}").contains(&verifier));
    assert!(!format!("{provider:?}").contains("s3cret"));
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "a flat table of refusals")]
async fn providers_of_id_tokens_are_found_by_name_and_issuer() {
    let stage = Stage::with("google", |config| {
        config.external.allowed_id_token_issuers = vec!["https://more.example.com".to_owned()];
    })
    .await;
    let find = async |name: Option<&str>, issuer: Option<&str>, client: Option<&str>| {
        let found = stage
            .providers
            .find_for_id_token(name, issuer, client)
            .await;
        found
            .map(|it| it.name().to_owned())
            .map_err(|error| (error.code().to_owned(), error.to_string()))
    };
    let ok = |name: &str| Ok(name.to_owned());
    assert_eq!(find(Some("Google"), None, None).await, ok("google"));
    assert_eq!(
        find(None, Some("https://accounts.google.com"), Some(CLIENT_ID)).await,
        ok("google")
    );
    let more = Some("https://more.example.com");
    for (name, issuer, client, code, message) in [
        (
            Some("apple"),
            None,
            None,
            "provider_disabled",
            "Provider (issuer \"https://appleid.apple.com\") is not enabled",
        ),
        (
            None,
            Some("https://appleid.apple.com"),
            None,
            "provider_disabled",
            "Provider (issuer \"https://appleid.apple.com\") is not enabled",
        ),
        (
            Some("github"),
            None,
            None,
            "validation_failed",
            "Custom OIDC provider \"github\" not allowed",
        ),
        (
            None,
            None,
            None,
            "validation_failed",
            "Custom OIDC provider \"\" not allowed",
        ),
        (
            None,
            more,
            Some("c"),
            "validation_failed",
            "No provider of this server has client ids at the issuer \"https://more.example.com\"",
        ),
        (
            None,
            Some("https://evil.example.com"),
            Some("c"),
            "validation_failed",
            "Custom OIDC provider \"\" not allowed",
        ),
    ] {
        let expected = Err((code.to_owned(), message.to_owned()));
        assert_eq!(find(name, issuer, client).await, expected);
    }
}
