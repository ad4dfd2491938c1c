//! Response times that do not reveal whether an account exists.
//!
//! A request about a known address does more than one about an unknown address: it locks the account,
//! stores a link and a code, counts a guess, reads a row. That takes a few milliseconds and could be
//! measured from outside. So the response waits for the next of a few fixed slots, which both kinds of
//! request reach together. Each slot lies twice as far from the start as the one before: the longer the
//! work takes, the more it varies, and the fewer the slots, the less a response time says. A request
//! that waits holds neither a database connection nor a thread.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// The first slot. The work usually takes a tenth of it, and no person notices the rest.
const FIRST_SLOT: Duration = Duration::from_millis(50);

/// Delays a response to the next slot, counted from the start of the request.
#[derive(Debug)]
pub(crate) struct ResponseTimer(Instant);

impl ResponseTimer {
    /// Starts the timer; call it before the first lookup.
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    /// Leaves out a time that says nothing about the account, such as that of hashing a password.
    pub(crate) fn exclude(&mut self, time: Duration) {
        self.0 += time;
    }

    /// Waits for the next slot.
    pub(crate) async fn wait(self) {
        self.wait_from(FIRST_SLOT).await;
    }

    /// As [`wait`](Self::wait), with another first slot if it is later than the usual one.
    pub(crate) async fn wait_from(self, first: Duration) {
        sleep_until(self.0 + next_slot(self.0.elapsed(), first.max(FIRST_SLOT))).await;
    }
}

/// Returns the first slot that is not before `elapsed`.
fn next_slot(elapsed: Duration, first: Duration) -> Duration {
    let mut slot = first;
    while slot < elapsed {
        slot = slot.saturating_mul(2);
    }
    slot
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{FIRST_SLOT, next_slot};

    #[test]
    fn responses_are_sent_in_few_slots_only() {
        let slot = |millis| next_slot(Duration::from_millis(millis), FIRST_SLOT).as_millis();
        assert_eq!([0, 1, 7, 50].map(slot), [50; 4]);
        assert_eq!([51, 80, 100].map(slot), [100; 3]);
        assert_eq!([101, 200, 201, 5000].map(slot), [200, 200, 400, 6400]);
        let late = |millis| {
            next_slot(Duration::from_millis(millis), Duration::from_millis(525)).as_millis()
        };
        assert_eq!([0, 54, 525, 526].map(late), [525, 525, 525, 1050]);
    }
}
