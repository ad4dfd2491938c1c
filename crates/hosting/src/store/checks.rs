//! `checks` and `check_days`: results of probes.

use std::collections::HashMap;

use innkeeper_service::database::{Executor, rows, statements};
use jiff::Timestamp;
use jiff::civil::Date;

use super::Result;
use crate::status::{DAYS, ObservedDay, ProbeRound, Uptime, percentage};

rows! {
    struct UptimeRow {
        component: String,
        since: Option<Timestamp>,
        observed_1: i64,
        down_1: i64,
        observed_7: i64,
        down_7: i64,
        observed_30: i64,
        down_30: i64,
        observed_90: i64,
        down_90: i64,
    }

    struct DayRow {
        component: String,
        day: Date,
        observed_ms: i64,
        down_ms: i64,
    }
}

statements! {
    /// Stores rounds. Rounds that are not newer than the stored ones are left out.
    pub(crate) async fn insert(rounds: &[ProbeRound]) -> u64
    where {
        components: Vec<&str> = rounds.iter().map(|round| &*round.component).collect(),
        ats: Vec<Timestamp> = rounds.iter().map(|round| round.at).collect(),
        observed_ms: Vec<i32> = rounds.iter().map(|round| round.observation.observed_ms).collect(),
        down_ms: Vec<i32> = rounds.iter().map(|round| round.observation.down_ms).collect(),
        failed: Vec<bool> = rounds.iter().map(|round| round.failed).collect(),
        latency_ms: Vec<Option<i32>> = rounds.iter().map(|round| round.latency_ms).collect(),
    }
    { include_str!("checks/insert.sql") }

    /// Replaces checks from before a time, the beginning of a day, by the sums of their days.
    pub(crate) async fn sum_up(before: Timestamp) -> u64 {
        include_str!("checks/sum_up.sql")
    }

    /// Deletes the sums of days before a day.
    pub(crate) async fn delete_days(before: Date) -> u64 {
        "delete from check_days where day < :before"
    }

    async fn uptime_rows(now: Timestamp) -> Vec<UptimeRow> {
        include_str!("checks/uptime.sql")
    }

    async fn day_rows(now: Timestamp, days: i32) -> Vec<DayRow> {
        include_str!("checks/days.sql")
    }
}

/// Returns the uptime of every component with checks, and the time of its first check.
pub(crate) async fn uptime(
    conn: &dyn Executor,
    now: Timestamp,
) -> Result<HashMap<String, (Uptime, Option<Timestamp>)>> {
    let rows = uptime_rows(conn, now).await?;
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
    conn: &dyn Executor,
    now: Timestamp,
) -> Result<HashMap<String, Vec<ObservedDay>>> {
    let mut days: HashMap<String, Vec<ObservedDay>> = HashMap::new();
    for row in day_rows(conn, now, DAYS).await? {
        let day = ObservedDay {
            day: row.day,
            observed_ms: row.observed_ms,
            down_ms: row.down_ms,
        };
        days.entry(row.component).or_default().push(day);
    }
    Ok(days)
}
