//! Who counts: the trait that a shared store implements as well as a table in memory.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use super::{LimitKey, Quota};
use crate::body::BoxError;

/// Counts requests, for [`RateLimit`](super::RateLimit).
///
/// [`LocalLimiter`](super::LocalLimiter) counts those of this process. Replicas that share their
/// limits share a store, in which one step must both look and count, so that two requests at once
/// cannot take the same last place. A limiter that fails or takes too long is not the client's
/// fault: the filter decides what happens then.
///
/// ```
/// use std::time::Duration;
///
/// use innkeeper_rest::BoxError;
/// use innkeeper_rest::filter::{Decision, Limiter, Quota, RateLimit};
/// # struct Store;
/// # impl Store {
/// #     async fn count(&self, key: &str, lifetime: Duration) -> Result<(u32, Duration), BoxError> {
/// #         Ok((1, lifetime))
/// #     }
/// # }
///
/// /// Counts in a store that all replicas share.
/// struct SharedLimiter(Store);
///
/// impl Limiter for SharedLimiter {
///     async fn check(&self, key: &str, quota: Quota) -> Result<Decision, BoxError> {
///         let (count, left) = self.0.count(key, quota.period()).await?;
///         Ok(Decision {
///             allowed: count <= quota.requests(),
///             remaining: quota.requests().saturating_sub(count),
///             more_in: left,
///             whole_in: left,
///         })
///     }
/// }
///
/// let limit = RateLimit::builder(Quota::per_hour(5000)).limiter(SharedLimiter(Store)).build();
/// assert!(limit.is_ok());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no limiter",
    note = "use `innkeeper_rest::filter::LocalLimiter` or implement `innkeeper_rest::filter::Limiter`"
)]
pub trait Limiter: Send + Sync + 'static {
    /// Counts one request of a key against a quota, unless the quota is used up.
    fn check(
        &self,
        key: &str,
        quota: Quota,
    ) -> impl Future<Output = Result<Decision, BoxError>> + Send;

    /// The same, if it can be done without waiting. [`check`](Self::check) is not called then. A limiter
    /// answers here always or never, because the two need not count together.
    fn check_now(&self, key: &LimitKey<'_>, quota: Quota) -> Option<Decision> {
        let _ = (key, quota);
        None
    }
}

impl<L: Limiter> Limiter for Arc<L> {
    fn check(
        &self,
        key: &str,
        quota: Quota,
    ) -> impl Future<Output = Result<Decision, BoxError>> + Send {
        L::check(self, key, quota)
    }

    fn check_now(&self, key: &LimitKey<'_>, quota: Quota) -> Option<Decision> {
        L::check_now(self, key, quota)
    }
}

/// What a [`Limiter`] says about a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision {
    /// Whether the request may go on.
    pub allowed: bool,
    /// How many more may come at once.
    pub remaining: u32,
    /// The time after which one more than those may come.
    pub more_in: Duration,
    /// The time after which the quota is whole again, if nothing comes.
    pub whole_in: Duration,
}

impl Decision {
    /// What follows from the time that is owed, with this request if it is allowed: the time after
    /// which the quota is whole again.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use innkeeper_rest::filter::{Decision, Quota};
    ///
    /// // One comes back every second, and two and a half are owed.
    /// let decision = Decision::of(Quota::per_minute(60), true, Duration::from_millis(2500));
    /// assert_eq!((decision.remaining, decision.more_in), (57, Duration::from_millis(500)));
    /// ```
    pub fn of(quota: Quota, allowed: bool, owed: Duration) -> Self {
        let interval = quota.interval_nanos().max(1);
        let all = interval.saturating_mul(u64::from(quota.burst()));
        let nanos = u64::try_from(owed.as_nanos()).unwrap_or(u64::MAX);
        let decision = Self::with_interval(interval, all, allowed, nanos);
        Self {
            whole_in: owed,
            ..decision
        }
    }

    /// The same in nanoseconds: the time of one request, of the burst, and what is owed.
    pub(super) fn with_interval(interval: u64, all: u64, allowed: bool, owed: u64) -> Self {
        let left = all.saturating_sub(owed);
        Self {
            allowed,
            remaining: u32::try_from(left / interval).unwrap_or(u32::MAX),
            more_in: Duration::from_nanos(interval - left % interval),
            whole_in: Duration::from_nanos(owed),
        }
    }
}
