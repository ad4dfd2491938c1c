//! Dates as HTTP writes them, to the second.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use http::header::HeaderValue;
use httpdate::HttpDate;

/// The first second that has no four-digit year.
const END: u64 = 253_402_300_800;

/// A time without its fraction of a second; none if HTTP has no way to write it.
pub(crate) fn whole_seconds(time: SystemTime) -> Option<SystemTime> {
    let seconds = time.duration_since(UNIX_EPOCH).ok()?.as_secs();
    (seconds < END).then(|| UNIX_EPOCH + Duration::from_secs(seconds))
}

/// A time as the value of a header; none for times before 1970 and after 9999.
pub(crate) fn date_value(time: SystemTime) -> Option<HeaderValue> {
    let date = HttpDate::from(whole_seconds(time)?);
    HeaderValue::try_from(date.to_string()).ok()
}

/// The time in a header; none if it is no date.
pub(crate) fn parse_date(value: &HeaderValue) -> Option<SystemTime> {
    read_date(value.as_bytes())
}

/// The time in the bytes of a header; none if it is no date.
pub(crate) fn read_date(value: &[u8]) -> Option<SystemTime> {
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
    fn times_that_no_date_can_say_have_none() {
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
    fn what_is_no_date_is_none() {
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
