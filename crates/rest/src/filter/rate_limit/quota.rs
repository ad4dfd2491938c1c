//! Quotas: the number of requests per period, and the burst.

use std::time::Duration;

/// A number of requests per period, and the number that may come at once, the burst.
///
/// The quota is a bucket: it holds the burst, every request takes one, and it is refilled evenly, one
/// by one. By default the burst is the number of requests per period.
///
/// ```
/// use std::time::Duration;
///
/// use innkeeper_rest::filter::Quota;
///
/// let steady = Quota::per_minute(120).with_burst(40);
/// assert_eq!((steady.requests(), steady.burst()), (120, 40));
/// let slow = Quota::new(20, Duration::from_hours(24));
/// assert_eq!(slow, Quota::per_day(20));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Quota {
    requests: u32,
    period: Duration,
    burst: u32,
}

impl Quota {
    /// Allows a number of requests per period. A period has whole seconds.
    pub const fn new(requests: u32, period: Duration) -> Self {
        Self {
            requests,
            period,
            burst: requests,
        }
    }

    /// Allows a number of requests per second.
    pub const fn per_second(requests: u32) -> Self {
        Self::new(requests, Duration::from_secs(1))
    }

    /// Allows a number of requests per minute.
    pub const fn per_minute(requests: u32) -> Self {
        Self::new(requests, Duration::from_mins(1))
    }

    /// Allows a number of requests per hour.
    pub const fn per_hour(requests: u32) -> Self {
        Self::new(requests, Duration::from_hours(1))
    }

    /// Allows a number of requests per day.
    pub const fn per_day(requests: u32) -> Self {
        Self::new(requests, Duration::from_hours(24))
    }

    /// Sets how many requests may come at once.
    #[must_use]
    pub const fn with_burst(mut self, burst: u32) -> Self {
        self.burst = burst;
        self
    }

    /// Returns the number of requests per period.
    pub const fn requests(self) -> u32 {
        self.requests
    }

    /// Returns the period.
    pub const fn period(self) -> Duration {
        self.period
    }

    /// Returns how many requests may come at once.
    pub const fn burst(self) -> u32 {
        self.burst
    }

    /// Returns the time in which one request is refilled.
    pub fn interval(self) -> Duration {
        Duration::from_nanos(self.interval_nanos())
    }

    /// Returns [`interval`](Self::interval) in nanoseconds.
    pub(super) fn interval_nanos(self) -> u64 {
        let requests = self.requests.max(1);
        if let Ok(nanos) = u64::try_from(self.period.as_nanos()) {
            return nanos / u64::from(requests);
        }
        // The period is longer than five centuries. Dividing 128-bit numbers takes many times as long.
        let nanos = self.period.as_nanos() / u128::from(requests);
        u64::try_from(nanos).unwrap_or(u64::MAX)
    }

    /// Returns the problems of the quota.
    pub(super) fn problems(self) -> Vec<String> {
        let interval = self.interval_nanos();
        let mut problems = Vec::new();
        let mut report = |wrong: bool, problem: &str| {
            if wrong {
                problems.push(problem.to_owned());
            }
        };
        report(self.requests == 0, "a quota must have at least one request");
        report(
            self.burst == 0 && self.requests > 0,
            "a burst must have at least one request",
        );
        let whole = self.period.subsec_nanos() == 0 && !self.period.is_zero();
        report(!whole, "a period must have whole seconds, at least one");
        report(
            whole && interval == 0,
            "a quota must not allow more than one request per nanosecond",
        );
        // Half of the range, so that adding to it cannot overflow.
        let longest = interval.checked_mul(u64::from(self.burst));
        report(
            longest.is_none_or(|longest| longest > u64::MAX / 2),
            "a used-up quota must be full again within two centuries",
        );
        problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotas_that_cannot_be_kept_are_named() {
        let second = Duration::from_secs(1);
        for (quota, problems) in [
            (Quota::per_second(1), &[] as &[&str]),
            (Quota::per_day(u32::MAX), &[]),
            (
                Quota::new(1, Duration::ZERO),
                &["a period must have whole seconds, at least one"],
            ),
            (
                Quota::new(1, second / 2),
                &["a period must have whole seconds, at least one"],
            ),
            (
                Quota::per_second(0),
                &["a quota must have at least one request"],
            ),
            (
                Quota::per_second(2).with_burst(0),
                &["a burst must have at least one request"],
            ),
            (
                Quota::per_second(u32::MAX),
                &["a quota must not allow more than one request per nanosecond"],
            ),
            (
                Quota::new(1, second * u32::MAX).with_burst(u32::MAX),
                &["a used-up quota must be full again within two centuries"],
            ),
        ] {
            assert_eq!(quota.problems(), problems, "{quota:?}");
        }
    }
}
