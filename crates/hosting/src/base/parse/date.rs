//! Dates in front matter and in `plans.toml`.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

/// A day, or a point in time on that day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SourceDate {
    /// The day as written in the file.
    pub(crate) day: Date,
    /// The point in time: midnight UTC of `day` unless the file gives a time.
    pub(crate) at: Timestamp,
}

impl SourceDate {
    /// Parses `2026-11-15` or an RFC 3339 timestamp. A time without an offset is UTC. A year has four digits.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::of_any_year(text.trim()).filter(|date| date.day.year() >= 0)
    }

    fn of_any_year(text: &str) -> Option<Self> {
        if let Ok(at) = text.parse::<Timestamp>() {
            let day = text.get(..10)?.parse().ok()?;
            return Some(Self { day, at });
        }
        let at = |day: Date| {
            day.to_zoned(TimeZone::UTC)
                .map(|zoned: Zoned| zoned.timestamp())
        };
        if text.len() == 10 {
            let day: Date = text.parse().ok()?;
            return Some(Self {
                day,
                at: at(day).ok()?,
            });
        }
        let time: jiff::civil::DateTime = text.parse().ok()?;
        let zoned = time.to_zoned(TimeZone::UTC).ok()?;
        Some(Self {
            day: time.date(),
            at: zoned.timestamp(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::SourceDate;

    #[test]
    fn a_source_date_is_a_day_or_a_time() {
        for (text, expected) in [
            ("2026-03-04", Some("2026-03-04T00:00:00Z")),
            (" 2026-03-04 ", Some("2026-03-04T00:00:00Z")),
            ("2026-03-04T10:00:00Z", Some("2026-03-04T10:00:00Z")),
            ("2026-03-04T10:00:00+02:00", Some("2026-03-04T08:00:00Z")),
            ("2026-03-04T10:00:00", Some("2026-03-04T10:00:00Z")),
            ("2026-03-04 10:00", Some("2026-03-04T10:00:00Z")),
            ("2026-02-30", None),
            ("-000001-01-01", None),
            ("-000001-01-01T10:00", None),
            ("04.03.2026", None),
            ("soon", None),
        ] {
            let date = SourceDate::parse(text);
            assert_eq!(
                date.map(|date| date.at),
                expected.map(|at| at.parse().unwrap()),
                "{text}"
            );
        }
    }
}
