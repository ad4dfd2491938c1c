//! `custom_oauth_providers`: providers that admins have described.

use innkeeper_auth_queries::client::Params as _;
use innkeeper_auth_queries::queries::custom_providers::{
    self as queries, CustomProviderRow, InsertProviderParams, UpdateProviderParams,
};
use jiff::Timestamp;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::{GenericClient, Result};
use crate::config::{CustomProtocol, CustomProvider, CustomProviderInput};

/// A row of the table.
#[derive(Debug, Clone)]
pub(crate) struct StoredCustomProvider {
    pub(crate) id: Uuid,
    /// Without the client secret.
    pub(crate) description: CustomProviderInput,
    /// Sealed, unless GoTrue has stored it.
    pub(crate) client_secret: String,
    pub(crate) discovery: Option<Value>,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
}

impl From<CustomProviderRow> for StoredCustomProvider {
    fn from(row: CustomProviderRow) -> Self {
        let is_oidc = row.provider_type == "oidc";
        Self {
            id: row.id,
            description: CustomProviderInput {
                provider_type: Some(row.provider_type),
                identifier: Some(row.identifier),
                name: Some(row.name),
                client_id: Some(row.client_id),
                client_secret: None,
                acceptable_client_ids: Some(row.acceptable_client_ids),
                scopes: Some(row.scopes),
                pkce_enabled: Some(row.pkce_enabled),
                attribute_mapping: Some(object(row.attribute_mapping)),
                custom_claims_allowlist: Some(row.custom_claims_allowlist),
                authorization_params: Some(object(row.authorization_params)),
                enabled: Some(row.enabled),
                email_optional: Some(row.email_optional),
                // The database does not keep members of the other type out.
                issuer: row.issuer.filter(|_| is_oidc),
                discovery_url: row.discovery_url.filter(|_| is_oidc),
                skip_nonce_check: Some(row.skip_nonce_check),
                authorization_url: row.authorization_url.filter(|_| !is_oidc),
                token_url: row.token_url.filter(|_| !is_oidc),
                userinfo_url: row.userinfo_url.filter(|_| !is_oidc),
                jwks_uri: row.jwks_uri.filter(|_| !is_oidc),
            },
            client_secret: row.client_secret,
            discovery: row.cached_discovery,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

/// A checked provider, and what is stored with it.
#[derive(Debug)]
pub(crate) struct NewCustomProvider<'a> {
    pub(crate) id: Uuid,
    pub(crate) provider: &'a CustomProvider,
    /// Sealed, unless GoTrue is to read it.
    pub(crate) client_secret: &'a str,
    /// The discovery document, if it was fetched now.
    pub(crate) discovery: Option<&'a Value>,
}

/// The members that depend on the protocol.
#[derive(Default)]
struct ProtocolColumns<'a> {
    provider_type: &'static str,
    issuer: Option<&'a str>,
    discovery_url: Option<&'a str>,
    skip_nonce_check: bool,
    authorization_url: Option<&'a str>,
    token_url: Option<&'a str>,
    userinfo_url: Option<&'a str>,
    jwks_uri: Option<&'a str>,
}

fn protocol_columns(protocol: &CustomProtocol) -> ProtocolColumns<'_> {
    match protocol {
        CustomProtocol::Oidc {
            issuer,
            discovery_url,
            skip_nonce_check,
        } => ProtocolColumns {
            provider_type: "oidc",
            issuer: Some(issuer),
            discovery_url: discovery_url.as_deref(),
            skip_nonce_check: *skip_nonce_check,
            ..ProtocolColumns::default()
        },
        CustomProtocol::OAuth2 {
            authorization_url,
            token_url,
            userinfo_url,
            jwks_uri,
        } => ProtocolColumns {
            provider_type: "oauth2",
            authorization_url: Some(authorization_url),
            token_url: Some(token_url),
            userinfo_url: Some(userinfo_url),
            jwks_uri: jwks_uri.as_deref(),
            ..ProtocolColumns::default()
        },
    }
}

/// Lists the providers of a type; all if it is empty.
pub(crate) async fn list(
    conn: &impl GenericClient,
    provider_type: &str,
) -> Result<Vec<StoredCustomProvider>> {
    let rows = queries::list_providers()
        .bind(conn, &provider_type)
        .all()
        .await?;
    Ok(rows.into_iter().map(Into::into).collect())
}

/// Returns the provider with this identifier.
pub(crate) async fn find(
    conn: &impl GenericClient,
    identifier: &str,
) -> Result<Option<StoredCustomProvider>> {
    let row = queries::find_provider()
        .bind(conn, &identifier)
        .opt()
        .await?;
    Ok(row.map(Into::into))
}

/// As [`find`], and keeps others from changing it until the transaction ends.
pub(crate) async fn lock(
    conn: &impl GenericClient,
    identifier: &str,
) -> Result<Option<StoredCustomProvider>> {
    let row = queries::lock_provider()
        .bind(conn, &identifier)
        .opt()
        .await?;
    Ok(row.map(Into::into))
}

/// Lists the identifiers of the enabled providers with this issuer, which has no slash at the end.
pub(crate) async fn list_of_issuer(conn: &impl GenericClient, issuer: &str) -> Result<Vec<String>> {
    Ok(queries::list_of_issuer().bind(conn, &issuer).all().await?)
}

/// Counts the providers. Nobody adds one until the transaction ends.
pub(crate) async fn lock_and_count(conn: &impl GenericClient) -> Result<i64> {
    queries::lock_providers().bind(conn).await?;
    Ok(queries::count_providers().bind(conn).one().await?)
}

/// Adds a provider. Returns `false` if its identifier is taken.
pub(crate) async fn insert(
    conn: &impl GenericClient,
    new: &NewCustomProvider<'_>,
    now: Timestamp,
) -> Result<bool> {
    let provider = new.provider;
    let columns = protocol_columns(&provider.protocol);
    let params = InsertProviderParams {
        id: new.id,
        provider_type: columns.provider_type,
        identifier: provider.identifier.as_str(),
        name: provider.name.as_str(),
        client_id: provider.client_id.as_str(),
        client_secret: new.client_secret,
        acceptable_client_ids: provider.acceptable_client_ids.as_slice(),
        scopes: provider.scopes.as_slice(),
        pkce_enabled: provider.pkce_enabled,
        attribute_mapping: Value::Object(provider.attribute_mapping.clone()),
        custom_claims_allowlist: provider.custom_claims_allowlist.as_slice(),
        authorization_params: parameters(provider),
        enabled: provider.enabled,
        email_optional: provider.email_optional,
        issuer: columns.issuer,
        discovery_url: columns.discovery_url,
        skip_nonce_check: columns.skip_nonce_check,
        cached_discovery: new.discovery,
        now,
        authorization_url: columns.authorization_url,
        token_url: columns.token_url,
        userinfo_url: columns.userinfo_url,
        jwks_uri: columns.jwks_uri,
    };
    let inserted = queries::insert_provider()
        .params(conn, &params)
        .opt()
        .await?;
    Ok(inserted.is_some())
}

/// Replaces everything but the type and the identifier.
pub(crate) async fn update(
    conn: &impl GenericClient,
    new: &NewCustomProvider<'_>,
    now: Timestamp,
) -> Result<()> {
    let provider = new.provider;
    let columns = protocol_columns(&provider.protocol);
    let params = UpdateProviderParams {
        name: provider.name.as_str(),
        client_id: provider.client_id.as_str(),
        client_secret: new.client_secret,
        acceptable_client_ids: provider.acceptable_client_ids.as_slice(),
        scopes: provider.scopes.as_slice(),
        pkce_enabled: provider.pkce_enabled,
        attribute_mapping: Value::Object(provider.attribute_mapping.clone()),
        custom_claims_allowlist: provider.custom_claims_allowlist.as_slice(),
        authorization_params: parameters(provider),
        enabled: provider.enabled,
        email_optional: provider.email_optional,
        issuer: columns.issuer,
        discovery_url: columns.discovery_url,
        skip_nonce_check: columns.skip_nonce_check,
        cached_discovery: new.discovery,
        now,
        authorization_url: columns.authorization_url,
        token_url: columns.token_url,
        userinfo_url: columns.userinfo_url,
        jwks_uri: columns.jwks_uri,
        id: new.id,
    };
    queries::update_provider().params(conn, &params).await?;
    Ok(())
}

fn parameters(provider: &CustomProvider) -> Value {
    let pairs = provider.authorization_params.iter();
    let pairs = pairs.map(|(name, value)| (name.clone(), Value::String(value.clone())));
    Value::Object(pairs.collect())
}

/// Deletes a provider.
pub(crate) async fn delete(conn: &impl GenericClient, id: Uuid) -> Result<()> {
    queries::delete_provider().bind(conn, &id).await?;
    Ok(())
}
