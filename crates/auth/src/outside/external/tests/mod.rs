//! The layer against a server that takes the place of all providers.

mod bad_answers;
mod custom;
mod double;
mod id_tokens;
mod quirks;
mod settings;

use std::collections::HashMap;

use innkeeper_service::clock::Clock;
use innkeeper_service::secret::Secret;
use serde_json::{Value, json};
use url::Url;

use self::double::Double;
use super::flow::Authorization;
use super::provider::Provider;
use super::{AuthorizationRequest, CallbackParameters, ProviderTokens, ProviderUser, Providers};
use crate::base::error::Result;
use crate::config::{Config, ProviderConfig};
use crate::crypto::jwt::{Algorithm, SigningKey};

const CLIENT_ID: &str = "client-1";
const SECRET: &str = "s3cret/of+the&client";
const REDIRECT_URI: &str = "https://auth.example.com/callback";

/// Providers whose hosts a double replaces.
struct Stage {
    double: Double,
    providers: Providers,
    clock: Clock,
    key: SigningKey,
}

impl Stage {
    /// Enables a provider.
    async fn new(name: &'static str) -> Self {
        Self::with(name, |_| {}).await
    }

    async fn with(name: &'static str, change: impl FnOnce(&mut Config)) -> Self {
        let double = Double::start().await;
        let mut config = Config::for_tests();
        config.external.hosts_replaced_by =
            Some(format!("http://{}", double.address).parse().unwrap());
        config.external.providers.insert(name, enabled());
        change(&mut config);
        let clock = Clock::manual();
        Self {
            providers: Providers::new(&config, &clock, None).unwrap(),
            double,
            clock,
            key: SigningKey::generate(Algorithm::Es256).unwrap(),
        }
    }

    async fn provider(&self, name: &str) -> Provider {
        self.providers.find(name).await.unwrap()
    }

    /// Publishes the discovery document and the keys of an issuer.
    fn publish(&self, issuer: &str) {
        let (host, path) = issuer
            .trim_start_matches("https://")
            .split_once('/')
            .unwrap_or((issuer.trim_start_matches("https://"), ""));
        let base = format!("{host}/{path}").trim_end_matches('/').to_owned();
        let document = json!({ "issuer": issuer, "jwks_uri": "https://keys.example.com/jwks" });
        self.double.json(
            &format!("GET {base}/.well-known/openid-configuration"),
            document,
        );
        self.publish_keys(&[&self.key]);
    }

    fn publish_keys(&self, keys: &[&SigningKey]) {
        let keys: Vec<_> = keys
            .iter()
            .map(|key| key.verifying().public_jwk())
            .collect();
        self.double
            .json("GET keys.example.com/jwks", json!({ "keys": keys }));
    }

    /// Returns claims that are good now, with some replaced; null removes one.
    fn claims(&self, issuer: &str, changes: &Value) -> Value {
        let now = self.clock.now().as_second();
        let mut claims = json!({
            "iss": issuer, "aud": CLIENT_ID, "sub": "subject-1", "iat": now, "exp": now + 600,
            "email": "ada@example.com", "email_verified": true,
        });
        for (name, value) in changes.as_object().unwrap() {
            claims[name] = value.clone();
        }
        let claims = claims.as_object().unwrap().iter();
        claims
            .filter(|(_, value)| !value.is_null())
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect()
    }

    fn id_token(&self, issuer: &str, changes: &Value) -> String {
        self.key.sign(&self.claims(issuer, changes)).unwrap()
    }

    /// Signs in: answers of the double must be set before.
    async fn sign_in(&self, name: &str) -> Result<(ProviderUser, ProviderTokens)> {
        let provider = self.provider(name).await;
        let authorization = authorize(&provider, &[]).await;
        let callback = callback();
        provider.exchange(&callback, &authorization.secrets).await
    }
}

fn enabled() -> ProviderConfig {
    ProviderConfig {
        enabled: true,
        client_id: vec![CLIENT_ID.to_owned(), "client-2".to_owned()],
        secret: Some(Secret::new(SECRET.to_owned())),
        redirect_uri: Some(REDIRECT_URI.to_owned()),
        ..ProviderConfig::default()
    }
}

fn callback() -> CallbackParameters {
    CallbackParameters {
        code: Some("code-1".to_owned()),
        ..CallbackParameters::default()
    }
}

async fn authorize(provider: &Provider, forwarded: &[(&str, &str)]) -> Authorization {
    let pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let forwarded: Vec<_> = forwarded.iter().map(pair).collect();
    let request = AuthorizationRequest {
        state: "state-1",
        scopes: &[],
        forwarded: &forwarded,
    };
    provider.authorize(&request).await.unwrap()
}

fn query(url: &Url) -> HashMap<String, String> {
    double::pairs(url.query().unwrap_or_default().as_bytes())
}
