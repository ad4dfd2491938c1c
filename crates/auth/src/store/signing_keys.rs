//! `innkeeper_signing_keys`: the keys that sign access tokens, shared by all replicas; the keys that were
//! revoked, and the service tokens that stored keys have signed.

use innkeeper_auth_queries::queries::signing_keys as queries;
use jiff::Timestamp;
use serde_json::Value;
use uuid::Uuid;

use super::{GenericClient, Result};

/// A row of the table.
#[derive(Debug, Clone)]
pub(crate) struct StoredKey {
    pub(crate) kid: String,
    pub(crate) algorithm: String,
    /// The sealed private key.
    pub(crate) private_key: String,
    pub(crate) public_jwk: Value,
    pub(crate) is_current: bool,
    pub(crate) created_at: Timestamp,
    /// When a retired key ends. `None` while it signs, and if an earlier version has retired it.
    pub(crate) verifies_until: Option<Timestamp>,
}

/// A token of a service, signed with a stored key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceTokenRecord {
    /// The key that signed it.
    pub kid: String,
    /// The role in the token.
    pub role: String,
    pub issued_at: Timestamp,
    /// When the token itself expires; `None` if never.
    pub expires_at: Option<Timestamp>,
}

/// Lists all keys, the current one first.
pub(crate) async fn list(conn: &impl GenericClient) -> Result<Vec<StoredKey>> {
    let rows = queries::list_keys().bind(conn).all().await?;
    Ok(rows
        .into_iter()
        .map(|row| StoredKey {
            kid: row.kid,
            algorithm: row.algorithm,
            private_key: row.private_key,
            public_jwk: row.public_jwk,
            is_current: row.is_current,
            created_at: row.created_at,
            verifies_until: row.verifies_until,
        })
        .collect())
}

/// Inserts a key as the current one. Returns `false` if there is a current key already.
pub(crate) async fn insert_current(conn: &impl GenericClient, key: &StoredKey) -> Result<bool> {
    let inserted = queries::insert_first()
        .bind(
            conn,
            &key.kid,
            &key.algorithm,
            &key.private_key,
            &key.public_jwk,
            &key.created_at,
        )
        .await?;
    Ok(inserted > 0)
}

/// Marks the current key as one that only verifies, until this time.
pub(crate) async fn retire_current(conn: &impl GenericClient, until: Timestamp) -> Result<()> {
    queries::retire_current().bind(conn, &until).await?;
    Ok(())
}

/// Sets the end of retired keys that have none.
pub(crate) async fn set_missing_ends(conn: &impl GenericClient, until: Timestamp) -> Result<()> {
    queries::set_missing_ends().bind(conn, &until).await?;
    Ok(())
}

/// Lets all retired keys that verify now do so until this time, if that is later than their end.
pub(crate) async fn extend_ends(
    conn: &impl GenericClient,
    now: Timestamp,
    until: Timestamp,
) -> Result<()> {
    queries::extend_ends().bind(conn, &until, &now).await?;
    Ok(())
}

/// Locks the keys against changes until the transaction ends.
pub(crate) async fn lock(conn: &impl GenericClient) -> Result<()> {
    queries::lock_keys().bind(conn).await?;
    Ok(())
}

/// Revokes a key, whether it is stored or not. A stored one is deleted unless it signs.
pub(crate) async fn revoke(conn: &impl GenericClient, kid: &str, now: Timestamp) -> Result<()> {
    queries::insert_revocation().bind(conn, &kid, &now).await?;
    queries::delete_key().bind(conn, &kid).await?;
    Ok(())
}

/// Deletes retired keys that ended before this time.
pub(crate) async fn delete_ended(conn: &impl GenericClient, before: Timestamp) -> Result<()> {
    queries::delete_ended().bind(conn, &before).await?;
    Ok(())
}

/// Lists the revoked keys and when each was revoked, the newest first.
pub(crate) async fn list_revoked(conn: &impl GenericClient) -> Result<Vec<(String, Timestamp)>> {
    let rows = queries::list_revoked().bind(conn).all().await?;
    Ok(rows
        .into_iter()
        .map(|row| (row.kid, row.revoked_at))
        .collect())
}

/// Records a token of a service.
pub(crate) async fn insert_service_token(
    conn: &impl GenericClient,
    token: &ServiceTokenRecord,
) -> Result<()> {
    let id = Uuid::new_v4();
    queries::insert_service_token()
        .bind(
            conn,
            &id,
            &token.kid,
            &token.role,
            &token.issued_at,
            &token.expires_at,
        )
        .await?;
    Ok(())
}

/// Lists the service tokens of a key that are valid beyond this time.
pub(crate) async fn list_service_tokens(
    conn: &impl GenericClient,
    kid: &str,
    beyond: Timestamp,
) -> Result<Vec<ServiceTokenRecord>> {
    let rows = queries::list_service_tokens()
        .bind(conn, &kid, &beyond)
        .all()
        .await?;
    Ok(rows
        .into_iter()
        .map(|row| ServiceTokenRecord {
            kid: row.kid,
            role: row.role,
            issued_at: row.issued_at,
            expires_at: row.expires_at,
        })
        .collect())
}
