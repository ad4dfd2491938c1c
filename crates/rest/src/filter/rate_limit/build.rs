//! Builds a limit and reports invalid settings.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use http::header::{HeaderName, HeaderValue};

use super::key::{KeySource, LimitName};
use super::{
    LIMIT, Limiter, LocalLimiter, POLICY, Quota, REMAINING, RESET, RateLimit, RateLimitPolicy,
    RefusalFn, STATE,
};
use crate::filter::FilterError;
use crate::rejection::Rejection;
use crate::request::Request;
use crate::response::{HeaderNameSet, push_line};

/// Builds a [`RateLimit`] filter, whose documentation lists the settings.
pub struct RateLimitBuilder<L = LocalLimiter> {
    quota: Quota,
    name: String,
    key: KeySource,
    limiter: L,
    patience: Duration,
    fail_closed: bool,
    refuse: Option<RefusalFn>,
    problems: Vec<String>,
}

impl RateLimit {
    /// Limits each client by its address, counted in this process.
    ///
    /// # Errors
    ///
    /// Fails on a quota without requests or without time.
    pub fn new(quota: Quota) -> Result<Self, FilterError> {
        Self::builder(quota).build()
    }

    /// Starts a limit with this quota.
    pub fn builder(quota: Quota) -> RateLimitBuilder {
        RateLimitBuilder::new(quota)
    }
}

impl RateLimitBuilder {
    fn new(quota: Quota) -> Self {
        Self {
            quota,
            name: "default".to_owned(),
            key: KeySource::Client,
            limiter: LocalLimiter::new(),
            patience: Duration::from_secs(1),
            fail_closed: false,
            refuse: None,
            problems: Vec::new(),
        }
    }
}

impl<L> RateLimitBuilder<L> {
    /// Names the limit, in the headers and in the keys of the limiter. The default is `default`.
    ///
    /// Limits around the same request need different names, so that clients can tell them apart.
    #[must_use]
    pub fn name(mut self, name: impl AsRef<str>) -> Self {
        let name = name.as_ref();
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        if name.is_empty() || !name.bytes().all(allowed) {
            let name = name.escape_debug();
            self.problems.push(format!(
                "`{name}` is not a name: names have letters, digits, `-`, `_` and `.`"
            ));
        }
        name.clone_into(&mut self.name);
        self
    }

    /// Counts by the value of a request header. Requests without it are counted together.
    ///
    /// Clients can send any header: use one that a proxy of yours sets, or that a filter before this one
    /// has checked.
    #[must_use]
    pub fn by_header(mut self, name: impl AsRef<str>) -> Self {
        let name = name.as_ref();
        if let Ok(name) = HeaderName::from_bytes(name.as_bytes()) {
            self.key = KeySource::Header(name);
        } else {
            let name = name.escape_debug();
            self.problems.push(format!("`{name}` is not a header name"));
        }
        self
    }

    /// Counts by the key that this function makes of a request. A request without a key is neither
    /// counted nor limited.
    ///
    /// ```
    /// use innkeeper_rest::filter::{Quota, RateLimit};
    ///
    /// #[derive(Clone)]
    /// struct Caller(u64);
    ///
    /// // After a filter that sets the caller.
    /// let per_caller = RateLimit::builder(Quota::per_minute(30))
    ///     .by(|request| Some(request.values().get::<Caller>()?.0.to_string()))
    ///     .build();
    /// # assert!(per_caller.is_ok());
    /// ```
    #[must_use]
    pub fn by(mut self, key: impl Fn(&Request) -> Option<String> + Send + Sync + 'static) -> Self {
        self.key = KeySource::Custom(Box::new(key));
        self
    }

    /// Counts with this limiter. The default is a [`LocalLimiter`] of its own.
    #[must_use]
    pub fn limiter<M: Limiter>(self, limiter: M) -> RateLimitBuilder<M> {
        RateLimitBuilder {
            quota: self.quota,
            name: self.name,
            key: self.key,
            limiter,
            patience: self.patience,
            fail_closed: self.fail_closed,
            refuse: self.refuse,
            problems: self.problems,
        }
    }

    /// Sets the time after which the limiter counts as failed. The default is one second.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        if patience.is_zero() {
            self.problems
                .push("the patience with a limiter cannot be zero".to_owned());
        }
        self.patience = patience;
        self
    }

    /// Refuses requests with 503 while the limiter fails. By default they are passed on, and the failure
    /// is logged.
    #[must_use]
    pub fn fail_closed(mut self) -> Self {
        self.fail_closed = true;
        self
    }

    /// Refuses with the rejection that this function makes of the time until the next request is allowed.
    /// The headers are added to it. The default is 429 with the code `rate_limited`.
    #[must_use]
    pub fn refuse_with(
        mut self,
        refuse: impl Fn(Duration) -> Rejection + Send + Sync + 'static,
    ) -> Self {
        self.refuse = Some(Box::new(refuse));
        self
    }
}

impl<L: Limiter> RateLimitBuilder<L> {
    /// Makes the filter.
    ///
    /// # Errors
    ///
    /// Fails if settings are invalid; the error lists all problems.
    pub fn build(mut self) -> Result<RateLimit<L>, FilterError> {
        self.problems.extend(self.quota.problems());
        let (name, quota) = (self.name, self.quota);
        let (requests, seconds) = (quota.requests(), quota.period().as_secs());
        let policy = match quota.burst() {
            burst if burst == requests => format!("\"{name}\";q={requests};w={seconds}"),
            burst => format!("\"{name}\";q={requests};w={seconds};burst={burst}"),
        };
        // A name that no header may contain is reported above.
        let announced = HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static(""));
        let burst = HeaderValue::from(quota.burst());
        let mut lines = Vec::new();
        push_line(&mut lines, &POLICY, announced.as_bytes());
        push_line(&mut lines, &LIMIT, burst.as_bytes());
        lines.extend_from_slice(format!("ratelimit: \"{name}\";r=").as_bytes());
        let policy = RateLimitPolicy {
            quota,
            name: LimitName::new(name),
            lines,
            names: HeaderNameSet::of([&POLICY, &STATE, &LIMIT, &REMAINING, &RESET]),
            key: self.key,
            limiter: self.limiter,
            patience: self.patience,
            fail_closed: self.fail_closed,
            refuse: self.refuse,
        };
        FilterError::unless(self.problems, RateLimit(Arc::new(policy)))
    }
}

impl<L> fmt::Debug for RateLimitBuilder<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RateLimitBuilder")
            .field("quota", &self.quota)
            .field("name", &self.name)
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}
