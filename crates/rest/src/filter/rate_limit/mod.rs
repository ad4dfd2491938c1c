//! Limits how many requests a client may send.

mod build;
mod key;
mod limiter;
mod local;
mod quota;

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use http::StatusCode;
use http::header::{HeaderName, HeaderValue, RETRY_AFTER};

pub use build::RateLimitBuilder;
pub use key::LimitKey;
pub use limiter::{Decision, Limiter};
pub use local::LocalLimiter;
pub use quota::Quota;

use super::{Filter, Next};
use crate::box_error::BoxError;
use crate::rejection::Rejection;
use crate::request::Request;
use crate::response::{HeaderNameSet, IndexedName, Response, ResponseHeaders, read_lines};
use crate::runtime::LazyTimeout;
use key::{KeySource, LimitName};

/// Limits the number of requests of each client.
///
/// Requests beyond the quota get 429 with `Retry-After`, written in the error format of the mount.
/// Every response tells the client how much of its quota is left, in both families of headers that are in
/// use:
///
/// | Header | Example | Meaning |
/// |---|---|---|
/// | `RateLimit-Policy` | `"default";q=60;w=60` | 60 requests in 60 seconds |
/// | `RateLimit` | `"default";r=12;t=1` | 12 requests remain; one more is allowed in 1 second |
/// | `X-RateLimit-Limit` | `60` | the burst |
/// | `X-RateLimit-Remaining` | `12` | the remaining requests |
/// | `X-RateLimit-Reset` | `48` | the seconds until the quota is full again |
///
/// ```
/// use innkeeper_rest::App;
/// use innkeeper_rest::filter::{Quota, RateLimit, TrustedProxies};
///
/// let limit = RateLimit::new(Quota::per_minute(120).with_burst(40)).unwrap();
/// let app = App::new().filter(TrustedProxies::none()).filter(limit);
/// ```
///
/// It works at any level, and each filter counts all requests behind it: at an application all requests,
/// at a method those of that method. A method with several verbs has a filter for each; to share one limit,
/// keep the filter in `self` and clone it. Where several limits are around a request each counts by itself;
/// the first two headers list all of them, the other three are those of the one with the fewest remaining
/// requests.
///
/// | Setting | Default |
/// |---|---|
/// | [`by_header`](RateLimitBuilder::by_header), [`by`](RateLimitBuilder::by) | the client's address, which [`TrustedProxies`](super::TrustedProxies) finds, or the peer's; of IPv6 addresses, the /64 network |
/// | [`name`](RateLimitBuilder::name) | `default` |
/// | [`limiter`](RateLimitBuilder::limiter) | a [`LocalLimiter`] of its own |
/// | [`patience`](RateLimitBuilder::patience) | a limiter may take one second |
/// | [`fail_closed`](RateLimitBuilder::fail_closed) | requests are passed on while the limiter fails |
/// | [`refuse_with`](RateLimitBuilder::refuse_with) | 429 with the code `rate_limited` |
pub struct RateLimit<L = LocalLimiter>(Arc<RateLimitPolicy<L>>);

struct RateLimitPolicy<L> {
    quota: Quota,
    name: LimitName,
    /// The header lines `RateLimit-Policy` and `X-RateLimit-Limit`, and the start of the line `RateLimit`.
    lines: Vec<u8>,
    /// The names of all headers of this filter.
    names: HeaderNameSet,
    key: KeySource,
    limiter: L,
    patience: Duration,
    fail_closed: bool,
    refuse: Option<RefusalFn>,
}

type RefusalFn = Box<dyn Fn(Duration) -> Rejection + Send + Sync>;

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const STATE: HeaderName = HeaderName::from_static("ratelimit");
const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");
static SHOWN: IndexedName = IndexedName::known("x-ratelimit-remaining");

/// Rounds up to whole seconds, so that a client that waits so long has waited long enough.
fn seconds(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}

impl<L: Limiter> RateLimitPolicy<L> {
    /// Counts a request of a key.
    async fn count(&self, key: LimitKey<'_>) -> Result<Option<Decision>, Rejection> {
        match self.decide(&key).await {
            Ok(decision) => self.accept(decision),
            Err(cause) if self.fail_closed => Err(self.unavailable(cause)),
            Err(cause) => {
                self.log_failure(&cause);
                Ok(None)
            }
        }
    }

    async fn decide(&self, key: &LimitKey<'_>) -> Result<Decision, BoxError> {
        match self.limiter.check_now(key, self.quota) {
            Some(decision) => Ok(decision),
            // Boxed, so that requests that are counted at once do not need room for this future.
            None => Box::pin(self.call_limiter(key.to_string())).await,
        }
    }

    fn log_failure(&self, cause: &BoxError) {
        let outcome = if self.fail_closed {
            "the request is refused"
        } else {
            "the request is passed on uncounted"
        };
        tracing::error!(
            limit.name = self.name.text,
            cause = %cause,
            "the limiter failed; {outcome}"
        );
    }

    /// Calls the limiter, with a time limit.
    async fn call_limiter(&self, key: String) -> Result<Decision, BoxError> {
        let mut check = pin!(self.limiter.check(&key, self.quota));
        let mut timeout = LazyTimeout::new(Some(self.patience));
        poll_fn(|cx| match check.as_mut().poll(cx) {
            Poll::Ready(decision) => Poll::Ready(decision),
            Poll::Pending => {
                let late = "the limiter did not answer in time";
                timeout.poll(cx).map(|()| Err(late.into()))
            }
        })
        .await
    }

    /// Returns the headers of a decision.
    fn headers(&self, decision: &Decision) -> Vec<(HeaderName, HeaderValue)> {
        let mut lines = Vec::new();
        self.push_lines(&mut lines, decision);
        read_lines(&lines).collect()
    }

    /// Writes the header lines of a decision.
    fn push_lines(&self, lines: &mut Vec<u8>, decision: &Decision) {
        lines.extend_from_slice(&self.lines);
        let mut number = itoa::Buffer::new();
        let start = lines.len();
        lines.extend_from_slice(number.format(decision.remaining).as_bytes());
        let remaining = start..lines.len();
        lines.extend_from_slice(b";t=");
        lines.extend_from_slice(number.format(seconds(decision.more_in)).as_bytes());
        lines.extend_from_slice(b"\r\nx-ratelimit-remaining: ");
        lines.extend_from_within(remaining);
        lines.extend_from_slice(b"\r\nx-ratelimit-reset: ");
        lines.extend_from_slice(number.format(seconds(decision.whole_in)).as_bytes());
        lines.extend_from_slice(b"\r\n");
    }

    /// Adds the headers of a decision to a response. Of several limits the one with the fewest remaining
    /// requests has the `X-RateLimit` headers.
    fn add_headers(&self, headers: &mut ResponseHeaders, decision: &Decision) {
        if !headers.has(&SHOWN) {
            headers.append_lines(self.names, |lines| self.push_lines(lines, decision));
            return;
        }
        let shown = headers
            .get(&REMAINING)
            .and_then(|shown| shown.to_str().ok());
        let shown = shown.and_then(|text| text.parse().ok());
        let nearer = shown.is_some_and(|other: u32| other <= decision.remaining);
        for (name, value) in self.headers(decision) {
            if name == POLICY || name == STATE {
                headers.append(name, value);
            } else if !nearer {
                headers.insert(name, value);
            }
        }
    }

    fn accept(&self, decision: Decision) -> Result<Option<Decision>, Rejection> {
        if decision.allowed {
            Ok(Some(decision))
        } else {
            Err(self.refusal(&decision))
        }
    }

    fn refusal(&self, decision: &Decision) -> Rejection {
        let wait = seconds(decision.more_in).max(1);
        let refusal = match &self.refuse {
            Some(refuse) => refuse(decision.more_in),
            None => Rejection::new(
                StatusCode::TOO_MANY_REQUESTS,
                "rate_limited",
                format!("too many requests; try again in {wait} s"),
            ),
        };
        self.headers(decision)
            .into_iter()
            .chain([(RETRY_AFTER, wait.into())])
            .fold(refusal, |refusal, (name, value)| {
                refusal.with_header(name, value)
            })
    }

    fn unavailable(&self, cause: BoxError) -> Rejection {
        Rejection::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "limiter_unavailable",
            "requests cannot be counted at the moment; try again later",
        )
        .with_header(RETRY_AFTER, seconds(self.patience).max(1).into())
        .with_cause(cause)
    }
}

impl<L: Limiter> RateLimit<L> {
    /// Counts a request, and returns the decision, or `None` if the request is not counted.
    ///
    /// This is the first half of the filter, for filters that do several things at once.
    ///
    /// # Errors
    ///
    /// Returns the response that refuses the request.
    pub async fn check(&self, request: &Request) -> Result<Option<Decision>, Response> {
        self.count(request).await.map_err(Response::rejected)
    }

    /// Counts a request like [`check`](Self::check), for handlers and for checks of credentials that limit
    /// some requests only, such as those that fail.
    ///
    /// # Errors
    ///
    /// Returns the rejection of the request.
    pub async fn count(&self, request: &Request) -> Result<Option<Decision>, Rejection> {
        let Self(policy) = self;
        match policy.key.of(&policy.name, request) {
            Some(key) => policy.count(key).await,
            None => Ok(None),
        }
    }

    /// Counts something that is not a request, such as a message of a websocket, together with the requests
    /// for which [`by`](RateLimitBuilder::by) returns the same text.
    ///
    /// # Errors
    ///
    /// Returns the decision that refuses it.
    pub async fn count_for(&self, text: &str) -> Result<(), Decision> {
        let Self(policy) = self;
        let key = LimitKey::of_text(&policy.name, text);
        match policy.decide(&key).await {
            Ok(decision) if !decision.allowed => Err(decision),
            Err(cause) if policy.fail_closed => {
                policy.log_failure(&cause);
                Err(Decision {
                    allowed: false,
                    remaining: 0,
                    more_in: policy.patience,
                    whole_in: policy.patience,
                })
            }
            Ok(_) => Ok(()),
            Err(cause) => {
                policy.log_failure(&cause);
                Ok(())
            }
        }
    }

    /// Adds the headers of a decision to a response: the second half of the filter.
    pub fn add_headers(&self, response: &mut Response, decision: &Decision) {
        self.0.add_headers(response.fields_mut(), decision);
    }
}

impl<L: Limiter> Filter for RateLimit<L> {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        let decision = match self.check(request).await {
            Ok(decision) => decision,
            Err(refusal) => return refusal,
        };
        let mut response = next.run(request).await;
        if let Some(decision) = decision {
            self.add_headers(&mut response, &decision);
        }
        response
    }
}

impl<L> Clone for RateLimit<L> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<L> fmt::Debug for RateLimit<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RateLimit")
            .field("name", &self.0.name.text)
            .field("quota", &self.0.quota)
            .field("key", &self.0.key)
            .finish_non_exhaustive()
    }
}
