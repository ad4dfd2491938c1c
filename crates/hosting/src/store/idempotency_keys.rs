//! `idempotency_keys`: which actions requests with an `Idempotency-Key` were answered with.

use innkeeper_hosting_queries::queries::idempotency_keys as queries;
use jiff::{SignedDuration, Timestamp};

use super::{GenericClient, Result};

/// How long a key is remembered.
const LIFETIME: SignedDuration = SignedDuration::from_hours(24);

/// A request that was made with a key.
#[derive(Debug)]
pub(crate) struct KeyedRequest {
    /// The hash of what was asked for.
    pub(crate) request: Vec<u8>,
    /// The action that it was answered with.
    pub(crate) action_id: String,
}

/// Returns the request of a customer with this key, if it is not older than a day.
pub(crate) async fn find(
    conn: &impl GenericClient,
    customer_id: &str,
    key: &str,
    now: Timestamp,
) -> Result<Option<KeyedRequest>> {
    let after = now - LIFETIME;
    let find = queries::find_key();
    let found = find.bind(conn, &customer_id, &key, &after);
    Ok(found.opt().await?.map(|row| KeyedRequest {
        request: row.request,
        action_id: row.action_id,
    }))
}

/// Remembers a request; returns false if another one has used the key meanwhile.
pub(crate) async fn insert(
    conn: &impl GenericClient,
    customer_id: &str,
    key: &str,
    request: &KeyedRequest,
    now: Timestamp,
) -> Result<bool> {
    let expired = now - LIFETIME;
    let insert = queries::insert_key();
    let inserted = insert.bind(
        conn,
        &customer_id,
        &key,
        &request.request,
        &request.action_id,
        &now,
        &expired,
    );
    Ok(inserted.opt().await?.is_some())
}

/// Deletes keys that are older than a day.
pub(crate) async fn delete_expired(conn: &impl GenericClient, now: Timestamp) -> Result<u64> {
    Ok(queries::delete_keys().bind(conn, &(now - LIFETIME)).await?)
}
