//! `api_keys`: API keys of customers.

use innkeeper_service::database::{Column, Executor, FromRow, Row, RowError, rows, statements};
use jiff::Timestamp;
use uuid::Uuid;

use super::Result;
use crate::model::{ApiKey, KeyHash, KeyMachine, MachineKind, PublicId, Scope, Scopes};

/// The stored keys.
const KEYS: &str = "
select k.id, k.customer_id, k.name, k.hash, k.pepper, k.scopes, k.machines, k.networks,
       k.created_at, k.expires_at, k.revoked_at, k.last_used_at, k.last_used_from
  from api_keys k";

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

rows! {
    struct KeyRow<'r> {
        id: String,
        customer_id: String,
        name: String,
        hash: Vec<u8>,
        pepper: i32,
        scopes: Vec<&'r str>,
        machines: Option<Vec<Uuid>>,
        networks: Option<Vec<&'r str>>,
        created_at: Timestamp,
        expires_at: Option<Timestamp>,
        revoked_at: Option<Timestamp>,
        last_used_at: Option<Timestamp>,
        last_used_from: Option<String>,
    }

    struct KeyMachineRow {
        id: Uuid,
        kind: String,
        public_id: String,
    }
}

/// Scopes and networks that this version does not know are left out: the key may do less then, not more.
impl<'r> FromRow<'r> for StoredKey {
    const COLUMNS: &'static [Column] = KeyRow::COLUMNS;

    fn from_row(row: &'r Row) -> std::result::Result<Self, RowError> {
        let row = KeyRow::from_row(row)?;
        let scopes = row.scopes.into_iter().filter_map(Scope::parse);
        let networks = row.networks.map(|networks| {
            let networks = networks.iter().filter_map(|text| text.parse().ok());
            networks.collect()
        });
        Ok(Self {
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
        })
    }
}

statements! {
    /// Adds a key.
    pub(crate) async fn insert(stored: &StoredKey)
    where {
        id: &str = &stored.key.id,
        customer_id: &str = &stored.key.customer_id,
        name: &str = &stored.key.name,
        hash: &[u8] = &stored.hash.bytes,
        pepper: i32 = stored.hash.pepper,
        scopes: Vec<&str> = stored.key.scopes.iter().map(Scope::word).collect(),
        machines: Option<&[Uuid]> = stored.key.machines.as_deref(),
        networks: Option<Vec<String>> = stored.key.networks.as_ref().map(|networks| {
            networks.iter().map(ToString::to_string).collect()
        }),
        created_at: Timestamp = stored.key.created_at,
        expires_at: Option<Timestamp> = stored.key.expires_at,
    }
    {
        "insert into api_keys
                (id, customer_id, name, hash, pepper, scopes, machines, networks, created_at, expires_at)
         values (:id, :customer_id, :name, :hash, :pepper, :scopes, :machines, :networks, :created_at, :expires_at)"
    }

    /// Returns the key with an id.
    pub(crate) async fn by_id(id: &str) -> Option<StoredKey> {
        KEYS, "where k.id = :id"
    }

    /// Locks a key until the transaction ends, and returns it.
    pub(crate) async fn lock_by_id(id: &str) -> Option<StoredKey> {
        KEYS, "where k.id = :id for update"
    }

    async fn list_stored(customer_id: Option<&str>) -> Vec<StoredKey> {
        KEYS,
        "where :customer_id::text is null
            or k.customer_id = :customer_id
         order by k.created_at, k.id"
    }

    async fn count_revoked(id: &str, now: Timestamp) -> u64 {
        "update api_keys set revoked_at = :now where id = :id and revoked_at is null"
    }

    /// Lets a key expire at a time, if it does not expire before.
    pub(crate) async fn expire(id: &str, at: Timestamp) {
        "update api_keys set expires_at = least(expires_at, :at) where id = :id"
    }

    /// Stores the last use of several keys, except of those whose last use is stored to the minute: replicas do
    /// not know of each other's uses. A last use in the future is that of a clock that went wrong.
    pub(crate) async fn record_uses(uses: &[KeyUse])
    where {
        ids: Vec<&str> = uses.iter().map(|used| &*used.key_id).collect(),
        times: Vec<Timestamp> = uses.iter().map(|used| used.at).collect(),
        addresses: Vec<&str> = uses.iter().map(|used| &*used.address).collect(),
    }
    {
        "update api_keys k
            set last_used_at = u.at,
                last_used_from = nullif(u.address, '')
           from unnest(:ids::text[], :times::timestamptz[], :addresses::text[]) as u (id, at, address)
          where k.id = u.id
            and (k.last_used_at is null
                 or k.last_used_at <= u.at - interval '1 minute'
                 or k.last_used_at > u.at + interval '1 minute')"
    }

    async fn machine_rows(ids: &[Uuid]) -> Vec<KeyMachineRow> {
        "select m.id, m.kind, m.public_id
           from machines m
          where m.id = any(:ids::uuid[])
          order by m.kind, m.public_id"
    }
}

/// Returns the keys of a customer, or of all customers, oldest first.
pub(crate) async fn list(conn: &dyn Executor, customer_id: Option<&str>) -> Result<Vec<ApiKey>> {
    let stored = list_stored(conn, customer_id).await?;
    Ok(stored.into_iter().map(|stored| stored.key).collect())
}

/// Revokes a key; returns false if it was revoked before.
pub(crate) async fn revoke(conn: &dyn Executor, id: &str, now: Timestamp) -> Result<bool> {
    Ok(count_revoked(conn, id, now).await? > 0)
}

/// Returns the machines with these ids, as the API shows them, in the order of lists. Those that were removed
/// are left out.
pub(crate) async fn machines(conn: &dyn Executor, ids: &[Uuid]) -> Result<Vec<(Uuid, KeyMachine)>> {
    let rows = machine_rows(conn, ids).await?;
    let machines = rows.into_iter().filter_map(|row| {
        let machine = KeyMachine {
            kind: MachineKind::parse(&row.kind)?,
            id: PublicId::parse(&row.public_id)?,
        };
        Some((row.id, machine))
    });
    Ok(machines.collect())
}
