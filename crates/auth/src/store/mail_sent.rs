//! `innkeeper_mail_sent`: when something was last sent to an address, known or not.

use innkeeper_auth_queries::queries::mail_sent as queries;
use jiff::Timestamp;

use super::{GenericClient, Result};

/// Marks the address unless it was marked after the threshold; says whether it is marked now.
pub(crate) async fn try_mark(
    conn: &impl GenericClient,
    address: &[u8],
    kind: &str,
    now: Timestamp,
    threshold: Timestamp,
) -> Result<bool> {
    let marked = queries::try_mark()
        .bind(conn, &address, &kind, &now, &threshold)
        .opt()
        .await?;
    Ok(marked.is_some())
}

/// When the address was last marked.
pub(crate) async fn find_mark(
    conn: &impl GenericClient,
    address: &[u8],
    kind: &str,
) -> Result<Option<Timestamp>> {
    let at = queries::find_mark()
        .bind(conn, &address, &kind)
        .opt()
        .await?;
    Ok(at)
}

/// Takes a mark back, when nothing was sent after all.
pub(crate) async fn forget(conn: &impl GenericClient, address: &[u8], kind: &str) -> Result<()> {
    queries::forget_mark().bind(conn, &address, &kind).await?;
    Ok(())
}

/// Deletes marks that are too old to matter.
pub(crate) async fn forget_before(conn: &impl GenericClient, threshold: Timestamp) -> Result<u64> {
    Ok(queries::forget_before().bind(conn, &threshold).await?)
}
