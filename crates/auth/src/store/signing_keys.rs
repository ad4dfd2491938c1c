//! `innkeeper_signing_keys`: the keys that sign access tokens, shared by all replicas; the keys that were
//! revoked, and the service tokens that stored keys have signed.

use innkeeper_service::database::{Executor, rows, statements};
use jiff::Timestamp;
use serde_json::Value;
use uuid::Uuid;

use super::Result;

rows! {
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

    struct RevokedKey {
        kid: String,
        revoked_at: Timestamp,
    }
}

statements! {
    /// Lists all keys, the current one first.
    pub(crate) async fn list() -> Vec<StoredKey> {
        "select k.kid, k.algorithm, k.private_key, k.public_jwk, k.is_current, k.created_at, k.verifies_until
           from innkeeper_signing_keys k
          order by k.is_current desc, k.created_at desc"
    }

    async fn count_inserted(key: &StoredKey) -> u64
    where {
        kid: &str = &key.kid,
        algorithm: &str = &key.algorithm,
        private_key: &str = &key.private_key,
        public_jwk: &Value = &key.public_jwk,
        created_at: Timestamp = key.created_at,
    }
    {
        "insert into innkeeper_signing_keys (kid, algorithm, private_key, public_jwk, is_current, created_at)
         values (:kid, :algorithm, :private_key, :public_jwk, true, :created_at)
             on conflict do nothing"
    }

    /// Marks the current key as one that only verifies, until this time.
    pub(crate) async fn retire_current(until: Timestamp) {
        "update innkeeper_signing_keys set is_current = false, verifies_until = :until where is_current"
    }

    /// Sets the end of retired keys that have none: an earlier version has retired them.
    pub(crate) async fn set_missing_ends(until: Timestamp) {
        "update innkeeper_signing_keys set verifies_until = :until where not is_current and verifies_until is null"
    }

    /// Lets all retired keys that verify now do so until this time, if that is later than their end.
    pub(crate) async fn extend_ends(now: Timestamp, until: Timestamp) {
        "update innkeeper_signing_keys
            set verifies_until = :until
          where not is_current
            and verifies_until > :now
            and verifies_until < :until"
    }

    /// Locks the keys against changes until the transaction ends. Without the lock, two concurrent rotations would
    /// both retire the same key.
    pub(crate) async fn lock() {
        "lock table innkeeper_signing_keys in share row exclusive mode"
    }

    async fn insert_revocation(kid: &str, now: Timestamp) {
        "insert into innkeeper_revoked_keys (kid, revoked_at) values (:kid, :now) on conflict (kid) do nothing"
    }

    async fn delete_retired(kid: &str) {
        "delete from innkeeper_signing_keys where kid = :kid and not is_current"
    }

    /// Deletes retired keys that ended before this time.
    pub(crate) async fn delete_ended(before: Timestamp) {
        "delete from innkeeper_signing_keys where not is_current and verifies_until < :before"
    }

    async fn revoked_keys() -> Vec<RevokedKey> {
        "select r.kid, r.revoked_at from innkeeper_revoked_keys r order by r.revoked_at desc, r.kid"
    }

    /// Records a token of a service.
    pub(crate) async fn insert_service_token(token: &ServiceTokenRecord)
    where {
        id: Uuid = Uuid::new_v4(),
        kid: &str = &token.kid,
        role: &str = &token.role,
        issued_at: Timestamp = token.issued_at,
        expires_at: Option<Timestamp> = token.expires_at,
    }
    {
        "insert into innkeeper_service_tokens (id, kid, role, issued_at, expires_at)
         values (:id, :kid, :role, :issued_at, :expires_at)"
    }

    /// Lists the service tokens of a key that are valid beyond this time.
    pub(crate) async fn list_service_tokens(kid: &str, beyond: Timestamp) -> Vec<ServiceTokenRecord> {
        "select t.kid, t.role, t.issued_at, t.expires_at
           from innkeeper_service_tokens t
          where t.kid = :kid
            and (t.expires_at is null or t.expires_at > :beyond)
          order by t.issued_at"
    }
}

/// Inserts a key as the current one. Returns `false` if there is a current key already.
pub(crate) async fn insert_current(conn: &dyn Executor, key: &StoredKey) -> Result<bool> {
    Ok(count_inserted(conn, key).await? > 0)
}

/// Revokes a key, whether it is stored or not. A stored one is deleted unless it signs.
pub(crate) async fn revoke(conn: &dyn Executor, kid: &str, now: Timestamp) -> Result<()> {
    insert_revocation(conn, kid, now).await?;
    delete_retired(conn, kid).await
}

/// Lists the revoked keys and when each was revoked, the newest first.
pub(crate) async fn list_revoked(conn: &dyn Executor) -> Result<Vec<(String, Timestamp)>> {
    let keys = revoked_keys(conn).await?;
    Ok(keys
        .into_iter()
        .map(|key| (key.kid, key.revoked_at))
        .collect())
}
