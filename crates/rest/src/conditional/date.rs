//! Dates in the format of HTTP, in whole seconds.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use http::header::HeaderValue;
use httpdate::HttpDate;

/// The first second of the year 10000, which HTTP cannot write.
const END: u64 = 253_402_300_800;

/// Truncates a time to whole seconds; `None` if HTTP cannot write it.
pub(crate) fn whole_seconds(time: SystemTime) -> Option<SystemTime> {
    let seconds = time.duration_since(UNIX_EPOCH).ok()?.as_secs();
    (seconds < END).then(|| UNIX_EPOCH + Duration::from_secs(seconds))
}

/// Formats a time as a header value; `None` before 1970 and after 9999.
pub(crate) fn date_value(time: SystemTime) -> Option<HeaderValue> {
    let date = HttpDate::from(whole_seconds(time)?);
    HeaderValue::try_from(date.to_string()).ok()
}

/// Parses the date of a header value.
pub(crate) fn parse_date(value: &HeaderValue) -> Option<SystemTime> {
    parse_date_bytes(value.as_bytes())
}

/// Parses a date.
pub(crate) fn parse_date_bytes(value: &[u8]) -> Option<SystemTime> {
    httpdate::parse_http_date(std::str::from_utf8(value).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_written_to_the_second_and_read_in_all_three_forms() {
        let time = UNIX_EPOCH + Duration::from_millis(784_111_777_900);
        assert_eq!(date_value(time).unwrap(), "Sun, 06 Nov 1994 08:49:37 GMT");
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
        ] {
            let read = parse_date(&HeaderValue::from_static(text));
            assert_eq!(read, whole_seconds(time), "{text}");
        }
    }

    #[test]
    fn times_out_of_range_have_no_date() {
        for time in [
            UNIX_EPOCH - Duration::from_secs(1),
            UNIX_EPOCH + Duration::from_secs(END),
        ] {
            assert_eq!(date_value(time), None);
        }
        let last = UNIX_EPOCH + Duration::from_secs(END - 1);
        assert_eq!(date_value(last).unwrap(), "Fri, 31 Dec 9999 23:59:59 GMT");
    }

    #[test]
    fn malformed_dates_are_none() {
        for text in [
            "",
            "now",
            "Sun, 06 Nov 1994",
            "Mon, 06 Nov 1994 08:49:37 GMT",
            "Sun, 31 Feb 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 25:49:37 GMT",
            "784111777",
            "1994-11-06T08:49:37Z",
        ] {
            assert_eq!(parse_date(&HeaderValue::from_static(text)), None, "{text}");
        }
        assert_eq!(
            parse_date(&HeaderValue::from_bytes(b"S\xfcn").unwrap()),
            None
        );
    }
}
