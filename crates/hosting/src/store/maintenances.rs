//! `maintenances`: announced maintenances.

use innkeeper_hosting_queries::queries::maintenances as queries;
use jiff::Timestamp;

use super::{GenericClient, Result};
use crate::status::Maintenance;

/// Adds a maintenance.
pub(crate) async fn insert(conn: &impl GenericClient, maintenance: &Maintenance) -> Result<()> {
    let insert = queries::insert_maintenance();
    let inserted = insert.bind(
        conn,
        &maintenance.id,
        &maintenance.title,
        &maintenance.body,
        &maintenance.components,
        &maintenance.scheduled_for,
        &maintenance.scheduled_until,
        &maintenance.created_at,
    );
    inserted.await?;
    Ok(())
}

/// Cancels a maintenance; returns false if there is none with this id that can be cancelled.
pub(crate) async fn cancel(conn: &impl GenericClient, id: &str, now: Timestamp) -> Result<bool> {
    let cancelled = queries::cancel_maintenance()
        .bind(conn, &now, &id)
        .opt()
        .await?;
    Ok(cancelled.is_some())
}

/// Returns the maintenances that end after a time, earliest first.
pub(crate) async fn list(
    conn: &impl GenericClient,
    ends_after: Timestamp,
    limit: i64,
) -> Result<Vec<Maintenance>> {
    let rows = queries::list_maintenances()
        .bind(conn, &ends_after, &limit)
        .all()
        .await?;
    let read = rows.into_iter().map(|row| Maintenance {
        id: row.id,
        title: row.title,
        body: row.body,
        components: row.components,
        scheduled_for: row.scheduled_for,
        scheduled_until: row.scheduled_until,
        created_at: row.created_at,
        cancelled_at: row.cancelled_at,
    });
    Ok(read.collect())
}
