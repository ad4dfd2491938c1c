//! The time, as an argument: servers ask a [`Clock`], and tests move it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};

/// What time it is.
///
/// ```
/// use innkeeper_service::clock::Clock;
/// use jiff::SignedDuration;
///
/// let clock = Clock::manual();
/// let before = clock.now();
/// clock.advance(SignedDuration::from_secs(11));
/// assert!(clock.now().duration_since(before) >= SignedDuration::from_secs(11));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Clock {
    /// How far this clock is ahead of the system's, in microseconds. The system's own has none.
    ahead: Option<Arc<AtomicI64>>,
}

impl Clock {
    /// The clock of the system.
    pub fn system() -> Self {
        Self::default()
    }

    /// A clock that starts at the system's time and can be moved.
    pub fn manual() -> Self {
        Self {
            ahead: Some(Arc::default()),
        }
    }

    /// The time, to the microsecond, which is what PostgreSQL keeps.
    pub fn now(&self) -> Timestamp {
        let now = Timestamp::now()
            .as_microsecond()
            .saturating_add(self.ahead());
        Timestamp::from_microsecond(now).unwrap_or(Timestamp::MAX)
    }

    /// The time for measuring how long something takes: it never goes back, whatever is done to the
    /// clock of the system.
    pub fn instant(&self) -> Instant {
        let ahead = Duration::from_micros(u64::try_from(self.ahead()).unwrap_or(0));
        let now = Instant::now();
        now.checked_add(ahead).unwrap_or(now)
    }

    fn ahead(&self) -> i64 {
        let ahead = self.ahead.as_ref();
        ahead.map_or(0, |ahead| ahead.load(Ordering::Relaxed))
    }

    /// Moves a manual clock; the system's own cannot be moved.
    pub fn advance(&self, by: SignedDuration) {
        if let Some(ahead) = &self.ahead {
            let micros = i64::try_from(by.as_micros()).unwrap_or(i64::MAX);
            ahead.fetch_add(micros, Ordering::Relaxed);
        }
    }
}
