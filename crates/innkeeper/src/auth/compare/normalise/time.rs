//! Times in answers.

use jiff::Timestamp;

/// Whole numbers in this range are times: from September 2020 to the year 2096.
const UNIX_TIMES: std::ops::Range<i64> = 1_600_000_000..4_000_000_000;

/// Later times are told by their distance, rounded to this many seconds.
const STEP: i64 = 10;

/// Describes a time in seconds since 1970.
pub(super) fn unix(seconds: Option<i64>, now: Timestamp) -> Option<String> {
    let seconds = seconds.filter(|seconds| UNIX_TIMES.contains(seconds))?;
    Some(format!("unix time{}", ahead(seconds, now)))
}

/// Describes a time as RFC 3339 writes it.
pub(super) fn rfc3339(text: &str, now: Timestamp) -> Option<String> {
    let is_long = text.len() >= 20 && text.as_bytes().get(10) == Some(&b'T');
    let time: Timestamp = is_long.then(|| text.parse().ok()).flatten()?;
    // A zone other than Z is another format.
    let zone = if text.ends_with('Z') {
        ""
    } else {
        " with offset"
    };
    Some(format!("time{zone}{}", ahead(time.as_second(), now)))
}

/// Replaces the number in `after 59 seconds`.
pub(super) fn without_wait(text: &str) -> String {
    let parts = text
        .split_once(" after ")
        .and_then(|(start, rest)| Some((start, rest.split_once(" seconds")?)));
    match parts {
        Some((start, (number, end))) if number.parse::<u32>().is_ok() => {
            format!("{start} after <number> seconds{end}")
        }
        _ => text.to_owned(),
    }
}

/// Returns how far a time is ahead. A time that has passed has no distance: servers differ in speed.
fn ahead(seconds: i64, now: Timestamp) -> String {
    let ahead = seconds - now.as_second();
    let rounded = (ahead + STEP / 2) / STEP * STEP;
    if rounded <= 0 {
        return String::new();
    }
    format!(" + {rounded} s")
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::{rfc3339, unix, without_wait};

    #[test]
    fn times_ahead_are_told_by_their_distance() {
        let now: Timestamp = "2026-05-01T10:00:00Z".parse().unwrap();
        let rfc3339 = |text| rfc3339(text, now);
        assert_eq!(
            rfc3339("2026-05-01T09:59:58.123456Z").as_deref(),
            Some("time")
        );
        assert_eq!(rfc3339("2026-05-01T10:00:02Z").as_deref(), Some("time"));
        assert_eq!(
            rfc3339("2026-05-01T12:00:00+01:00").as_deref(),
            Some("time with offset + 3600 s")
        );
        for text in [
            "2026-05-01",
            "2026-05-01 10:00:00Z",
            "not a time at all T Z",
        ] {
            assert_eq!(rfc3339(text), None);
        }
        let second = now.as_second();
        let unix = |seconds| unix(Some(seconds), now);
        assert_eq!(unix(second - 1).as_deref(), Some("unix time"));
        assert_eq!(unix(second + 3598).as_deref(), Some("unix time + 3600 s"));
        assert_eq!(unix(3600), None);
    }

    #[test]
    fn how_long_to_wait_is_not_compared() {
        assert_eq!(
            without_wait("again after 59 seconds."),
            "again after <number> seconds."
        );
        for text in ["after all seconds", "59 seconds", "wait after 5 minutes"] {
            assert_eq!(without_wait(text), text);
        }
    }
}
