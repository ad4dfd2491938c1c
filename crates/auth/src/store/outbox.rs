//! `innkeeper_outbox`: mails and text messages to be sent, and the outcome of sending them.

use innkeeper_service::database::{Executor, rows, statements};
use jiff::Timestamp;
use uuid::Uuid;

use super::Result;

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

rows! {
    /// A message that a replica has claimed.
    #[derive(Debug)]
    pub(crate) struct ClaimedRow {
        pub(crate) id: Uuid,
        pub(crate) sealed: String where "only messages that are over have none",
        pub(crate) tries: i32,
        pub(crate) created_at: Timestamp,
        pub(crate) give_up_at: Timestamp,
    }

    /// A mail as admins see it.
    #[derive(Debug)]
    pub(crate) struct MailRow {
        pub(crate) id: Uuid,
        pub(crate) kind: String,
        pub(crate) state: String,
        pub(crate) recipient: String,
        pub(crate) tries: i32,
        pub(crate) last_error: Option<String>,
        pub(crate) next_try_at: Timestamp,
        pub(crate) created_at: Timestamp,
        pub(crate) ended_at: Option<Timestamp>,
    }
}

const MAIL: &str =
    "id, kind, state, recipient, tries, last_error, next_try_at, created_at, ended_at";

const MAILS_IN_STATE: &str = "
  from innkeeper_outbox
 where (:state = '' or state = :state)
   and channel = 'mail'";

const RETRY_MAILS: &str = "
update innkeeper_outbox
   set state = 'waiting',
       next_try_at = :now,
       give_up_at = :give_up_at,
       ended_at = null
 where channel = 'mail'";

statements! {
    /// Adds a message.
    pub(crate) async fn insert(message: &NewMessage<'_>, now: Timestamp)
    where {
        id: Uuid = message.id,
        channel: &str = message.channel,
        kind: &str = message.kind,
        recipient: &str = message.recipient,
        sealed: &str = message.sealed,
        give_up_at: Timestamp = message.give_up_at,
        now: Timestamp,
    }
    {
        "insert into innkeeper_outbox (id, channel, kind, recipient, sealed, next_try_at, give_up_at, created_at)
         values (:id, :channel, :kind, :recipient, :sealed, :now, :give_up_at, :now)"
    }

    async fn claim_due(channel: &str, capacity: ClaimCapacity, lease: Lease, now: Timestamp) -> Vec<ClaimedRow>
    where {
        channel: &str,
        fresh: i64 = capacity.fresh,
        again: i64 = capacity.retries,
        claim: Uuid = lease.claim,
        lease_end: Timestamp = lease.end,
        now: Timestamp,
    }
    { include_str!("outbox/claim.sql") }

    /// Extends the lease of messages that are still being sent.
    pub(crate) async fn renew(ids: &[Uuid], lease: Lease)
    where { ids: &[Uuid], claim: Uuid = lease.claim, lease_end: Timestamp = lease.end }
    {
        "update innkeeper_outbox
            set next_try_at = :lease_end
          where id = any(:ids)
            and claim = :claim
            and state = 'sending'"
    }

    /// Releases the messages of a claim, so that other replicas can send them at once. Returns how many.
    pub(crate) async fn release(claim: Uuid, now: Timestamp) -> u64 {
        "update innkeeper_outbox
            set state = 'waiting', claim = null, next_try_at = :now
          where claim = :claim
            and state = 'sending'"
    }

    /// Marks a message as delivered and erases its content, whichever replica delivered it: it must not be sent
    /// again, even if another replica has claimed it since.
    pub(crate) async fn set_delivered(id: Uuid, now: Timestamp) {
        "update innkeeper_outbox
            set state = 'delivered', sealed = null, claim = null, last_error = null, ended_at = :now
          where id = :id"
    }

    /// Records why a message was not delivered and when it is tried again, unless another replica has claimed
    /// it since.
    pub(crate) async fn set_waiting(id: Uuid, claim: Uuid, error: &str, next_try_at: Timestamp) {
        "update innkeeper_outbox
            set state = 'waiting', claim = null, last_error = :error, next_try_at = :next_try_at
          where id = :id
            and claim = :claim"
    }

    /// Records why a message was given up, unless another replica has claimed it since. The code of a text message
    /// has expired by then.
    pub(crate) async fn set_failed(id: Uuid, claim: Uuid, error: &str, now: Timestamp) {
        "update innkeeper_outbox
            set state = 'failed',
                sealed = case channel when 'sms' then null else sealed end,
                claim = null,
                last_error = :error,
                ended_at = :now
          where id = :id
            and claim = :claim"
    }

    /// Returns one page of mails in this state, newest first. An empty state matches all.
    pub(crate) async fn list(state: &str, limit: i64, offset: i64) -> Vec<MailRow> {
        "select", MAIL, MAILS_IN_STATE, "order by created_at desc, id desc limit :limit offset :offset"
    }

    /// Counts the mails in this state. An empty state matches all.
    pub(crate) async fn count(state: &str) -> i64 {
        "select count(*)", MAILS_IN_STATE
    }

    /// Each part has its own index.
    async fn number_waiting(channel: &str) -> i64 {
        "select (select count(*)
                   from innkeeper_outbox o
                  where o.state in ('waiting', 'sending')
                    and o.channel = :channel
                    and o.tries = 0)
              + (select count(*)
                   from innkeeper_outbox o
                  where o.state in ('waiting', 'sending')
                    and o.channel = :channel
                    and o.tries > 0)"
    }

    /// Makes a waiting or failed mail due now. Returns `None` if there is no such mail.
    pub(crate) async fn retry(id: Uuid, give_up_at: Timestamp, now: Timestamp) -> Option<MailRow> {
        RETRY_MAILS, "and id = :id and state in ('waiting', 'failed') returning", MAIL
    }

    /// Makes all failed mails due now, and returns how many.
    pub(crate) async fn retry_failed(give_up_at: Timestamp, now: Timestamp) -> u64 {
        RETRY_MAILS, "and state = 'failed'"
    }

    /// Returns the state of a mail.
    pub(crate) async fn find_state(id: Uuid) -> Option<String> {
        "select state from innkeeper_outbox where id = :id and channel = 'mail'"
    }
}

/// Claims messages of a channel that are due, and returns them oldest first.
pub(crate) async fn claim(
    conn: &dyn Executor,
    channel: &str,
    capacity: ClaimCapacity,
    lease: Lease,
    now: Timestamp,
) -> Result<Vec<ClaimedRow>> {
    let mut rows = claim_due(conn, channel, capacity, lease, now).await?;
    rows.sort_unstable_by_key(|row| row.created_at);
    Ok(rows)
}

/// Counts the messages of a channel that are neither delivered nor given up.
pub(crate) async fn count_waiting(conn: &dyn Executor, channel: &str) -> Result<u64> {
    Ok(number_waiting(conn, channel).await?.unsigned_abs())
}
