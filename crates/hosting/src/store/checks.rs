//! `checks` and `check_days`: results of probes.

use std::collections::HashMap;

use innkeeper_hosting_queries::queries::checks as queries;
use jiff::Timestamp;
use jiff::civil::Date;

use super::{GenericClient, Result};
use crate::status::{DAYS, ObservedDay, ProbeRound, Uptime, percentage};

/// Stores rounds. Rounds that are not newer than the stored ones are left out.
pub(crate) async fn insert(conn: &impl GenericClient, rounds: &[ProbeRound]) -> Result<u64> {
    let components: Vec<&str> = rounds.iter().map(|round| &*round.component).collect();
    let ats: Vec<Timestamp> = rounds.iter().map(|round| round.at).collect();
    let observed: Vec<i32> = rounds
        .iter()
        .map(|round| round.observation.observed_ms)
        .collect();
    let down: Vec<i32> = rounds
        .iter()
        .map(|round| round.observation.down_ms)
        .collect();
    let failed: Vec<bool> = rounds.iter().map(|round| round.failed).collect();
    // The array cannot hold nulls; the statement turns -1 into one.
    let latency: Vec<i32> = rounds
        .iter()
        .map(|round| round.latency_ms.unwrap_or(-1))
        .collect();
    let insert = queries::insert_checks();
    let written = insert.bind(conn, &components, &ats, &observed, &down, &failed, &latency);
    Ok(written.await?)
}

/// Replaces checks from before a time, the beginning of a day, by the sums of their days.
pub(crate) async fn sum_up(conn: &impl GenericClient, before: Timestamp) -> Result<u64> {
    Ok(queries::sum_up().bind(conn, &before).await?)
}

/// Deletes the sums of days before a day.
pub(crate) async fn delete_days(conn: &impl GenericClient, before: Date) -> Result<u64> {
    Ok(queries::forget_days().bind(conn, &before).await?)
}

/// Returns the uptime of every component with checks, and the time of its first check.
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

/// Returns what was observed of every component on each of the last days, oldest first.
pub(crate) async fn days(
    conn: &impl GenericClient,
    now: Timestamp,
) -> Result<HashMap<String, Vec<ObservedDay>>> {
    let rows = queries::days().bind(conn, &now, &DAYS).all().await?;
    let mut days: HashMap<String, Vec<ObservedDay>> = HashMap::new();
    for row in rows {
        let day = ObservedDay {
            day: row.day,
            observed_ms: row.observed_ms,
            down_ms: row.down_ms,
        };
        days.entry(row.component).or_default().push(day);
    }
    Ok(days)
}
