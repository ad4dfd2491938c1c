//! The demo provider of `innkeeper up`, and the settings with which the auth server knows it.

use std::sync::Arc;

use anyhow::{Context, anyhow};
use innkeeper_service::clock::Clock;
use innkeeper_service::secret::Secret;
use serde_json::{Value, json};

use crate::demo_provider::{DemoClient, DemoProvider, PATH};

/// The name of the provider at the auth server.
pub(super) const PROVIDER: &str = "keycloak";
/// What the names of its settings begin with.
const PREFIX: &str = "EXTERNAL_KEYCLOAK_";
/// How the names of its settings go on. An operator who sets one of them does not get the demo provider.
const SETTINGS: [&str; 8] = [
    "ENABLED",
    "CLIENT_ID",
    "SECRET",
    "REDIRECT_URI",
    "URL",
    "API_URL",
    "EMAIL_OPTIONAL",
    "SKIP_NONCE_CHECK",
];

/// How the auth server reaches the demo provider. Holds a secret.
#[derive(Debug)]
pub(super) struct ProviderAccess {
    issuer: String,
    client: DemoClient,
}

/// Returns the names of the settings with which an operator takes the place of the demo provider.
pub(super) fn setting_names() -> impl Iterator<Item = String> {
    SETTINGS.iter().map(|rest| format!("{PREFIX}{rest}"))
}

fn redirect_uri(auth_url: &str) -> String {
    format!("{}/callback", auth_url.trim_end_matches('/'))
}

impl ProviderAccess {
    /// Registers the auth server with these addresses as the client of a new provider.
    pub(super) fn register(portal_url: &str, auth_url: &str) -> Self {
        Self {
            issuer: format!("{portal_url}{PATH}"),
            client: DemoClient::register(redirect_uri(auth_url)),
        }
    }

    /// Returns the settings of the auth server.
    pub(super) fn settings(&self) -> Vec<(String, String)> {
        let client = &self.client;
        let pair = |rest: &str, value: &str| (format!("AUTH_{PREFIX}{rest}"), value.to_owned());
        vec![
            pair("ENABLED", "true"),
            pair("CLIENT_ID", &client.id),
            pair("SECRET", client.secret.reveal()),
            pair("REDIRECT_URI", &client.redirect_uri),
            pair("URL", &self.issuer),
        ]
    }

    /// Starts the provider.
    pub(super) fn start(&self) -> anyhow::Result<Arc<DemoProvider>> {
        let provider = DemoProvider::new(self.issuer.clone(), self.client.clone(), Clock::system());
        let provider = provider.map_err(|error| anyhow!("the demo provider: {error}"))?;
        Ok(Arc::new(provider))
    }

    pub(super) fn issuer(&self) -> &str {
        &self.issuer
    }

    /// Returns the part of `up.json`.
    pub(super) fn document(&self) -> Value {
        json!({
            "provider": PROVIDER,
            "issuer": self.issuer,
            "client_id": self.client.id,
            "client_secret": self.client.secret.reveal(),
        })
    }

    /// Reads the part of `up.json`.
    pub(super) fn from_document(document: &Value, auth_url: &str) -> anyhow::Result<Self> {
        let text = |name: &str| {
            let text = document.get(name).and_then(Value::as_str);
            text.map(str::to_owned)
                .with_context(|| format!("`demo_provider` has no `{name}`"))
        };
        Ok(Self {
            issuer: text("issuer")?,
            client: DemoClient {
                id: text("client_id")?,
                secret: Secret::new(text("client_secret")?),
                redirect_uri: redirect_uri(auth_url),
            },
        })
    }
}
