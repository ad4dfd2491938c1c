//! `innkeeper_mail_budget`: how many mails the whole server may still send.

use innkeeper_auth_queries::queries::mail_budget as queries;
pub(crate) use innkeeper_auth_queries::queries::mail_budget::Taken;
use jiff::{SignedDuration, Timestamp};

use super::{GenericClient, Result};
use crate::config::Rate;

/// The length of a window.
const HOUR: SignedDuration = SignedDuration::from_hours(1);

/// More seconds than any bucket needs, and few enough for PostgreSQL to add to a time.
const LONGEST: f64 = 1e10;

/// Mails to an address that somebody asks for.
#[derive(Debug)]
pub(crate) struct Wanted<'a> {
    /// The keyed hash of the address.
    pub(crate) address: &'a [u8],
    /// The timer that the address is marked in.
    pub(crate) timer: &'a str,
    /// An earlier mark than this does not count; without one nothing is marked.
    pub(crate) threshold: Option<Timestamp>,
    /// How many mails.
    pub(crate) mails: u32,
}

/// Marks the address and counts the mails, if both are allowed.
pub(crate) async fn claim(
    conn: &impl GenericClient,
    rate: Rate,
    wanted: &Wanted<'_>,
    now: Timestamp,
) -> Result<Taken> {
    let Wanted { address, timer, .. } = wanted;
    let is_paced = wanted.threshold.is_some();
    let threshold = wanted.threshold.unwrap_or(now);
    let taken = match rate {
        Rate::PerHour(size) => {
            let hour_ago = now.checked_sub(HOUR).unwrap_or(now);
            let (mails, size) = (whole(wanted.mails), whole(size));
            queries::claim_hourly()
                .bind(
                    conn, address, timer, &now, &is_paced, &threshold, &mails, &hour_ago, &size,
                )
                .one()
                .await
        }
        Rate::Bucket { size, refill } => {
            let (cost, capacity) = (seconds(refill, wanted.mails), seconds(refill, size));
            queries::claim_from_bucket()
                .bind(
                    conn, address, timer, &now, &is_paced, &threshold, &cost, &capacity,
                )
                .one()
                .await
        }
    };
    Ok(taken?)
}

/// Gives back what was counted, when nothing was sent after all.
pub(crate) async fn give_back(conn: &impl GenericClient, rate: Rate, mails: u32) -> Result<()> {
    let cost = match rate {
        Rate::PerHour(_) => 0.0,
        Rate::Bucket { refill, .. } => seconds(refill, mails),
    };
    queries::give_back()
        .bind(conn, &whole(mails), &cost, &name(rate))
        .await?;
    Ok(())
}

/// How long it takes until so many mails may be sent.
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
