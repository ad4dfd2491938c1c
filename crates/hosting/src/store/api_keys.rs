//! `api_keys`: API keys of customers.

use innkeeper_hosting_queries::queries::api_keys as queries;
use jiff::Timestamp;
use uuid::Uuid;

use super::{GenericClient, Result};
use crate::model::{ApiKey, KeyHash, KeyMachine, MachineKind, PublicId, Scope, Scopes};

/// A key as it is stored.
#[derive(Debug, Clone)]
pub(crate) struct StoredKey {
    pub(crate) key: ApiKey,
    pub(crate) hash: KeyHash,
}

/// The last use of a key.
#[derive(Debug, Clone)]
pub(crate) struct KeyUse {
    pub(crate) key_id: String,
    pub(crate) at: Timestamp,
    /// The address of the client; empty if it is unknown.
    pub(crate) address: String,
}

/// Adds a key.
pub(crate) async fn insert(conn: &impl GenericClient, stored: &StoredKey) -> Result<()> {
    let StoredKey { key, hash } = stored;
    let scopes: Vec<&str> = key.scopes.iter().map(Scope::word).collect();
    let networks: Option<Vec<String>> = key
        .networks
        .as_ref()
        .map(|networks| networks.iter().map(ToString::to_string).collect());
    let insert = queries::insert_key();
    let inserted = insert.bind(
        conn,
        &key.id,
        &key.customer_id,
        &key.name,
        &hash.bytes,
        &hash.pepper,
        &scopes,
        &key.machines,
        &networks,
        &key.created_at,
        &key.expires_at,
    );
    inserted.await?;
    Ok(())
}

/// Returns the key with an id.
pub(crate) async fn by_id(conn: &impl GenericClient, id: &str) -> Result<Option<StoredKey>> {
    let found = queries::find_key().bind(conn, &id).opt().await?;
    Ok(found.map(stored_key))
}

/// Locks a key until the transaction ends, and returns it.
pub(crate) async fn lock_by_id(conn: &impl GenericClient, id: &str) -> Result<Option<StoredKey>> {
    let found = queries::lock_key().bind(conn, &id).opt().await?;
    Ok(found.map(stored_key))
}

/// Returns the keys of a customer, or of all customers, oldest first.
pub(crate) async fn list(
    conn: &impl GenericClient,
    customer_id: Option<&str>,
) -> Result<Vec<ApiKey>> {
    let rows = queries::list_keys().bind(conn, &customer_id).all().await?;
    Ok(rows.into_iter().map(|row| stored_key(row).key).collect())
}

/// Revokes a key; returns false if it was revoked before.
pub(crate) async fn revoke(conn: &impl GenericClient, id: &str, now: Timestamp) -> Result<bool> {
    let revoked = queries::revoke_key().bind(conn, &now, &id).await?;
    Ok(revoked > 0)
}

/// Lets a key expire at a time, if it does not expire before.
pub(crate) async fn expire(conn: &impl GenericClient, id: &str, at: Timestamp) -> Result<()> {
    queries::expire_key().bind(conn, &at, &id).await?;
    Ok(())
}

/// Stores the last use of several keys, except of those whose last use is stored to the minute.
pub(crate) async fn record_uses(conn: &impl GenericClient, uses: &[KeyUse]) -> Result<()> {
    let ids: Vec<&str> = uses.iter().map(|used| &*used.key_id).collect();
    let times: Vec<Timestamp> = uses.iter().map(|used| used.at).collect();
    let addresses: Vec<&str> = uses.iter().map(|used| &*used.address).collect();
    let record = queries::record_uses();
    record.bind(conn, &ids, &times, &addresses).await?;
    Ok(())
}

/// Returns the machines with these ids, as the API shows them, in the order of lists. Those that were removed
/// are left out.
pub(crate) async fn machines(
    conn: &impl GenericClient,
    ids: &[Uuid],
) -> Result<Vec<(Uuid, KeyMachine)>> {
    let rows = queries::list_key_machines().bind(conn, &ids).all().await?;
    let machines = rows.into_iter().filter_map(|row| {
        let machine = KeyMachine {
            kind: MachineKind::parse(&row.kind)?,
            id: PublicId::parse(&row.public_id)?,
        };
        Some((row.id, machine))
    });
    Ok(machines.collect())
}

/// Returns the key of a row. Scopes and networks that this version does not know are left out: the key may
/// do less then, not more.
fn stored_key(row: queries::KeyRow) -> StoredKey {
    let scopes = row.scopes.iter().filter_map(|word| Scope::parse(word));
    let networks = row.networks.map(|networks| {
        let networks = networks.iter().filter_map(|text| text.parse().ok());
        networks.collect()
    });
    StoredKey {
        key: ApiKey {
            id: row.id,
            customer_id: row.customer_id,
            name: row.name,
            scopes: Scopes::new(scopes),
            machines: row.machines,
            networks,
            created_at: row.created_at,
            expires_at: row.expires_at,
            revoked_at: row.revoked_at,
            last_used_at: row.last_used_at,
            last_used_from: row.last_used_from,
        },
        hash: KeyHash {
            bytes: row.hash,
            pepper: row.pepper,
        },
    }
}
