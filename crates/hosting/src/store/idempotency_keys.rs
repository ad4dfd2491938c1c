//! `idempotency_keys`: which actions requests with an `Idempotency-Key` were answered with.

use innkeeper_service::database::{Executor, rows, statements};
use jiff::{SignedDuration, Timestamp};

use super::Result;

/// How long a key is remembered.
const LIFETIME: SignedDuration = SignedDuration::from_hours(24);

rows! {
    /// A request that was made with a key.
    #[derive(Debug)]
    pub(crate) struct KeyedRequest {
        /// The hash of what was asked for.
        pub(crate) request: Vec<u8>,
        /// The action that it was answered with.
        pub(crate) action_id: String,
    }
}

statements! {
    /// Returns the request of a customer with this key, if it is not older than a day.
    pub(crate) async fn find(customer_id: &str, key: &str, now: Timestamp) -> Option<KeyedRequest>
    where { customer_id: &str, key: &str, after: Timestamp = now - LIFETIME }
    {
        "select k.request, k.action_id
           from idempotency_keys k
          where k.customer_id = :customer_id
            and k.key = :key
            and k.created_at > :after"
    }

    async fn count_inserted(customer_id: &str, key: &str, request: &KeyedRequest, now: Timestamp) -> u64
    where {
        customer_id: &str,
        key: &str,
        request: &[u8] = &request.request,
        action_id: &str = &request.action_id,
        now: Timestamp,
        expired: Timestamp = now - LIFETIME,
    }
    {
        "insert into idempotency_keys as k
                (customer_id, key, request, action_id, created_at)
         values (:customer_id, :key, :request, :action_id, :now)
             on conflict (customer_id, key)
             do update set request = excluded.request,
                           action_id = excluded.action_id,
                           created_at = excluded.created_at
                       where k.created_at <= :expired"
    }

    /// Deletes keys that are older than a day.
    pub(crate) async fn delete_expired(now: Timestamp) -> u64
    where { before: Timestamp = now - LIFETIME }
    { "delete from idempotency_keys where created_at <= :before" }
}

/// Remembers a request; returns false if another one, which was committed meanwhile, has used the key. A key that has
/// expired can be used again.
pub(crate) async fn insert(
    conn: &dyn Executor,
    customer_id: &str,
    key: &str,
    request: &KeyedRequest,
    now: Timestamp,
) -> Result<bool> {
    Ok(count_inserted(conn, customer_id, key, request, now).await? > 0)
}
