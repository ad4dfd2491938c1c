//! `innkeeper_signing_keys`: the keys that sign access tokens, shared by all replicas.

use innkeeper_auth_queries::queries::signing_keys as queries;
use jiff::Timestamp;
use serde_json::Value;

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

/// Marks the current key as one that only verifies.
pub(crate) async fn retire_current(conn: &impl GenericClient) -> Result<()> {
    queries::retire_current().bind(conn).await?;
    Ok(())
}

/// Locks the keys against changes until the transaction ends.
pub(crate) async fn lock(conn: &impl GenericClient) -> Result<()> {
    queries::lock_keys().bind(conn).await?;
    Ok(())
}
