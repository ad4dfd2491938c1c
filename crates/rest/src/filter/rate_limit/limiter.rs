//! The trait of limiters, which count in memory or in a shared store.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use super::{LimitKey, Quota};
use crate::box_error::BoxError;

/// Counts requests, for [`RateLimit`](super::RateLimit).
///
/// [`LocalLimiter`](super::LocalLimiter) counts those of this process. Replicas share limits through a
/// store, which must check and count in one step, so that two requests at the same time cannot both take
/// the last one of a quota. The filter decides what happens while a limiter fails or takes too long.
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
    message = "`{Self}` is not a limiter",
    note = "use `innkeeper_rest::filter::LocalLimiter` or implement `innkeeper_rest::filter::Limiter`"
)]
pub trait Limiter: Send + Sync + 'static {
    /// Counts one request of a key against a quota, unless the quota is used up.
    fn check(
        &self,
        key: &str,
        quota: Quota,
    ) -> impl Future<Output = Result<Decision, BoxError>> + Send;

    /// Counts without waiting, if the limiter can; [`check`](Self::check) is then not called. A limiter
    /// must return `Some` always or never, because the two methods need not share their counts.
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

/// The decision of a [`Limiter`] about a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision {
    /// Whether the request is allowed.
    pub allowed: bool,
    /// How many more requests are allowed at once.
    pub remaining: u32,
    /// The time until one more request is allowed.
    pub more_in: Duration,
    /// The time until the quota is full again, if no request comes.
    pub whole_in: Duration,
}

impl Decision {
    /// Makes a decision of the time until the quota is full again, this request included if it is allowed.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use innkeeper_rest::filter::{Decision, Quota};
    ///
    /// // One request is refilled every second, and two and a half are used up.
    /// let decision = Decision::of(Quota::per_minute(60), true, Duration::from_millis(2500));
    /// assert_eq!((decision.remaining, decision.more_in), (57, Duration::from_millis(500)));
    /// ```
    pub fn of(quota: Quota, allowed: bool, full_in: Duration) -> Self {
        let interval = quota.interval_nanos().max(1);
        let burst = interval.saturating_mul(u64::from(quota.burst()));
        let nanos = u64::try_from(full_in.as_nanos()).unwrap_or(u64::MAX);
        let decision = Self::with_interval(interval, burst, allowed, nanos);
        Self {
            whole_in: full_in,
            ..decision
        }
    }

    /// Makes a decision of times in nanoseconds: of one request, of the burst, and until the quota is full.
    pub(super) fn with_interval(interval: u64, burst: u64, allowed: bool, full_in: u64) -> Self {
        let left = burst.saturating_sub(full_in);
        Self {
            allowed,
            remaining: u32::try_from(left / interval).unwrap_or(u32::MAX),
            more_in: Duration::from_nanos(interval - left % interval),
            whole_in: Duration::from_nanos(full_in),
        }
    }
}
