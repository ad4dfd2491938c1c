//! Custom providers that admins define; the others are in the settings.

mod change;

use http::StatusCode;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use crate::app::App;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::model::Object;
use crate::store;
use crate::store::custom_providers::StoredCustomProvider;

pub(crate) use change::{create, delete, update};

/// A custom provider, without its client secret.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CustomProvider")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are called so on the wire"
)]
pub(crate) struct CustomProviderView {
    id: Uuid,
    /// `oidc` or `oauth2`.
    provider_type: String,
    identifier: String,
    name: String,
    client_id: String,
    acceptable_client_ids: Vec<String>,
    scopes: Vec<String>,
    pkce_enabled: bool,
    attribute_mapping: Object,
    custom_claims_allowlist: Vec<String>,
    authorization_params: Object,
    enabled: bool,
    email_optional: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    issuer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    discovery_url: Option<String>,
    skip_nonce_check: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    authorization_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    userinfo_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    jwks_uri: Option<String>,
    /// The discovery document, as it was when the issuer was set.
    #[serde(skip_serializing_if = "Option::is_none")]
    discovery_document: Option<Value>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl From<StoredCustomProvider> for CustomProviderView {
    fn from(row: StoredCustomProvider) -> Self {
        let given = row.description;
        Self {
            id: row.id,
            provider_type: given.provider_type.unwrap_or_default(),
            identifier: given.identifier.unwrap_or_default(),
            name: given.name.unwrap_or_default(),
            client_id: given.client_id.unwrap_or_default(),
            acceptable_client_ids: given.acceptable_client_ids.unwrap_or_default(),
            scopes: given.scopes.unwrap_or_default(),
            pkce_enabled: given.pkce_enabled.unwrap_or_default(),
            attribute_mapping: given.attribute_mapping.unwrap_or_default(),
            custom_claims_allowlist: given.custom_claims_allowlist.unwrap_or_default(),
            authorization_params: given.authorization_params.unwrap_or_default(),
            enabled: given.enabled.unwrap_or_default(),
            email_optional: given.email_optional.unwrap_or_default(),
            issuer: given.issuer,
            discovery_url: given.discovery_url,
            skip_nonce_check: given.skip_nonce_check.unwrap_or_default(),
            authorization_url: given.authorization_url,
            token_url: given.token_url,
            userinfo_url: given.userinfo_url,
            jwks_uri: given.jwks_uri,
            discovery_document: row.discovery,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

/// Lists the providers of a type, or all.
pub(crate) async fn list(
    app: &App,
    provider_type: Option<&str>,
) -> Result<Vec<CustomProviderView>> {
    check_enabled(app)?;
    let provider_type = provider_type.unwrap_or_default();
    if !["", "oidc", "oauth2"].contains(&provider_type) {
        return Err(AuthError::validation("type must be oidc or oauth2"));
    }
    let conn = app.shared().await?;
    let rows = store::custom_providers::list(&conn, provider_type).await?;
    Ok(rows.into_iter().map(Into::into).collect())
}

/// Returns the provider with this identifier.
pub(crate) async fn find(app: &App, identifier: &str) -> Result<CustomProviderView> {
    check_enabled(app)?;
    let conn = app.shared().await?;
    let found = store::custom_providers::find(&conn, identifier).await?;
    Ok(require(found)?.into())
}

/// Refuses all requests if admins cannot define providers.
fn check_enabled(app: &App) -> Result<()> {
    if app.config.custom_oauth.enabled {
        return Ok(());
    }
    Err(AuthError::refused(
        ErrorCode::FeatureDisabled,
        "Custom OAuth providers are disabled",
    ))
}

/// Returns the row, or 404 `custom_provider_not_found`.
fn require(row: Option<StoredCustomProvider>) -> Result<StoredCustomProvider> {
    row.ok_or_else(|| {
        AuthError::refused(
            ErrorCode::CustomProviderNotFound,
            "Custom OAuth provider not found",
        )
    })
}

fn already_exists(message: &'static str) -> AuthError {
    AuthError::refused_as(StatusCode::BAD_REQUEST, ErrorCode::Conflict, message)
}
