//! Parses durations in settings and requests: `90s`, `1h30m`, `1.5h`, or plain seconds.

use jiff::SignedDuration;

/// Why text is not a duration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DurationError {
    /// Not made of numbers and units.
    #[error("expected numbers with units, such as `90s` or `1h30m`")]
    Malformed,
    /// A number without a unit, where one is needed.
    #[error("expected a unit (ns, us, ms, s, m or h) after each number")]
    MissingUnit,
    /// A unit that does not exist.
    #[error("expected the units ns, us, ms, s, m or h")]
    UnknownUnit,
    /// Longer than about 292 years, which is what 64 bits of nanoseconds hold.
    #[error("the duration is too long")]
    TooLong,
}

/// Parses numbers with units (`ns`, `us` or `µs`, `ms`, `s`, `m`, `h`), as Go's `time.ParseDuration` does.
///
/// Numbers may have a fraction, pairs may follow each other, and a sign may precede them all. Fractions of
/// a nanosecond are cut off. `0` needs no unit.
///
/// ```
/// use innkeeper_service::duration::parse_go;
/// use jiff::SignedDuration;
///
/// assert_eq!(parse_go("1h30m"), Ok(SignedDuration::from_mins(90)));
/// assert_eq!(parse_go("-1.5s"), Ok(SignedDuration::from_millis(-1500)));
/// assert!(parse_go("90").is_err());
/// ```
pub fn parse_go(text: &str) -> Result<SignedDuration, DurationError> {
    let (negative, mut rest) = match text.as_bytes().first() {
        Some(b'-') => (true, text.get(1..).unwrap_or_default()),
        Some(b'+') => (false, text.get(1..).unwrap_or_default()),
        _ => (false, text),
    };
    if rest == "0" {
        return Ok(SignedDuration::ZERO);
    }
    if rest.is_empty() {
        return Err(DurationError::Malformed);
    }
    let mut total: u128 = 0;
    while !rest.is_empty() {
        let (nanos, after) = parse_pair(rest)?;
        // Each pair fits into 64 bits, so the sum is checked before it can overflow.
        total += nanos;
        if total > limit(negative) {
            return Err(DurationError::TooLong);
        }
        rest = after;
    }
    let total = i128::try_from(total).map_err(|_| DurationError::TooLong)?;
    let nanos = i64::try_from(if negative { -total } else { total });
    Ok(SignedDuration::from_nanos(
        nanos.map_err(|_| DurationError::TooLong)?,
    ))
}

/// Parses `none` as `None`, and anything else as [`parse_go`] does.
pub fn parse_go_or_none(text: &str) -> Result<Option<SignedDuration>, DurationError> {
    if text == "none" {
        return Ok(None);
    }
    parse_go(text).map(Some)
}

/// Parses a plain number of seconds.
///
/// ```
/// use innkeeper_service::duration::parse_seconds;
/// use jiff::SignedDuration;
///
/// assert_eq!(parse_seconds("3600"), Ok(SignedDuration::from_hours(1)));
/// ```
pub fn parse_seconds(text: &str) -> Result<SignedDuration, DurationError> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(DurationError::Malformed);
    }
    let seconds: i64 = text.parse().map_err(|_| DurationError::TooLong)?;
    let nanos = seconds
        .checked_mul(1_000_000_000)
        .ok_or(DurationError::TooLong)?;
    Ok(SignedDuration::from_nanos(nanos))
}

/// Parses a plain number as seconds, and anything else as [`parse_go`] does.
pub fn parse_seconds_or_go(text: &str) -> Result<SignedDuration, DurationError> {
    match parse_seconds(text) {
        Err(DurationError::Malformed) => parse_go(text),
        other => other,
    }
}

fn limit(negative: bool) -> u128 {
    let positive = i64::MAX.unsigned_abs();
    u128::from(if negative { positive + 1 } else { positive })
}

/// Parses a number and its unit; returns the nanoseconds and the remaining text.
fn parse_pair(text: &str) -> Result<(u128, &str), DurationError> {
    let (whole, rest) = split_digits(text);
    let (fraction, rest) = match rest.strip_prefix('.') {
        Some(rest) => split_digits(rest),
        None => ("", rest),
    };
    if whole.is_empty() && fraction.is_empty() {
        return Err(DurationError::Malformed);
    }
    let end = rest
        .find(|letter: char| letter == '.' || letter.is_ascii_digit())
        .unwrap_or(rest.len());
    let (unit, rest) = rest.split_at(end);
    let unit = nanos_of(unit)?;
    let whole = match whole {
        "" => 0,
        // A number beyond 64 bits is too long in any unit.
        digits => digits.parse::<u64>().map_err(|_| DurationError::TooLong)?,
    };
    let nanos = u128::from(whole) * unit + fraction_of(fraction, unit);
    if nanos > limit(true) {
        return Err(DurationError::TooLong);
    }
    Ok((nanos, rest))
}

fn split_digits(text: &str) -> (&str, &str) {
    let end = text
        .find(|letter: char| !letter.is_ascii_digit())
        .unwrap_or(text.len());
    text.split_at(end)
}

fn nanos_of(unit: &str) -> Result<u128, DurationError> {
    Ok(match unit {
        "" => return Err(DurationError::MissingUnit),
        "ns" => 1,
        // The micro sign and the Greek letter mu look the same.
        "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return Err(DurationError::UnknownUnit),
    })
}

/// Returns the nanoseconds of the digits after the decimal point.
fn fraction_of(digits: &str, unit: u128) -> u128 {
    // An hour has fewer than 10^13 nanoseconds, so digits past the eighteenth do not matter.
    let mut value: u128 = 0;
    let mut scale: u128 = 1;
    for digit in digits.bytes().take(18) {
        value = value * 10 + u128::from(digit - b'0');
        scale *= 10;
    }
    value * unit / scale
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;
    use proptest::prelude::*;

    use super::{DurationError, parse_go, parse_go_or_none, parse_seconds, parse_seconds_or_go};

    #[test]
    fn units_fractions_signs_and_pairs_are_read() {
        let nanos = SignedDuration::from_nanos;
        for (text, expected) in [
            ("0", 0),
            ("-0", 0),
            ("5ns", 5),
            ("5us", 5_000),
            ("5\u{b5}s", 5_000),
            ("5\u{3bc}s", 5_000),
            ("5ms", 5_000_000),
            ("5s", 5_000_000_000),
            ("5m", 300_000_000_000),
            ("5h", 18_000_000_000_000),
            ("+1h30m", 5_400_000_000_000),
            ("-1h30m", -5_400_000_000_000),
            ("1.5h", 5_400_000_000_000),
            (".5s", 500_000_000),
            ("5.s", 5_000_000_000),
            ("1h2m3s4ms5us6ns", 3_723_004_005_006),
            ("1s1h", 3_601_000_000_000),
            ("0.9ns", 0),
            ("1.0000000000000000000000000000001s", 1_000_000_000),
            ("00000000000000000000000000000001s", 1_000_000_000),
        ] {
            assert_eq!(parse_go(text), Ok(nanos(expected)), "{text}");
        }
    }

    #[test]
    fn what_is_no_duration_is_refused() {
        use DurationError::{Malformed, MissingUnit, TooLong, UnknownUnit};
        for (text, expected) in [
            ("", Malformed),
            ("-", Malformed),
            ("s", Malformed),
            (".s", Malformed),
            ("+-1s", Malformed),
            (" 1s", Malformed),
            ("none", Malformed),
            ("90", MissingUnit),
            ("1h30", MissingUnit),
            ("1.5.5s", MissingUnit),
            ("1d", UnknownUnit),
            ("1 s", UnknownUnit),
            ("1s ", UnknownUnit),
            ("1H", UnknownUnit),
            ("1s-1s", UnknownUnit),
        ] {
            assert_eq!(parse_go(text), Err(expected), "{text:?}");
        }
        for text in [
            "2562048h",
            "9223372036854775808ns",
            "99999999999999999999999s",
        ] {
            assert_eq!(parse_go(text), Err(TooLong), "{text}");
        }
    }

    #[test]
    fn the_longest_durations_still_fit() {
        assert_eq!(
            parse_go("9223372036854775807ns"),
            Ok(SignedDuration::from_nanos(i64::MAX))
        );
        assert_eq!(
            parse_go("-9223372036854775808ns"),
            Ok(SignedDuration::from_nanos(i64::MIN))
        );
        assert_eq!(
            parse_go("9223372036854775807ns1ns"),
            Err(DurationError::TooLong)
        );
        // A ban of a hundred years.
        assert!(parse_go("876000h").is_ok());
    }

    #[test]
    fn none_lifts_a_duration() {
        assert_eq!(parse_go_or_none("none"), Ok(None));
        assert_eq!(
            parse_go_or_none("24h"),
            Ok(Some(SignedDuration::from_hours(24)))
        );
        assert!(parse_go_or_none("None").is_err());
    }

    #[test]
    fn plain_seconds_take_no_unit_and_the_lenient_form_takes_both() {
        let minute = Ok(SignedDuration::from_secs(60));
        assert_eq!(parse_seconds("60"), minute);
        assert_eq!(parse_seconds("60s"), Err(DurationError::Malformed));
        assert_eq!(parse_seconds("6e1"), Err(DurationError::Malformed));
        assert_eq!(parse_seconds("9223372037"), Err(DurationError::TooLong));
        for text in ["60", "+60", "60s", "1m"] {
            assert_eq!(parse_seconds_or_go(text), minute, "{text}");
        }
        for text in ["99999999999999999999", "", "1.5", "one"] {
            assert!(parse_seconds_or_go(text).is_err(), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_answered_and_a_minus_sign_turns_it_around(text in "[0-9.nuµmsh]{0,24}") {
            let negative = parse_go(&format!("-{text}"));
            if let Ok(duration) = parse_go(&text) {
                prop_assert_eq!(negative, Ok(-duration));
            }
        }

        #[test]
        fn pairs_add_up(hours in 0_i64..1000, minutes in 0_i64..100_000, seconds in 0_i64..100_000,
                        millis in 0_u32..1000, negative in any::<bool>()) {
            let sign = if negative { "-" } else { "" };
            let text = format!("{sign}{hours}h{minutes}m{seconds}.{millis:03}s");
            let total = ((hours * 60 + minutes) * 60 + seconds) * 1000 + i64::from(millis);
            let total = if negative { -total } else { total };
            prop_assert_eq!(parse_go(&text), Ok(SignedDuration::from_millis(total)));
        }

        #[test]
        fn every_number_of_nanoseconds_is_read_back(nanos in any::<i64>()) {
            let text = format!("{nanos}ns");
            prop_assert_eq!(parse_go(&text), Ok(SignedDuration::from_nanos(nanos)));
        }
    }
}
