//! `status_readers` and `status_changes`: which changes of the status each replica shows.

use innkeeper_hosting_queries::queries::status_readers as queries;
use uuid::Uuid;

use super::{GenericClient, Result};

/// Counts a committed change, and returns its number.
pub(crate) async fn count_change(conn: &impl GenericClient) -> Result<i64> {
    Ok(queries::count_change().bind(conn).one().await?)
}

/// Returns the number of the last change; 0 if there was none.
pub(crate) async fn last_change(conn: &impl GenericClient) -> Result<i64> {
    Ok(queries::last_change().bind(conn).one().await?)
}

/// Stores that a replica runs, and shows everything up to a change.
pub(crate) async fn show_change(conn: &impl GenericClient, replica: Uuid, seen: i64) -> Result<()> {
    queries::show_change().bind(conn, &replica, &seen).await?;
    Ok(())
}

/// Counts the replicas that were heard of within some seconds and do not show a change yet.
pub(crate) async fn count_behind(
    conn: &impl GenericClient,
    number: i64,
    seconds: f64,
) -> Result<i64> {
    Ok(queries::count_behind()
        .bind(conn, &number, &seconds)
        .one()
        .await?)
}

/// Deletes a replica that ends.
pub(crate) async fn forget(conn: &impl GenericClient, replica: Uuid) -> Result<()> {
    queries::forget_reader().bind(conn, &replica).await?;
    Ok(())
}

/// Deletes replicas that ended without saying so.
pub(crate) async fn forget_silent(conn: &impl GenericClient) -> Result<u64> {
    Ok(queries::forget_silent_readers().bind(conn).await?)
}
