//! `innkeeper_outbox`: mails and text messages to be sent, and the outcome of sending them.

use innkeeper_auth_queries::queries::outbox as queries;
pub(crate) use innkeeper_auth_queries::queries::outbox::{ClaimedRow, MailRow};
use jiff::Timestamp;
use uuid::Uuid;

use super::{GenericClient, Result};

/// A message to be added to the outbox.
#[derive(Debug)]
pub(crate) struct NewMessage<'a> {
    pub(crate) id: Uuid,
    /// `mail` or `sms`.
    pub(crate) channel: &'a str,
    pub(crate) kind: &'a str,
    /// The sealed address.
    pub(crate) recipient: &'a str,
    /// The sealed message.
    pub(crate) sealed: &'a str,
    pub(crate) give_up_at: Timestamp,
}

/// How many messages a replica can send now.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClaimCapacity {
    /// Messages that were never tried.
    pub(crate) fresh: i64,
    /// Messages that have failed before.
    pub(crate) retries: i64,
}

/// The claim of a replica on messages, and its end. Until then no other replica sends them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lease {
    pub(crate) claim: Uuid,
    pub(crate) end: Timestamp,
}

/// Adds a message.
pub(crate) async fn insert(
    conn: &impl GenericClient,
    message: &NewMessage<'_>,
    now: Timestamp,
) -> Result<()> {
    let NewMessage {
        id,
        channel,
        kind,
        recipient,
        sealed,
        give_up_at,
    } = message;
    queries::insert_mail()
        .bind(conn, id, channel, kind, recipient, sealed, &now, give_up_at)
        .one()
        .await?;
    Ok(())
}

/// Claims messages of a channel that are due, and returns them oldest first.
pub(crate) async fn claim(
    conn: &impl GenericClient,
    channel: &str,
    capacity: ClaimCapacity,
    lease: Lease,
    now: Timestamp,
) -> Result<Vec<ClaimedRow>> {
    let ClaimCapacity { fresh, retries } = capacity;
    let mut rows = queries::claim_due()
        .bind(
            conn,
            &channel,
            &now,
            &fresh,
            &retries,
            &lease.claim,
            &lease.end,
        )
        .all()
        .await?;
    rows.sort_unstable_by_key(|row| row.created_at);
    Ok(rows)
}

/// Extends the lease of messages that are still being sent.
pub(crate) async fn renew(conn: &impl GenericClient, ids: &[Uuid], lease: Lease) -> Result<()> {
    queries::renew_claims()
        .bind(conn, &lease.end, &ids, &lease.claim)
        .await?;
    Ok(())
}

/// Releases the messages of a claim, so that other replicas can send them at once. Returns how many.
pub(crate) async fn release(conn: &impl GenericClient, claim: Uuid, now: Timestamp) -> Result<u64> {
    Ok(queries::release_claims().bind(conn, &now, &claim).await?)
}

/// Marks a message as delivered and erases its content.
pub(crate) async fn set_delivered(
    conn: &impl GenericClient,
    id: Uuid,
    now: Timestamp,
) -> Result<()> {
    queries::set_delivered().bind(conn, &now, &id).opt().await?;
    Ok(())
}

/// Records why a message was not delivered and when it is tried again, unless another replica has claimed
/// it since.
pub(crate) async fn set_waiting(
    conn: &impl GenericClient,
    id: Uuid,
    claim: Uuid,
    error: &str,
    next_try_at: Timestamp,
) -> Result<()> {
    queries::set_waiting()
        .bind(conn, &error, &next_try_at, &id, &claim)
        .opt()
        .await?;
    Ok(())
}

/// Records why a mail was given up, unless another replica has claimed it since.
pub(crate) async fn set_failed(
    conn: &impl GenericClient,
    id: Uuid,
    claim: Uuid,
    error: &str,
    now: Timestamp,
) -> Result<()> {
    queries::set_failed()
        .bind(conn, &error, &now, &id, &claim)
        .opt()
        .await?;
    Ok(())
}

/// Returns one page of mails in this state, newest first. An empty state matches all.
pub(crate) async fn list(
    conn: &impl GenericClient,
    state: &str,
    limit: i64,
    offset: i64,
) -> Result<Vec<MailRow>> {
    let rows = queries::list_mails()
        .bind(conn, &state, &limit, &offset)
        .all()
        .await?;
    Ok(rows)
}

/// Counts the mails in this state. An empty state matches all.
pub(crate) async fn count(conn: &impl GenericClient, state: &str) -> Result<i64> {
    Ok(queries::count_mails().bind(conn, &state).one().await?)
}

/// Counts the messages of a channel that are neither delivered nor given up.
pub(crate) async fn count_waiting(conn: &impl GenericClient, channel: &str) -> Result<u64> {
    let waiting = queries::count_waiting().bind(conn, &channel).one().await?;
    Ok(waiting.unsigned_abs())
}

/// Makes a waiting or failed mail due now. Returns `None` if there is no such mail.
pub(crate) async fn retry(
    conn: &impl GenericClient,
    id: Uuid,
    give_up_at: Timestamp,
    now: Timestamp,
) -> Result<Option<MailRow>> {
    let row = queries::retry_mail()
        .bind(conn, &now, &give_up_at, &id)
        .opt()
        .await?;
    Ok(row)
}

/// Makes all failed mails due now, and returns how many.
pub(crate) async fn retry_failed(
    conn: &impl GenericClient,
    give_up_at: Timestamp,
    now: Timestamp,
) -> Result<u64> {
    Ok(queries::retry_failed()
        .bind(conn, &now, &give_up_at)
        .await?)
}

/// Returns the state of a mail.
pub(crate) async fn find_state(conn: &impl GenericClient, id: Uuid) -> Result<Option<String>> {
    Ok(queries::find_state().bind(conn, &id).opt().await?)
}
