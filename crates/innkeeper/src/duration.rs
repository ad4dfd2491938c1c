//! Durations on the command line.

use innkeeper_service::duration::parse_go;
use jiff::SignedDuration;

/// Parses a duration such as `24h` or `90d`.
pub(crate) fn parse(text: &str) -> Result<SignedDuration, String> {
    let days = text
        .strip_suffix('d')
        .and_then(|days| days.parse::<u16>().ok());
    let parsed = match days {
        Some(days) => Some(SignedDuration::from_hours(24 * i64::from(days))),
        None => parse_go(text)
            .ok()
            .filter(|duration| !duration.is_negative()),
    };
    parsed.ok_or_else(|| "must be a duration such as 24h or 90d".to_owned())
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::parse;

    #[test]
    fn durations_may_be_in_days() {
        assert_eq!(parse("90d"), Ok(SignedDuration::from_hours(24 * 90)));
        assert_eq!(parse("1h30m"), Ok(SignedDuration::from_mins(90)));
        assert_eq!(parse("0s"), Ok(SignedDuration::ZERO));
        for wrong in ["", "d", "-1d", "1.5d", "-1h", "soon", "99999999d"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
