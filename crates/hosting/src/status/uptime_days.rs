//! The uptime of each of the last ninety days, for the bars of the status page.

use std::collections::HashMap;

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp, ToSpan as _, tz::TimeZone};

use crate::store::checks::DayRow;

/// How many days the bars show.
pub(super) const DAYS: i32 = 90;
/// Days with less downtime than this share of the observed time count as partly down.
const PARTLY_DOWN_PERCENT: i64 = 5;

/// What was observed of a component on a day, in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ObservedDay {
    pub(super) day: Date,
    pub(super) observed_ms: i64,
    pub(super) down_ms: i64,
}

/// Returns the observed days by component, in the same order.
pub(super) fn by_component(rows: Vec<DayRow>) -> HashMap<String, Vec<ObservedDay>> {
    let mut days: HashMap<String, Vec<ObservedDay>> = HashMap::new();
    for row in rows {
        let day = ObservedDay {
            day: row.day,
            observed_ms: row.observed_ms,
            down_ms: row.down_ms,
        };
        days.entry(row.component).or_default().push(day);
    }
    days
}

/// How well a component worked on a day, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum DayLevel {
    /// Nothing was observed.
    Unknown,
    Up,
    PartlyDown,
    Down,
}

/// A day as the page shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ShownDay {
    pub(super) day: Date,
    pub(super) level: DayLevel,
    /// The downtime in whole minutes, at least one if there was any.
    pub(super) down_minutes: i64,
}

/// Returns the last ninety days up to today, oldest first.
pub(super) fn shown_days(observed: &[ObservedDay], now: Timestamp) -> Vec<ShownDay> {
    let today = now.to_zoned(TimeZone::UTC).date();
    let days = (0..DAYS).rev();
    days.map(|ago| {
        let day = today.saturating_sub(ago.days());
        let found = observed.iter().find(|observed| observed.day == day);
        found.map_or(
            ShownDay {
                day,
                level: DayLevel::Unknown,
                down_minutes: 0,
            },
            ObservedDay::shown,
        )
    })
    .collect()
}

impl ObservedDay {
    fn shown(&self) -> ShownDay {
        let level = match (self.observed_ms, self.down_ms) {
            (..=0, _) => DayLevel::Unknown,
            (_, ..=0) => DayLevel::Up,
            (observed, down) if down * 100 < observed * PARTLY_DOWN_PERCENT => DayLevel::PartlyDown,
            _ => DayLevel::Down,
        };
        let minutes = SignedDuration::from_millis(self.down_ms.max(0)).as_mins();
        ShownDay {
            day: self.day,
            level,
            down_minutes: if self.down_ms > 0 { minutes.max(1) } else { 0 },
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::{DayLevel, ObservedDay, shown_days};

    #[test]
    fn a_day_is_as_bad_as_the_share_of_its_downtime() {
        const DAY: i64 = 86_400_000;
        for (observed_ms, down_ms, level, minutes) in [
            (0, 0, DayLevel::Unknown, 0),
            (DAY, 0, DayLevel::Up, 0),
            (DAY, 1, DayLevel::PartlyDown, 1),
            (DAY, DAY / 20 - 1, DayLevel::PartlyDown, 71),
            (DAY, DAY / 20, DayLevel::Down, 72),
            (60_000, 60_000, DayLevel::Down, 1),
        ] {
            let observed = ObservedDay {
                day: date(2026, 3, 1),
                observed_ms,
                down_ms,
            };
            let shown = observed.shown();
            assert_eq!((shown.level, shown.down_minutes), (level, minutes));
        }
    }

    #[test]
    fn ninety_days_end_today() {
        let now = "2026-03-01T23:59:59Z".parse().unwrap();
        let observed = [ObservedDay {
            day: date(2026, 2, 28),
            observed_ms: 1000,
            down_ms: 0,
        }];
        let days = shown_days(&observed, now);
        assert_eq!(days.len(), 90);
        assert_eq!(days[0].day, date(2025, 12, 2));
        assert_eq!(days[89].day, date(2026, 3, 1));
        let levels: Vec<DayLevel> = days.iter().map(|day| day.level).collect();
        assert_eq!(
            levels[87..],
            [DayLevel::Unknown, DayLevel::Up, DayLevel::Unknown]
        );
    }
}
