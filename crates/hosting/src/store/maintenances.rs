//! `maintenances`: work that is announced.

use innkeeper_hosting_queries::queries::maintenances as queries;
use jiff::Timestamp;

use super::{GenericClient, Result};
use crate::status::Maintenance;

/// Adds a maintenance.
pub(crate) async fn insert(conn: &impl GenericClient, work: &Maintenance) -> Result<()> {
    let insert = queries::insert_maintenance();
    let inserted = insert.bind(
        conn,
        &work.id,
        &work.title,
        &work.body,
        &work.components,
        &work.scheduled_for,
        &work.scheduled_until,
        &work.created_at,
    );
    inserted.await?;
    Ok(())
}

/// Calls a maintenance off; false when there is none of this id that could be.
pub(crate) async fn cancel(conn: &impl GenericClient, id: &str, now: Timestamp) -> Result<bool> {
    let cancelled = queries::cancel_maintenance()
        .bind(conn, &now, &id)
        .opt()
        .await?;
    Ok(cancelled.is_some())
}

/// Maintenances that end after a time, those that begin first in front.
pub(crate) async fn list(
    conn: &impl GenericClient,
    until_after: Timestamp,
    most: i64,
) -> Result<Vec<Maintenance>> {
    let rows = queries::list_maintenances()
        .bind(conn, &until_after, &most)
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
