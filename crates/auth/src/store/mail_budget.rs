//! `innkeeper_mail_budget`: the counters of the server-wide limits of mails and of text messages.

use innkeeper_auth_queries::queries::mail_budget as queries;
pub(crate) use innkeeper_auth_queries::queries::mail_budget::Taken;
use jiff::{SignedDuration, Timestamp};

use super::{GenericClient, Result};
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

/// Starts the timer of the recipient and counts the messages, if both limits allow it.
pub(crate) async fn claim(
    conn: &impl GenericClient,
    budget: Budget,
    claim: &MessageClaim<'_>,
    now: Timestamp,
) -> Result<Taken> {
    let MessageClaim { address, timer, .. } = claim;
    let name = budget.name();
    let has_interval = claim.threshold.is_some();
    let threshold = claim.threshold.unwrap_or(now);
    let taken = match budget.rate {
        Rate::PerHour(size) => {
            let hour_ago = now.checked_sub(HOUR).unwrap_or(now);
            let (mails, size) = (whole(claim.messages), whole(size));
            queries::claim_hourly()
                .bind(
                    conn,
                    address,
                    timer,
                    &now,
                    &has_interval,
                    &threshold,
                    &name,
                    &mails,
                    &hour_ago,
                    &size,
                )
                .one()
                .await
        }
        Rate::Bucket { size, refill } => {
            let (cost, capacity) = (seconds(refill, claim.messages), seconds(refill, size));
            queries::claim_from_bucket()
                .bind(
                    conn,
                    address,
                    timer,
                    &now,
                    &has_interval,
                    &threshold,
                    &name,
                    &cost,
                    &capacity,
                )
                .one()
                .await
        }
    };
    Ok(taken?)
}

/// Takes messages off the count, because they were not sent after all.
pub(crate) async fn release(
    conn: &impl GenericClient,
    budget: Budget,
    messages: u32,
) -> Result<()> {
    let cost = match budget.rate {
        Rate::PerHour(_) => 0.0,
        Rate::Bucket { refill, .. } => seconds(refill, messages),
    };
    queries::give_back()
        .bind(conn, &whole(messages), &cost, &budget.name())
        .await?;
    Ok(())
}

/// Returns the time until this many messages may be sent.
pub(crate) async fn wait(
    conn: &impl GenericClient,
    budget: Budget,
    messages: u32,
    now: Timestamp,
) -> Result<SignedDuration> {
    let since = queries::find_budget()
        .bind(conn, &budget.name())
        .opt()
        .await?;
    let passed = now.duration_since(since.unwrap_or(now));
    Ok(match budget.rate {
        Rate::PerHour(_) => HOUR.saturating_sub(passed),
        Rate::Bucket { size, refill } => {
            let missing = seconds(refill, messages) - seconds(refill, size);
            SignedDuration::try_from_secs_f64(missing)
                .unwrap_or(HOUR)
                .saturating_sub(passed)
        }
    })
}

impl Budget {
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
