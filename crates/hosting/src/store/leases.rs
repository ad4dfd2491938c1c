//! `leases`: which replica does what only one should do.

use innkeeper_hosting_queries::queries::leases as queries;
use jiff::Timestamp;
use uuid::Uuid;

use super::{GenericClient, Result};

/// Takes or keeps a lease until a time; false when somebody else has it.
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

/// Lets others have it at once.
pub(crate) async fn give_back(conn: &impl GenericClient, name: &str, holder: Uuid) -> Result<()> {
    queries::give_back().bind(conn, &name, &holder).await?;
    Ok(())
}
