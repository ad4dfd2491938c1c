//! How many wrong codes a factor may have.
//!
//! They are counted for each factor, in the database, so that neither the number of replicas nor that of addresses
//! matters, and nobody can use up the attempts of another account. An attempt counts as wrong before its code is
//! compared, so that a flood of attempts at once cannot outrun the count.

use jiff::{SignedDuration, Timestamp};

use crate::base::error::{AuthError, Result};

/// The seconds to wait after the first, second, … wrong code in a row, and after each further one.
pub(super) const WAITS: [f64; 10] = [0.0, 0.0, 0.0, 0.0, 30.0, 60.0, 120.0, 240.0, 480.0, 900.0];

/// How long after the last wrong code all are forgotten.
pub(super) const MEMORY: SignedDuration = SignedDuration::from_hours(24);

/// Refuses an attempt that was not counted, because the factor has to wait.
pub(super) fn check(
    counted: Option<i32>,
    blocked_until: Option<Timestamp>,
    now: Timestamp,
) -> Result<()> {
    if counted.is_some() {
        return Ok(());
    }
    let wait = blocked_until.map_or(SignedDuration::ZERO, |until| until.duration_since(now));
    let seconds = wait.as_secs() + i64::from(wait.subsec_nanos() > 0);
    Err(AuthError::Throttled(
        u64::try_from(seconds).unwrap_or_default().max(1),
    ))
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::{MEMORY, WAITS, check};
    use crate::base::error::AuthError;

    #[test]
    fn an_attempt_that_was_not_counted_waits_until_the_end_of_the_block() {
        let at = |millis| Timestamp::from_millisecond(millis).unwrap();
        assert!(check(Some(1), None, at(0)).is_ok());
        assert!(check(Some(9), Some(at(5)), at(0)).is_ok());
        for (until, now, wait) in [
            (Some(30_000), 0, 30),
            (Some(30_000), 29_001, 1),
            (Some(30_000), 28_999, 2),
            // Another attempt was counted at the same moment.
            (Some(30_000), 30_000, 1),
            (None, 0, 1),
        ] {
            let refused = check(None, until.map(at), at(now));
            assert!(matches!(refused, Err(AuthError::Throttled(seconds)) if seconds == wait));
        }
    }

    /// Of a million codes three are right at any time.
    #[test]
    fn guessing_for_a_month_succeeds_in_one_case_of_a_hundred() {
        let month = 30.0 * 24.0 * 3600.0;
        let longest = WAITS[WAITS.len() - 1];
        let first = f64::from(u32::try_from(WAITS.len()).unwrap());
        let guesses = first + month / longest;
        assert!(guesses * 3.0 / 1e6 < 0.01, "{guesses}");
        assert!(MEMORY.as_secs_f64() > longest);
        assert!(WAITS.is_sorted());
    }
}
