//! `leases`: tasks that only one replica does at a time.

use innkeeper_hosting_queries::queries::leases as queries;
use jiff::Timestamp;
use uuid::Uuid;

use super::{GenericClient, Result};

/// Takes or renews a lease until a time; returns false if somebody else holds it.
pub(crate) async fn try_lease(
    conn: &impl GenericClient,
    name: &str,
    holder: Uuid,
    now: Timestamp,
    until: Timestamp,
) -> Result<bool> {
    let taken = queries::try_lease()
        .bind(conn, &name, &holder, &until, &now)
        .opt()
        .await?;
    Ok(taken.is_some())
}

/// Releases a lease, so that others can take it at once.
pub(crate) async fn release(conn: &impl GenericClient, name: &str, holder: Uuid) -> Result<()> {
    queries::give_back().bind(conn, &name, &holder).await?;
    Ok(())
}
