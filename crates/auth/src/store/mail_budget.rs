//! `innkeeper_mail_budget`: the counters of the server-wide mail limit.

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

/// A request to send mails to one address.
#[derive(Debug)]
pub(crate) struct MailClaim<'a> {
    /// The keyed hash of the address.
    pub(crate) address: &'a [u8],
    /// The name of the timer that keeps the interval between mails to the address.
    pub(crate) timer: &'a str,
    /// The address is refused if its timer was started after this time. `None` if the kind of mail has no
    /// interval; no timer is started then.
    pub(crate) threshold: Option<Timestamp>,
    pub(crate) mails: u32,
}

/// Starts the timer of the address and counts the mails, if both limits allow it.
pub(crate) async fn claim(
    conn: &impl GenericClient,
    rate: Rate,
    claim: &MailClaim<'_>,
    now: Timestamp,
) -> Result<Taken> {
    let MailClaim { address, timer, .. } = claim;
    let has_interval = claim.threshold.is_some();
    let threshold = claim.threshold.unwrap_or(now);
    let taken = match rate {
        Rate::PerHour(size) => {
            let hour_ago = now.checked_sub(HOUR).unwrap_or(now);
            let (mails, size) = (whole(claim.mails), whole(size));
            queries::claim_hourly()
                .bind(
                    conn,
                    address,
                    timer,
                    &now,
                    &has_interval,
                    &threshold,
                    &mails,
                    &hour_ago,
                    &size,
                )
                .one()
                .await
        }
        Rate::Bucket { size, refill } => {
            let (cost, capacity) = (seconds(refill, claim.mails), seconds(refill, size));
            queries::claim_from_bucket()
                .bind(
                    conn,
                    address,
                    timer,
                    &now,
                    &has_interval,
                    &threshold,
                    &cost,
                    &capacity,
                )
                .one()
                .await
        }
    };
    Ok(taken?)
}

/// Takes mails off the count, because they were not sent after all.
pub(crate) async fn release(conn: &impl GenericClient, rate: Rate, mails: u32) -> Result<()> {
    let cost = match rate {
        Rate::PerHour(_) => 0.0,
        Rate::Bucket { refill, .. } => seconds(refill, mails),
    };
    queries::give_back()
        .bind(conn, &whole(mails), &cost, &name(rate))
        .await?;
    Ok(())
}

/// Returns the time until this many mails may be sent.
pub(crate) async fn wait(
    conn: &impl GenericClient,
    rate: Rate,
    mails: u32,
    now: Timestamp,
) -> Result<SignedDuration> {
    let since = queries::find_budget().bind(conn, &name(rate)).opt().await?;
    let passed = now.duration_since(since.unwrap_or(now));
    Ok(match rate {
        Rate::PerHour(_) => HOUR.saturating_sub(passed),
        Rate::Bucket { size, refill } => {
            let missing = seconds(refill, mails) - seconds(refill, size);
            SignedDuration::try_from_secs_f64(missing)
                .unwrap_or(HOUR)
                .saturating_sub(passed)
        }
    })
}

fn name(rate: Rate) -> &'static str {
    match rate {
        Rate::PerHour(_) => "hour",
        Rate::Bucket { .. } => "bucket",
    }
}

fn whole(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX / 2)
}

fn seconds(refill: SignedDuration, times: u32) -> f64 {
    (refill.as_secs_f64() * f64::from(times)).min(LONGEST)
}
