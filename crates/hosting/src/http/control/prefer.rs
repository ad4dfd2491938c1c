//! `Prefer: wait=…` (RFC 7240): how long a response may wait for the end of an action.

use std::time::Duration;

use http::header::HeaderName;
use innkeeper_rest::{Head, Rejection};

use super::errors::invalid_header;

static PREFER: HeaderName = HeaderName::from_static("prefer");
/// The longest wait, in seconds.
const LONGEST: u64 = 30;

/// Returns how long the client prefers to wait, which `Preference-Applied` confirms. Preferences with other
/// names are ignored, as the standard demands.
pub(super) fn wait(head: &Head) -> Result<Option<Duration>, Rejection> {
    for line in head.header_values(&PREFER) {
        let text = std::str::from_utf8(line).map_err(|_| malformed())?;
        for preference in text.split(',') {
            // Parameters of a preference come after a semicolon.
            let preference = preference.split(';').next().unwrap_or_default();
            let (name, value) = preference.split_once('=').unwrap_or((preference, ""));
            if name.trim().eq_ignore_ascii_case("wait") {
                // The first one counts.
                return seconds(value.trim().trim_matches('"')).map(Some);
            }
        }
    }
    Ok(None)
}

fn seconds(text: &str) -> Result<Duration, Rejection> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = is_number.then(|| text.parse().ok()).flatten();
    let number = number.filter(|number| (1..=LONGEST).contains(number));
    number.map(Duration::from_secs).ok_or_else(malformed)
}

fn malformed() -> Rejection {
    let problem = format!("expected `wait=` and a number of seconds from 1 to {LONGEST}");
    invalid_header("Prefer", &problem)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use http::HeaderValue;
    use innkeeper_rest::{Head, Method};

    use super::{PREFER, wait};

    fn of(lines: &[&'static str]) -> Result<Option<Duration>, u16> {
        let head = Head::new(Method::POST, "/");
        let head = lines.iter().fold(head, |head, line| {
            head.with_header(PREFER.clone(), HeaderValue::from_static(line))
        });
        wait(&head).map_err(|rejection| rejection.status().as_u16())
    }

    #[test]
    fn a_wait_is_found_among_other_preferences() {
        let ten = Ok(Some(Duration::from_secs(10)));
        assert_eq!(of(&[]), Ok(None));
        assert_eq!(of(&["respond-async, return=minimal"]), Ok(None));
        assert_eq!(of(&["wait=10"]), ten);
        assert_eq!(of(&["Wait = \"10\"; x=y"]), ten);
        assert_eq!(of(&["return=minimal, wait=10", "wait=20"]), ten);
        assert_eq!(of(&["respond-async", "wait=10"]), ten);
    }

    #[test]
    fn a_wait_that_is_not_possible_is_refused() {
        for line in [
            "wait", "wait=", "wait=0", "wait=31", "wait=+5", "wait=-1", "wait=5s", "wait=1.5",
        ] {
            assert_eq!(of(&[line]), Err(400), "{line}");
        }
    }
}
