//! The time, as an argument: servers ask a [`Clock`], and tests move it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
#[cfg(target_os = "linux")]
use nix::time::{ClockId, clock_gettime};

/// In microseconds.
const SECOND: i64 = 1_000_000;

/// What time it is.
///
/// ```
/// use innkeeper_service::clock::Clock;
/// use jiff::SignedDuration;
///
/// let clock = Clock::manual();
/// let before = clock.now();
/// clock.advance(SignedDuration::from_secs(11));
/// assert_eq!(clock.now().as_second(), before.as_second() + 11);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Clock {
    /// The system's own has none.
    manual: Option<Arc<Manual>>,
}

/// A clock that is moved by hand.
#[derive(Debug)]
struct Manual {
    /// The time that it stands at, in microseconds and for measuring; none if it runs.
    stands_at: Option<(i64, Instant)>,
    /// How far it was moved since, in microseconds.
    ahead: AtomicI64,
}

impl Clock {
    /// The clock of the system.
    pub fn system() -> Self {
        Self::default()
    }

    /// A clock that starts in the middle of the system's present second and stands still until it is moved,
    /// however long a test takes. It is a microsecond later each time it is asked, so that what happens
    /// later has a later time.
    pub fn manual() -> Self {
        let start = Timestamp::now().as_second().saturating_mul(SECOND);
        Self::movable(Some((start.saturating_add(SECOND / 2), Instant::now())))
    }

    /// A clock that runs as the system's does and can be moved, for tests with programs from outside, which
    /// look at the system's.
    pub fn running() -> Self {
        Self::movable(None)
    }

    fn movable(stands_at: Option<(i64, Instant)>) -> Self {
        let ahead = AtomicI64::default();
        Self {
            manual: Some(Arc::new(Manual { stands_at, ahead })),
        }
    }

    /// The time, to the microsecond, which is what PostgreSQL keeps.
    pub fn now(&self) -> Timestamp {
        let (base, ahead) = match &self.manual {
            Some(manual) => (manual.stands_at.map(|(time, _)| time), manual.tick()),
            None => (None, 0),
        };
        let base = base.unwrap_or_else(|| Timestamp::now().as_microsecond());
        Timestamp::from_microsecond(base.saturating_add(ahead)).unwrap_or(Timestamp::MAX)
    }

    /// The time, some milliseconds ago at most: for what happens at every request and does not need to be
    /// exact. It is faster to read than [`now`](Self::now).
    pub fn recent(&self) -> Timestamp {
        #[cfg(target_os = "linux")]
        if self.is_system()
            && let Ok(tick) = clock_gettime(ClockId::CLOCK_REALTIME_COARSE)
        {
            let nanos = i32::try_from(tick.tv_nsec()).unwrap_or_default();
            return Timestamp::new(tick.tv_sec(), nanos).unwrap_or(Timestamp::MAX);
        }
        self.now()
    }

    /// Whether this is the clock of the system.
    pub(crate) fn is_system(&self) -> bool {
        self.manual.is_none()
    }

    /// The time for measuring how long something takes: it never goes back, whatever is done to the
    /// clock of the system.
    pub fn instant(&self) -> Instant {
        let (base, ahead) = match &self.manual {
            Some(manual) => (manual.stands_at.map(|(_, at)| at), manual.tick()),
            None => (None, 0),
        };
        let base = base.unwrap_or_else(Instant::now);
        let ahead = Duration::from_micros(u64::try_from(ahead).unwrap_or(0));
        base.checked_add(ahead).unwrap_or(base)
    }

    /// Moves a manual clock; the system's own cannot be moved.
    pub fn advance(&self, by: SignedDuration) {
        if let Some(manual) = &self.manual {
            let micros = i64::try_from(by.as_micros()).unwrap_or(i64::MAX);
            manual.ahead.fetch_add(micros, Ordering::Relaxed);
        }
    }
}

impl Manual {
    /// How far it was moved. Each look moves it a little.
    fn tick(&self) -> i64 {
        self.ahead.fetch_add(1, Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::{Clock, SignedDuration};

    #[test]
    fn a_manual_clock_moves_by_hand_alone() {
        let clock = Clock::manual();
        let (time, instant) = (clock.now(), clock.instant());
        std::thread::yield_now();
        let (next, later) = (clock.now(), clock.instant());
        assert!(next > time && later > instant);
        clock.advance(SignedDuration::from_secs(90));
        let second = clock.now().as_second();
        assert_eq!(
            (next.as_second(), second),
            (time.as_second(), time.as_second() + 90)
        );
        let passed = clock.instant().duration_since(later);
        assert_eq!(passed.as_secs(), 90);
    }

    #[test]
    fn the_recent_time_is_milliseconds_ago_and_moves_with_the_clock() {
        let system = Clock::system();
        let recent = system.recent();
        let behind = system.now().duration_since(recent);
        assert!(!behind.is_negative(), "{behind}");
        assert!(behind < SignedDuration::from_mins(1), "{behind}");
        let manual = Clock::manual();
        let before = manual.recent();
        manual.advance(SignedDuration::from_secs(90));
        assert_eq!(manual.recent().as_second(), before.as_second() + 90);
    }

    #[test]
    fn copies_of_a_clock_are_one_clock() {
        for clock in [Clock::manual(), Clock::running()] {
            let (copy, system) = (clock.clone(), Clock::system());
            clock.advance(SignedDuration::from_hours(1));
            system.advance(SignedDuration::from_hours(1));
            let ahead = copy.now().duration_since(system.now());
            assert!(ahead > SignedDuration::from_mins(59), "{ahead}");
        }
    }

    #[test]
    fn a_running_clock_goes_on_by_itself() {
        let clock = Clock::running();
        let (system, time) = (Clock::system().now(), clock.now());
        assert!(time >= system, "{time} {system}");
        while clock.now() <= time {}
    }
}
