//! `audit_log`: who did what.

use innkeeper_hosting_queries::queries::audit_log as queries;
use jiff::Timestamp;

use super::{GenericClient, Result};
use crate::model::AuditEntry;

/// Adds an entry.
pub(crate) async fn insert(conn: &impl GenericClient, entry: &AuditEntry) -> Result<()> {
    let address = entry.address.map(|address| address.to_string());
    let actor = entry.actor.as_str();
    let insert = queries::insert_entry();
    let inserted = insert.bind(
        conn,
        &entry.at,
        &entry.customer_id,
        &actor,
        &entry.event,
        &entry.target,
        &address,
        &entry.request_id,
        &entry.outcome,
        &entry.details,
    );
    inserted.await?;
    Ok(())
}

/// Deletes the entries before a time.
pub(crate) async fn delete_before(conn: &impl GenericClient, before: Timestamp) -> Result<u64> {
    Ok(queries::delete_entries().bind(conn, &before).await?)
}
