//! Counts downtime and computes uptimes.

use std::collections::HashMap;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use crate::store::checks::UptimeRow;

/// The time that one round of probes accounts for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Observation {
    /// The observed time.
    pub observed_ms: i32,
    /// The part of the observed time in which the component was down.
    pub down_ms: i32,
}

impl Observation {
    /// Returns the observation between two rounds. Of a pause, at most two intervals count as observed; time
    /// in a maintenance does not count. If some of the probes are down, that share of the time is down.
    pub fn between(
        before: Option<Timestamp>,
        at: Timestamp,
        interval: Duration,
        down: usize,
        probes: usize,
        in_maintenance: bool,
    ) -> Self {
        let (Some(before), false) = (before, in_maintenance) else {
            return Self::default();
        };
        let longest = i64::try_from(interval.as_millis())
            .unwrap_or(i64::MAX)
            .saturating_mul(2);
        let elapsed = i64::try_from(at.duration_since(before).as_millis()).unwrap_or(i64::MAX);
        let observed = elapsed.clamp(0, longest);
        let down = observed.saturating_mul(i64::try_from(down).unwrap_or(0));
        let down = down / i64::try_from(probes.max(1)).unwrap_or(1);
        Self {
            observed_ms: i32::try_from(observed).unwrap_or(i32::MAX),
            down_ms: i32::try_from(down).unwrap_or(i32::MAX),
        }
    }

    /// Returns the observation with at least this much downtime.
    #[must_use]
    pub fn with_outage(self, outage: SignedDuration) -> Self {
        let outage = i32::try_from(outage.as_millis()).unwrap_or(i32::MAX);
        Self {
            down_ms: self.down_ms.max(outage.clamp(0, self.observed_ms)),
            ..self
        }
    }
}

/// Returns how much of a time span is covered by periods, which may overlap; one without an end continues.
pub(crate) fn covered(
    from: Timestamp,
    to: Timestamp,
    periods: impl IntoIterator<Item = (Timestamp, Option<Timestamp>)>,
) -> SignedDuration {
    let within = periods
        .into_iter()
        .map(|(start, end)| (start.max(from), end.unwrap_or(to).min(to)));
    let mut within: Vec<(Timestamp, Timestamp)> = within.collect();
    within.sort_unstable();
    let mut covered = SignedDuration::ZERO;
    let mut until = from;
    for (start, end) in within {
        let start = start.max(until);
        if start < end {
            covered += end.duration_since(start);
            until = end;
        }
    }
    covered
}

/// The percentage of the observed time in which a component was up, over some days.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, JsonSchema)]
pub struct Uptime {
    /// Over the last day.
    pub d1: Option<f64>,
    /// Over the last 7 days.
    pub d7: Option<f64>,
    /// Over the last 30 days.
    pub d30: Option<f64>,
    /// Over the last 90 days.
    pub d90: Option<f64>,
}

/// Returns the uptimes of components, and since when there are checks, by component.
pub(super) fn by_component(rows: Vec<UptimeRow>) -> HashMap<String, (Uptime, Option<Timestamp>)> {
    let read = rows.into_iter().map(|row| {
        let uptime = Uptime {
            d1: percentage(row.observed_1, row.down_1),
            d7: percentage(row.observed_7, row.down_7),
            d30: percentage(row.observed_30, row.down_30),
            d90: percentage(row.observed_90, row.down_90),
        };
        (row.component, (uptime, row.since))
    });
    read.collect()
}

/// Returns the uptime in percent with three decimals; `None` if nothing was observed. It is rounded down,
/// so that 100 means no downtime at all.
fn percentage(observed_ms: i64, down_ms: i64) -> Option<f64> {
    if observed_ms <= 0 {
        return None;
    }
    let up = i128::from(observed_ms) - i128::from(down_ms.clamp(0, observed_ms));
    let thousandths = up * 100_000 / i128::from(observed_ms);
    // At most 100,000.
    Some(f64::from(i32::try_from(thousandths).unwrap_or(0)) / 1000.0)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use jiff::{SignedDuration, Timestamp};

    use super::{Observation, covered, percentage};

    #[test]
    fn a_round_stands_for_the_time_since_the_one_before() {
        // Seconds since the round before, probes that are down of how many, maintenance; and what
        // counts of it.
        for (passed, down, in_maintenance, expected) in [
            (30, (0, 1), false, (30_000, 0)),
            (30, (1, 1), false, (30_000, 30_000)),
            (30, (1, 2), false, (30_000, 15_000)),
            // A little late is still observed, a long pause is not.
            (45, (0, 1), false, (45_000, 0)),
            (3600, (1, 1), false, (60_000, 60_000)),
            // Maintenances do not count.
            (30, (1, 1), true, (0, 0)),
            // A clock that was set back costs nothing.
            (-30, (1, 1), false, (0, 0)),
            // A component without probes is never down.
            (30, (0, 0), false, (30_000, 0)),
        ] {
            let before = Timestamp::UNIX_EPOCH;
            let at = before + SignedDuration::from_secs(passed);
            let interval = Duration::from_secs(30);
            let observation =
                Observation::between(Some(before), at, interval, down.0, down.1, in_maintenance);
            let found = (observation.observed_ms, observation.down_ms);
            assert_eq!(found, expected, "{passed} {down:?} {in_maintenance}");
        }
    }

    #[test]
    fn the_first_round_stands_for_nothing() {
        let now = Timestamp::UNIX_EPOCH;
        let first = Observation::between(None, now, Duration::from_secs(30), 1, 1, false);
        assert_eq!(first, Observation::default());
    }

    #[test]
    fn what_an_incident_covers_is_down_and_nothing_is_counted_twice() {
        let at = |seconds| Timestamp::UNIX_EPOCH + SignedDuration::from_secs(seconds);
        // Periods within the first minute, and how much of it they cover.
        for (periods, expected) in [
            (vec![], 0),
            (vec![(10, Some(20))], 10),
            (vec![(-100, None)], 60),
            (vec![(50, Some(100))], 10),
            (vec![(100, None)], 0),
            (vec![(20, Some(10))], 0),
            (vec![(10, Some(30)), (20, Some(40)), (15, Some(20))], 30),
            (vec![(40, None), (0, Some(10))], 30),
        ] {
            let periods = periods.into_iter();
            let periods = periods.map(|(start, end)| (at(start), end.map(at)));
            let found = covered(at(0), at(60), periods);
            assert_eq!(found.as_secs(), expected);
        }
        let observation = Observation {
            observed_ms: 30_000,
            down_ms: 10_000,
        };
        for (outage, down) in [(0, 10_000), (5, 10_000), (20, 20_000), (99, 30_000)] {
            let outage = SignedDuration::from_secs(outage);
            assert_eq!(observation.with_outage(outage).down_ms, down);
        }
    }

    #[test]
    fn a_percentage_is_never_better_than_the_truth() {
        for (observed, down, expected) in [
            (0, 0, None),
            (1000, 0, Some(100.0)),
            (1000, 1000, Some(0.0)),
            (3, 1, Some(66.666)),
            // One second in ninety days.
            (7_776_000_000, 1000, Some(99.999)),
            (1000, 2000, Some(0.0)),
        ] {
            assert_eq!(percentage(observed, down), expected, "{observed} {down}");
        }
    }
}
