//! `innkeeper_mail_budget`: the counters of the server-wide limits of mails and of text messages.

use innkeeper_service::database::{Executor, rows, statements};
use jiff::{SignedDuration, Timestamp};

use super::Result;
use crate::config::Rate;

/// The window of an hourly rate.
const HOUR: SignedDuration = SignedDuration::from_hours(1);

/// The longest time of a bucket, in seconds: more than any bucket needs, and little enough for
/// PostgreSQL to add to a time.
const LONGEST: f64 = 1e10;

/// A server-wide limit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    pub(crate) counted: CountedMessages,
    pub(crate) rate: Rate,
}

/// What a server-wide limit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CountedMessages {
    Mails,
    TextMessages,
}

/// A request to send messages to one recipient.
#[derive(Debug)]
pub(crate) struct MessageClaim<'a> {
    /// The keyed hash of the address or number.
    pub(crate) address: &'a [u8],
    /// The name of the timer that keeps the interval between messages to the recipient.
    pub(crate) timer: &'a str,
    /// The recipient is refused if its timer was started after this time. `None` if the kind of message has no
    /// interval; no timer is started then.
    pub(crate) threshold: Option<Timestamp>,
    pub(crate) messages: u32,
}

rows! {
    /// What a claim has done.
    #[derive(Debug)]
    pub(crate) struct Taken {
        /// Whether the timer of the recipient was started.
        pub(crate) is_marked: bool,
        /// Whether the messages were counted.
        pub(crate) is_counted: bool,
    }
}

/// The end of each claim.
const TAKEN: &str =
    "select exists (select from marked) as is_marked, exists (select from counted) as is_counted";

statements! {
    async fn claim_hourly(budget: Budget, size: u32, claim: &MessageClaim<'_>, now: Timestamp) -> Taken
    where {
        address: &[u8] = claim.address,
        timer: &str = claim.timer,
        is_paced: bool = claim.threshold.is_some(),
        threshold: Timestamp = claim.threshold.unwrap_or(now),
        messages: i32 = whole(claim.messages),
        name: &str = budget.name(),
        size: i32 = whole(size),
        hour_ago: Timestamp = now.checked_sub(HOUR).unwrap_or(now),
        now: Timestamp,
    }
    { include_str!("mail_budget/marked.sql"), include_str!("mail_budget/counted_hourly.sql"), TAKEN }

    async fn claim_from_bucket(
        budget: Budget, capacity: f64, claim: &MessageClaim<'_>, now: Timestamp,
    ) -> Taken
    where {
        address: &[u8] = claim.address,
        timer: &str = claim.timer,
        is_paced: bool = claim.threshold.is_some(),
        threshold: Timestamp = claim.threshold.unwrap_or(now),
        cost: f64 = budget.cost(claim.messages),
        name: &str = budget.name(),
        capacity: f64,
        now: Timestamp,
    }
    { include_str!("mail_budget/marked.sql"), include_str!("mail_budget/counted_from_bucket.sql"), TAKEN }

    /// Takes messages off the count, because they were not sent after all.
    pub(crate) async fn release(budget: Budget, messages: u32)
    where { messages: i32 = whole(messages), cost: f64 = budget.cost(messages), name: &str = budget.name() }
    {
        "update innkeeper_mail_budget
            set used = greatest(used - :messages, 0),
                since = since - make_interval(secs => :cost)
          where name = :name"
    }

    async fn find_since(name: &str) -> Option<Timestamp> {
        "select b.since from innkeeper_mail_budget b where b.name = :name"
    }
}

/// Starts the timer of the recipient and counts the messages, if both limits allow it.
pub(crate) async fn claim(
    conn: &dyn Executor,
    budget: Budget,
    claim: &MessageClaim<'_>,
    now: Timestamp,
) -> Result<Taken> {
    match budget.rate {
        Rate::PerHour(size) => claim_hourly(conn, budget, size, claim, now).await,
        Rate::Bucket { size, refill } => {
            claim_from_bucket(conn, budget, seconds(refill, size), claim, now).await
        }
    }
}

/// Returns the time until this many messages may be sent.
pub(crate) async fn wait(
    conn: &dyn Executor,
    budget: Budget,
    messages: u32,
    now: Timestamp,
) -> Result<SignedDuration> {
    let since = find_since(conn, budget.name()).await?;
    let passed = now.duration_since(since.unwrap_or(now));
    Ok(match budget.rate {
        Rate::PerHour(_) => HOUR.saturating_sub(passed),
        Rate::Bucket { size, refill } => {
            let missing = budget.cost(messages) - seconds(refill, size);
            SignedDuration::try_from_secs_f64(missing)
                .unwrap_or(HOUR)
                .saturating_sub(passed)
        }
    })
}

impl Budget {
    /// Returns the time after which a bucket has as many messages more, in seconds.
    fn cost(self, messages: u32) -> f64 {
        match self.rate {
            Rate::PerHour(_) => 0.0,
            Rate::Bucket { refill, .. } => seconds(refill, messages),
        }
    }

    fn name(self) -> &'static str {
        match (self.counted, self.rate) {
            (CountedMessages::Mails, Rate::PerHour(_)) => "hour",
            (CountedMessages::Mails, Rate::Bucket { .. }) => "bucket",
            (CountedMessages::TextMessages, Rate::PerHour(_)) => "sms_hour",
            (CountedMessages::TextMessages, Rate::Bucket { .. }) => "sms_bucket",
        }
    }
}

fn whole(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX / 2)
}

fn seconds(refill: SignedDuration, times: u32) -> f64 {
    (refill.as_secs_f64() * f64::from(times)).min(LONGEST)
}
