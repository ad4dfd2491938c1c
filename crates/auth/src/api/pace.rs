//! Answers that must not tell by their speed whether an account exists.
//!
//! A request about a known address does more than one about an unknown address: it locks the account,
//! stores a link and a code, counts a guess, reads a row. That takes a few milliseconds and could be measured from
//! outside. So the answer waits for the next of a few fixed moments, which both kinds of request reach
//! together. The moments lie ever further apart: the longer the work takes, the more it varies, and the
//! fewer the moments, the less an answer says. A request that waits holds neither a connection to the
//! database nor a thread.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// The first moment. The work takes a tenth of it, and no person notices the rest.
const FIRST: Duration = Duration::from_millis(50);

/// Remembers when a request began.
#[derive(Debug)]
pub(crate) struct Pace(Instant);

impl Pace {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    /// Waits until every answer of the kind would be ready.
    pub(crate) async fn keep(self) {
        sleep_until(self.0 + moment_after(self.0.elapsed())).await;
    }
}

/// The next moment at which answers are given: each comes after twice the time of the one before.
fn moment_after(passed: Duration) -> Duration {
    let mut moment = FIRST;
    while moment < passed {
        moment = moment.saturating_mul(2);
    }
    moment
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::moment_after;

    #[test]
    fn answers_are_given_at_few_moments_only() {
        let moment = |millis| moment_after(Duration::from_millis(millis)).as_millis();
        assert_eq!([0, 1, 7, 50].map(moment), [50; 4]);
        assert_eq!([51, 80, 100].map(moment), [100; 3]);
        assert_eq!([101, 200, 201, 5000].map(moment), [200, 200, 400, 6400]);
    }
}
