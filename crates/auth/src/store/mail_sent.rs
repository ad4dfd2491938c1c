//! `innkeeper_mail_sent`: the timers that keep the interval between mails to one address, whether or not
//! a user has that address.

use innkeeper_auth_queries::queries::mail_sent as queries;
use jiff::Timestamp;

use super::{GenericClient, Result};

/// Starts the timer of an address, unless it was started after the threshold. Returns whether it was
/// started now.
pub(crate) async fn try_start(
    conn: &impl GenericClient,
    address: &[u8],
    timer: &str,
    now: Timestamp,
    threshold: Timestamp,
) -> Result<bool> {
    let started = queries::try_mark()
        .bind(conn, &address, &timer, &now, &threshold)
        .opt()
        .await?;
    Ok(started.is_some())
}

/// Returns the time when the timer of an address was last started.
pub(crate) async fn find_start(
    conn: &impl GenericClient,
    address: &[u8],
    timer: &str,
) -> Result<Option<Timestamp>> {
    let at = queries::find_mark()
        .bind(conn, &address, &timer)
        .opt()
        .await?;
    Ok(at)
}

/// Deletes the timer of an address, because nothing was sent after all.
pub(crate) async fn delete(conn: &impl GenericClient, address: &[u8], timer: &str) -> Result<()> {
    queries::forget_mark().bind(conn, &address, &timer).await?;
    Ok(())
}

/// Deletes the timers that were started before the threshold, and returns how many.
pub(crate) async fn delete_before(conn: &impl GenericClient, threshold: Timestamp) -> Result<u64> {
    Ok(queries::forget_before().bind(conn, &threshold).await?)
}
