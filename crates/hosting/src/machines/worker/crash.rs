//! When a machine is started again after a crash.

use jiff::{SignedDuration, Timestamp};

/// The pauses after the first, second, third and each further crash.
const PAUSES: [SignedDuration; 4] = [
    SignedDuration::from_secs(5),
    SignedDuration::from_secs(15),
    SignedDuration::from_secs(60),
    SignedDuration::from_secs(300),
];
/// The longest of the pauses.
pub(super) const LONGEST_PAUSE: SignedDuration = SignedDuration::from_secs(300);
/// How far back crashes count.
const WINDOW: SignedDuration = SignedDuration::from_mins(30);
/// How many crashes within the window are answered with a restart.
const MOST: usize = 5;

/// Removes the crashes that do not count any more. Those in the future do: the clock was set back.
pub(super) fn forget_old(crashes: &mut Vec<Timestamp>, now: Timestamp) {
    crashes.retain(|crash| now.duration_since(*crash) <= WINDOW);
}

/// Returns how long to wait before a machine that crashed now is started again; `None` if it stays off. The
/// crashes include this one.
pub(super) fn pause_after(crashes: &[Timestamp]) -> Option<SignedDuration> {
    let count = crashes.len();
    if count > MOST {
        return None;
    }
    let place = count.saturating_sub(1).min(PAUSES.len() - 1);
    PAUSES.get(place).copied()
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};

    use super::{LONGEST_PAUSE, PAUSES, forget_old, pause_after};

    fn at(minutes: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_mins(minutes)
    }

    #[test]
    fn pauses_grow_and_the_sixth_crash_in_half_an_hour_is_the_last() {
        let pauses = (1..=7).map(|count| {
            let crashes: Vec<Timestamp> = (0..count).map(at).collect();
            pause_after(&crashes).map(|pause| pause.as_secs())
        });
        let expected = [
            Some(5),
            Some(15),
            Some(60),
            Some(300),
            Some(300),
            None,
            None,
        ];
        assert_eq!(pauses.collect::<Vec<_>>(), expected);
        assert_eq!(PAUSES.iter().max(), Some(&LONGEST_PAUSE));
    }

    #[test]
    fn crashes_count_for_half_an_hour_and_also_after_the_clock_was_set_back() {
        let mut crashes = vec![at(0), at(10), at(29), at(90)];
        forget_old(&mut crashes, at(40));
        assert_eq!(crashes, [at(10), at(29), at(90)]);
    }
}
