//! The time. Servers read it from a [`Clock`], which tests can move.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
#[cfg(target_os = "linux")]
use nix::time::{ClockId, clock_gettime};

/// Where a manual clock starts, in microseconds: 2026-11-15 18:30:00.5 UTC. All runs of a test see the same
/// time, and half a day later is another calendar day.
const MANUAL_START: i64 = 1_794_767_400_500_000;

/// The system's clock, or one that tests move.
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
    /// `None` for the system's clock.
    manual: Option<Arc<ManualClock>>,
}

/// A clock that can be moved.
#[derive(Debug)]
struct ManualClock {
    /// The start of a clock that stands still, in microseconds and as an instant; `None` if it runs.
    start: Option<(i64, Instant)>,
    /// How far it was moved, in microseconds.
    ahead: AtomicI64,
}

impl Clock {
    /// The clock of the system.
    pub fn system() -> Self {
        Self::default()
    }

    /// A clock that starts at a fixed time and stands still until it is moved, however long a test takes.
    /// Each reading is a microsecond later, so that later events have later times.
    pub fn manual() -> Self {
        Self::movable(Some((MANUAL_START, Instant::now())))
    }

    /// A clock that runs like the system's and can be moved, for tests with other programs, which read the
    /// system's clock.
    pub fn running() -> Self {
        Self::movable(None)
    }

    fn movable(start: Option<(i64, Instant)>) -> Self {
        let ahead = AtomicI64::default();
        Self {
            manual: Some(Arc::new(ManualClock { start, ahead })),
        }
    }

    /// Returns the time in microseconds, which is PostgreSQL's precision.
    pub fn now(&self) -> Timestamp {
        let (base, ahead) = match &self.manual {
            Some(manual) => (manual.start.map(|(time, _)| time), manual.tick()),
            None => (None, 0),
        };
        let base = base.unwrap_or_else(|| Timestamp::now().as_microsecond());
        Timestamp::from_microsecond(base.saturating_add(ahead)).unwrap_or(Timestamp::MAX)
    }

    /// Returns a time that may be a few milliseconds old. It is faster than [`now`](Self::now), for uses at
    /// every request that need not be exact.
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

    /// Whether this is the system's clock.
    pub(crate) fn is_system(&self) -> bool {
        self.manual.is_none()
    }

    /// Returns the time for measuring durations. It never goes back, even when the system's clock is set.
    pub fn instant(&self) -> Instant {
        let (base, ahead) = match &self.manual {
            Some(manual) => (manual.start.map(|(_, at)| at), manual.tick()),
            None => (None, 0),
        };
        let base = base.unwrap_or_else(Instant::now);
        let ahead = Duration::from_micros(u64::try_from(ahead).unwrap_or(0));
        base.checked_add(ahead).unwrap_or(base)
    }

    /// Moves a manual clock. Does nothing to the system's clock.
    pub fn advance(&self, by: SignedDuration) {
        if let Some(manual) = &self.manual {
            let micros = i64::try_from(by.as_micros()).unwrap_or(i64::MAX);
            manual.ahead.fetch_add(micros, Ordering::Relaxed);
        }
    }
}

impl ManualClock {
    /// Returns how far it was moved, and moves it by a microsecond.
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
        assert_eq!(time.to_string(), "2026-11-15T18:30:00.5Z");
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
            let (copy, before) = (clock.clone(), clock.now());
            clock.advance(SignedDuration::from_hours(1));
            let ahead = copy.now().duration_since(before);
            assert!(ahead > SignedDuration::from_mins(59), "{ahead}");
        }
        let (system, before) = (Clock::system(), Clock::system().now());
        system.advance(SignedDuration::from_hours(1));
        let ahead = system.now().duration_since(before);
        assert!(ahead < SignedDuration::from_mins(59), "{ahead}");
    }

    #[test]
    fn a_running_clock_goes_on_by_itself() {
        let clock = Clock::running();
        let (system, time) = (Clock::system().now(), clock.now());
        assert!(time >= system, "{time} {system}");
        while clock.now() <= time {}
    }
}
