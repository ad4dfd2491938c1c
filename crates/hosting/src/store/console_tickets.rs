//! `console_tickets`: one-time tickets with which a browser opens a console.

use innkeeper_hosting_queries::queries::console_tickets as queries;
use jiff::Timestamp;
use uuid::Uuid;

use super::{GenericClient, Result};

/// What a ticket is bound to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TicketBinding {
    /// The key that it was made with.
    pub(crate) key_id: String,
    /// The machine whose console it opens.
    pub(crate) machine_id: Uuid,
    /// The origin of the pages that may use it; `None` means any client.
    pub(crate) origin: Option<String>,
    /// When it stops working.
    pub(crate) expires_at: Timestamp,
}

/// Adds a ticket by its hash.
pub(crate) async fn insert(
    conn: &impl GenericClient,
    hash: &[u8],
    binding: &TicketBinding,
) -> Result<()> {
    let insert = queries::insert_ticket();
    let inserted = insert.bind(
        conn,
        &hash,
        &binding.key_id,
        &binding.machine_id,
        &binding.origin,
        &binding.expires_at,
    );
    inserted.await?;
    Ok(())
}

/// Deletes a ticket by its hash and returns what it was bound to. Of several callers one gets it.
pub(crate) async fn take(conn: &impl GenericClient, hash: &[u8]) -> Result<Option<TicketBinding>> {
    let taken = queries::take_ticket().bind(conn, &hash).opt().await?;
    Ok(taken.map(|row| TicketBinding {
        key_id: row.key_id,
        machine_id: row.machine_id,
        origin: row.origin,
        expires_at: row.expires_at,
    }))
}

/// Deletes the tickets that nobody used in time.
pub(crate) async fn delete_expired(conn: &impl GenericClient, now: Timestamp) -> Result<u64> {
    Ok(queries::delete_expired_tickets().bind(conn, &now).await?)
}
