//! `innkeeper_outbox`: mails that wait for the mail server, and what became of them.

use innkeeper_auth_queries::queries::outbox as queries;
pub(crate) use innkeeper_auth_queries::queries::outbox::{ClaimedRow, MailRow};
use jiff::Timestamp;
use uuid::Uuid;

use super::{GenericClient, Result};

/// A mail on its way into the outbox.
#[derive(Debug)]
pub(crate) struct NewMail<'a> {
    pub(crate) id: Uuid,
    pub(crate) kind: &'a str,
    /// The sealed address.
    pub(crate) recipient: &'a str,
    /// The sealed message.
    pub(crate) sealed: &'a str,
    pub(crate) give_up_at: Timestamp,
}

/// How many mails of each sort are wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Free {
    /// Of those that were never tried.
    pub(crate) fresh: i64,
    /// Of those that have failed before.
    pub(crate) again: i64,
}

/// Who sends a mail, and until when nobody else does.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lease {
    pub(crate) claim: Uuid,
    pub(crate) end: Timestamp,
}

/// Adds a mail.
pub(crate) async fn insert(
    conn: &impl GenericClient,
    mail: &NewMail<'_>,
    now: Timestamp,
) -> Result<()> {
    let NewMail {
        id,
        kind,
        recipient,
        sealed,
        give_up_at,
    } = mail;
    queries::insert_mail()
        .bind(conn, id, kind, recipient, sealed, &now, give_up_at)
        .one()
        .await?;
    Ok(())
}

/// Claims mails that are due, the one that waits longest first.
pub(crate) async fn claim(
    conn: &impl GenericClient,
    free: Free,
    lease: Lease,
    now: Timestamp,
) -> Result<Vec<ClaimedRow>> {
    let Free { fresh, again } = free;
    let mut rows = queries::claim_due()
        .bind(conn, &now, &fresh, &again, &lease.claim, &lease.end)
        .all()
        .await?;
    rows.sort_unstable_by_key(|row| row.created_at);
    Ok(rows)
}

/// Says that these mails are still being sent.
pub(crate) async fn renew(conn: &impl GenericClient, ids: &[Uuid], lease: Lease) -> Result<()> {
    queries::renew_claims()
        .bind(conn, &lease.end, &ids, &lease.claim)
        .await?;
    Ok(())
}

/// Lets others send at once what this one has claimed; says how many mails that are.
pub(crate) async fn release(conn: &impl GenericClient, claim: Uuid, now: Timestamp) -> Result<u64> {
    Ok(queries::release_claims().bind(conn, &now, &claim).await?)
}

/// Notes that a mail was delivered, and erases what it said.
pub(crate) async fn set_delivered(
    conn: &impl GenericClient,
    id: Uuid,
    now: Timestamp,
) -> Result<()> {
    queries::set_delivered().bind(conn, &now, &id).opt().await?;
    Ok(())
}

/// Notes why a mail was not delivered and when it is tried again, unless somebody else has it by now.
pub(crate) async fn set_waiting(
    conn: &impl GenericClient,
    (id, claim): (Uuid, Uuid),
    error: &str,
    next_try_at: Timestamp,
) -> Result<()> {
    queries::set_waiting()
        .bind(conn, &error, &next_try_at, &id, &claim)
        .opt()
        .await?;
    Ok(())
}

/// Notes why a mail was given up, unless somebody else has it by now.
pub(crate) async fn set_failed(
    conn: &impl GenericClient,
    (id, claim): (Uuid, Uuid),
    error: &str,
    now: Timestamp,
) -> Result<()> {
    queries::set_failed()
        .bind(conn, &error, &now, &id, &claim)
        .opt()
        .await?;
    Ok(())
}

/// One page of mails in this state, newest first; an empty state means all.
pub(crate) async fn list(
    conn: &impl GenericClient,
    state: &str,
    size: i64,
    skipped: i64,
) -> Result<Vec<MailRow>> {
    let rows = queries::list_mails()
        .bind(conn, &state, &size, &skipped)
        .all()
        .await?;
    Ok(rows)
}

/// How many mails are in this state.
pub(crate) async fn count(conn: &impl GenericClient, state: &str) -> Result<i64> {
    Ok(queries::count_mails().bind(conn, &state).one().await?)
}

/// How many mails are not done yet.
pub(crate) async fn count_waiting(conn: &impl GenericClient) -> Result<u64> {
    let waiting = queries::count_waiting().bind(conn).one().await?;
    Ok(waiting.unsigned_abs())
}

/// Makes a mail due that waits or has failed.
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

/// Makes all mails due that have failed, and says how many.
pub(crate) async fn retry_failed(
    conn: &impl GenericClient,
    give_up_at: Timestamp,
    now: Timestamp,
) -> Result<u64> {
    Ok(queries::retry_failed()
        .bind(conn, &now, &give_up_at)
        .await?)
}

/// The state of a mail.
pub(crate) async fn find_state(conn: &impl GenericClient, id: Uuid) -> Result<Option<String>> {
    Ok(queries::find_state().bind(conn, &id).opt().await?)
}
