//! `custom_oauth_providers`: providers that admins have described.

use std::collections::BTreeMap;

use innkeeper_service::database::{Column, Executor, FromRow, Row, RowError, rows, statements};
use jiff::Timestamp;
use serde_json::Value;
use tokio_postgres::types::Json;
use uuid::Uuid;

use super::Result;
use crate::config::{CustomProtocol, CustomProvider, CustomProviderInput};
use crate::model::Object;

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

rows! {
    struct CustomProviderRow {
        id: Uuid,
        provider_type: String,
        identifier: String,
        name: String,
        client_id: String,
        client_secret: String,
        acceptable_client_ids: Vec<String>,
        scopes: Vec<String>,
        pkce_enabled: bool,
        attribute_mapping: Value,
        custom_claims_allowlist: Vec<String>,
        authorization_params: Value,
        enabled: bool,
        email_optional: bool,
        issuer: Option<String>,
        discovery_url: Option<String>,
        skip_nonce_check: bool,
        cached_discovery: Option<Value>,
        authorization_url: Option<String>,
        token_url: Option<String>,
        userinfo_url: Option<String>,
        jwks_uri: Option<String>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

impl<'r> FromRow<'r> for StoredCustomProvider {
    const COLUMNS: &'static [Column] = CustomProviderRow::COLUMNS;

    fn from_row(row: &'r Row) -> std::result::Result<Self, RowError> {
        CustomProviderRow::from_row(row).map(Self::from)
    }
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

fn object(value: Value) -> Object {
    match value {
        Value::Object(members) => members,
        _ => Object::new(),
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

const PROVIDERS: &str = "
select p.id, p.provider_type, p.identifier, p.name, p.client_id, p.client_secret, p.acceptable_client_ids, p.scopes,
       p.pkce_enabled, p.attribute_mapping, p.custom_claims_allowlist, p.authorization_params, p.enabled,
       p.email_optional, p.issuer, p.discovery_url, p.skip_nonce_check, p.cached_discovery, p.authorization_url,
       p.token_url, p.userinfo_url, p.jwks_uri, p.created_at, p.updated_at
  from custom_oauth_providers p";

statements! {
    /// Lists the providers of a type; all if it is empty.
    pub(crate) async fn list(provider_type: &str) -> Vec<StoredCustomProvider> {
        PROVIDERS,
        "where cast(:provider_type as text) = '' or p.provider_type = cast(:provider_type as text)
         order by p.created_at, p.identifier"
    }

    /// Returns the provider with this identifier.
    pub(crate) async fn find(identifier: &str) -> Option<StoredCustomProvider> {
        PROVIDERS, "where p.identifier = :identifier"
    }

    /// As [`find`], and keeps others from changing it until the transaction ends.
    pub(crate) async fn lock(identifier: &str) -> Option<StoredCustomProvider> {
        PROVIDERS, "where p.identifier = :identifier for update"
    }

    /// Lists the identifiers of the enabled providers with this issuer, which has no slash at the end.
    pub(crate) async fn list_of_issuer(issuer: &str) -> Vec<String> {
        "select p.identifier
           from custom_oauth_providers p
          where p.provider_type = 'oidc'
            and p.enabled
            and rtrim(p.issuer, '/') = :issuer
          order by p.created_at, p.identifier"
    }

    /// Without the lock, two concurrent requests could both add the last provider that is allowed.
    async fn lock_table() {
        "lock table custom_oauth_providers in share row exclusive mode"
    }

    async fn count() -> i64 {
        "select count(*) from custom_oauth_providers"
    }

    async fn insert_row(new: &NewCustomProvider<'_>, columns: &ProtocolColumns<'_>, now: Timestamp) -> u64
    where {
        id: Uuid = new.id,
        provider_type: &str = columns.provider_type,
        identifier: &str = &new.provider.identifier,
        name: &str = &new.provider.name,
        client_id: &str = &new.provider.client_id,
        client_secret: &str = new.client_secret,
        acceptable_client_ids: &[String] = &new.provider.acceptable_client_ids,
        scopes: &[String] = &new.provider.scopes,
        pkce_enabled: bool = new.provider.pkce_enabled,
        attribute_mapping: Json<&Object> = Json(&new.provider.attribute_mapping),
        custom_claims_allowlist: &[String] = &new.provider.custom_claims_allowlist,
        authorization_params: Json<&BTreeMap<String, String>> = Json(&new.provider.authorization_params),
        enabled: bool = new.provider.enabled,
        email_optional: bool = new.provider.email_optional,
        issuer: Option<&str> = columns.issuer,
        discovery_url: Option<&str> = columns.discovery_url,
        skip_nonce_check: bool = columns.skip_nonce_check,
        cached_discovery: Option<&Value> = new.discovery,
        authorization_url: Option<&str> = columns.authorization_url,
        token_url: Option<&str> = columns.token_url,
        userinfo_url: Option<&str> = columns.userinfo_url,
        jwks_uri: Option<&str> = columns.jwks_uri,
        now: Timestamp,
    }
    { include_str!("custom_providers/insert.sql") }

    async fn update_row(new: &NewCustomProvider<'_>, columns: &ProtocolColumns<'_>, now: Timestamp)
    where {
        id: Uuid = new.id,
        name: &str = &new.provider.name,
        client_id: &str = &new.provider.client_id,
        client_secret: &str = new.client_secret,
        acceptable_client_ids: &[String] = &new.provider.acceptable_client_ids,
        scopes: &[String] = &new.provider.scopes,
        pkce_enabled: bool = new.provider.pkce_enabled,
        attribute_mapping: Json<&Object> = Json(&new.provider.attribute_mapping),
        custom_claims_allowlist: &[String] = &new.provider.custom_claims_allowlist,
        authorization_params: Json<&BTreeMap<String, String>> = Json(&new.provider.authorization_params),
        enabled: bool = new.provider.enabled,
        email_optional: bool = new.provider.email_optional,
        issuer: Option<&str> = columns.issuer,
        discovery_url: Option<&str> = columns.discovery_url,
        skip_nonce_check: bool = columns.skip_nonce_check,
        cached_discovery: Option<&Value> = new.discovery,
        authorization_url: Option<&str> = columns.authorization_url,
        token_url: Option<&str> = columns.token_url,
        userinfo_url: Option<&str> = columns.userinfo_url,
        jwks_uri: Option<&str> = columns.jwks_uri,
        now: Timestamp,
    }
    { include_str!("custom_providers/update.sql") }

    /// Deletes a provider.
    pub(crate) async fn delete(id: Uuid) {
        "delete from custom_oauth_providers where id = :id"
    }
}

/// Counts the providers. Nobody adds one until the transaction ends.
pub(crate) async fn lock_and_count(conn: &dyn Executor) -> Result<i64> {
    lock_table(conn).await?;
    count(conn).await
}

/// Adds a provider. Returns `false` if its identifier is taken.
pub(crate) async fn insert(
    conn: &dyn Executor,
    new: &NewCustomProvider<'_>,
    now: Timestamp,
) -> Result<bool> {
    let columns = protocol_columns(&new.provider.protocol);
    Ok(insert_row(conn, new, &columns, now).await? > 0)
}

/// Replaces everything but the type and the identifier.
pub(crate) async fn update(
    conn: &dyn Executor,
    new: &NewCustomProvider<'_>,
    now: Timestamp,
) -> Result<()> {
    let columns = protocol_columns(&new.provider.protocol);
    update_row(conn, new, &columns, now).await
}
