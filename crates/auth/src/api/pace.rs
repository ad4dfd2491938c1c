//! Answers that must not tell by their speed whether an account exists.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// No answer comes earlier than this; the work behind one takes a few milliseconds at most.
const FLOOR: Duration = Duration::from_millis(25);

/// Remembers when a request began.
#[derive(Debug)]
pub(crate) struct Pace(Instant);

impl Pace {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    /// Waits until every answer of the kind would be ready.
    pub(crate) async fn keep(self) {
        let ready = Instant::now().duration_since(self.0);
        // Work that took longer is rounded up too, so that a busy server tells no more.
        let steps = ready.as_millis() / FLOOR.as_millis() + 1;
        let steps = u32::try_from(steps).unwrap_or(u32::MAX);
        sleep_until(self.0 + FLOOR.saturating_mul(steps)).await;
    }
}
