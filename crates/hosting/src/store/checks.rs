//! `checks` and `check_days`: what the probes saw.

use std::collections::HashMap;

use innkeeper_hosting_queries::queries::checks as queries;
use jiff::Timestamp;
use jiff::civil::Date;

use super::{GenericClient, Result};
use crate::status::{Round, Uptime, percentage};

/// Writes rounds. Those of a time that somebody else wrote about are left out.
pub(crate) async fn insert(conn: &impl GenericClient, rounds: &[Round]) -> Result<u64> {
    let components: Vec<&str> = rounds.iter().map(|round| &*round.component).collect();
    let ats: Vec<Timestamp> = rounds.iter().map(|round| round.at).collect();
    let observed: Vec<i32> = rounds
        .iter()
        .map(|round| round.stretch.observed_ms)
        .collect();
    let down: Vec<i32> = rounds.iter().map(|round| round.stretch.down_ms).collect();
    let failed: Vec<bool> = rounds.iter().map(|round| round.failed).collect();
    // Arrays hold no nulls; the statement knows.
    let latency: Vec<i32> = rounds
        .iter()
        .map(|round| round.latency_ms.unwrap_or(-1))
        .collect();
    let insert = queries::insert_checks();
    let written = insert.bind(conn, &components, &ats, &observed, &down, &failed, &latency);
    Ok(written.await?)
}

/// Turns checks from before a time, the beginning of a day, into sums of their days.
pub(crate) async fn sum_up(conn: &impl GenericClient, before: Timestamp) -> Result<u64> {
    Ok(queries::sum_up().bind(conn, &before).await?)
}

/// Deletes the sums of days before this one.
pub(crate) async fn forget_days(conn: &impl GenericClient, before: Date) -> Result<u64> {
    Ok(queries::forget_days().bind(conn, &before).await?)
}

/// The uptime of every component that was ever probed, and since when.
pub(crate) async fn uptime(
    conn: &impl GenericClient,
    now: Timestamp,
) -> Result<HashMap<String, (Uptime, Option<Timestamp>)>> {
    let rows = queries::uptime().bind(conn, &now).all().await?;
    let read = rows.into_iter().map(|row| {
        let uptime = Uptime {
            d1: percentage(row.observed_1, row.down_1),
            d7: percentage(row.observed_7, row.down_7),
            d30: percentage(row.observed_30, row.down_30),
            d90: percentage(row.observed_90, row.down_90),
        };
        (row.component, (uptime, row.since))
    });
    Ok(read.collect())
}
