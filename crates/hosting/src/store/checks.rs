//! `checks` and `check_days`: results of probes.

use innkeeper_service::database::{rows, statements};
use jiff::Timestamp;
use jiff::civil::Date;

/// The result of a round of the probes of a component.
#[derive(Debug, Clone)]
pub(crate) struct NewCheck {
    pub(crate) component: String,
    pub(crate) at: Timestamp,
    /// The time that the round accounts for.
    pub(crate) observed_ms: i32,
    /// The part of it in which the component was down.
    pub(crate) down_ms: i32,
    pub(crate) failed: bool,
    pub(crate) latency_ms: Option<i32>,
}

rows! {
    /// How long a component was observed and down in the last days, and since when there are checks.
    pub(crate) struct UptimeRow {
        pub(crate) component: String,
        pub(crate) since: Option<Timestamp>,
        pub(crate) observed_1: i64,
        pub(crate) down_1: i64,
        pub(crate) observed_7: i64,
        pub(crate) down_7: i64,
        pub(crate) observed_30: i64,
        pub(crate) down_30: i64,
        pub(crate) observed_90: i64,
        pub(crate) down_90: i64,
    }

    /// How long a component was observed and down on a day.
    pub(crate) struct DayRow {
        pub(crate) component: String,
        pub(crate) day: Date,
        pub(crate) observed_ms: i64,
        pub(crate) down_ms: i64,
    }
}

statements! {
    /// Stores checks. Those that are not newer than the stored ones are left out.
    pub(crate) async fn insert(checks: &[NewCheck]) -> u64
    where {
        components: Vec<&str> = checks.iter().map(|check| &*check.component).collect(),
        ats: Vec<Timestamp> = checks.iter().map(|check| check.at).collect(),
        observed_ms: Vec<i32> = checks.iter().map(|check| check.observed_ms).collect(),
        down_ms: Vec<i32> = checks.iter().map(|check| check.down_ms).collect(),
        failed: Vec<bool> = checks.iter().map(|check| check.failed).collect(),
        latency_ms: Vec<Option<i32>> = checks.iter().map(|check| check.latency_ms).collect(),
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

    /// Returns the times of every component with checks.
    pub(crate) async fn uptimes(now: Timestamp) -> Vec<UptimeRow> {
        include_str!("checks/uptime.sql")
    }

    /// Returns the last days of every component, oldest first.
    pub(crate) async fn days(now: Timestamp, days: i32) -> Vec<DayRow> {
        include_str!("checks/days.sql")
    }
}
