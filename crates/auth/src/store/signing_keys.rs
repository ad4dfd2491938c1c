//! `innkeeper_signing_keys`: the keys that sign access tokens, shared by all replicas.

use innkeeper_auth_queries::queries::signing_keys as queries;
use jiff::Timestamp;
use serde_json::Value;

use super::{GenericClient, Result};

/// A key as it stands in the table.
#[derive(Debug, Clone)]
pub(crate) struct StoredKey {
    pub(crate) kid: String,
    pub(crate) algorithm: String,
    /// Sealed.
    pub(crate) private_key: String,
    pub(crate) public_jwk: Value,
    pub(crate) is_current: bool,
    pub(crate) created_at: Timestamp,
}

/// All keys, the current one first.
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

/// Makes this the current key, unless there is a current one; says whether it became it.
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

/// The current key only verifies from now on.
pub(crate) async fn retire_current(conn: &impl GenericClient) -> Result<()> {
    queries::retire_current().bind(conn).await?;
    Ok(())
}

/// Nobody else changes the keys until the transaction ends.
pub(crate) async fn lock(conn: &impl GenericClient) -> Result<()> {
    queries::lock_keys().bind(conn).await?;
    Ok(())
}
