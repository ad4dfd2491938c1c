//! How often one client may ask for what.

use std::sync::Arc;
use std::time::Duration;

use http::Method;
use innkeeper_rest::filter::{FilterError, Quota, RateLimit};
use innkeeper_rest::{Filter, Next, Request, Response};
use innkeeper_service::clock::Clock;
use innkeeper_service::limiter::{LimiterOptions, SharedLimiter};

use crate::config::LimitConfig;

pub(super) type Limit = RateLimit<Arc<SharedLimiter>>;

/// Where feedback is sent.
const FEEDBACK: &str = "/v1/kb/feedback";

/// A limit for each kind of path. Every request counts, whatever becomes of it.
#[derive(Debug)]
pub(super) struct Limits {
    health: Limit,
    content: Limit,
    assets: Limit,
    widget: Limit,
    feedback: Limit,
    public: Limit,
}

impl Limits {
    pub(super) fn new(
        config: &LimitConfig,
        limiter: &Arc<SharedLimiter>,
    ) -> Result<Self, FilterError> {
        let limit = |name, quota| limit((name, quota), config, limiter);
        Ok(Self {
            health: limit("health", config.health)?,
            content: limit("content", config.content)?,
            assets: limit("assets", config.assets)?,
            widget: limit("widget", config.widget)?,
            feedback: limit("feedback", config.feedback)?,
            public: limit("public", config.public)?,
        })
    }

    /// The limit that a request counts against.
    pub(super) fn of(&self, request: &Request) -> &Limit {
        let path = request.path();
        if is_feedback(request) {
            return &self.feedback;
        }
        if path.starts_with("/v1/heo-status") {
            return &self.widget;
        }
        if path == "/health" {
            return &self.health;
        }
        if path.starts_with("/v1/assets/") {
            return &self.assets;
        }
        let is_content = ["/v1/blog/", "/v1/kb/", "/v1/sitemap.xml"]
            .iter()
            .any(|prefix| path.starts_with(prefix));
        if is_content {
            &self.content
        } else {
            &self.public
        }
    }
}

/// Feedback that is sent; asking whether one may send it is no feedback.
fn is_feedback(request: &Request) -> bool {
    *request.method() == Method::POST && request.path() == FEEDBACK
}

/// What one client may say in a day.
#[derive(Debug)]
pub(super) struct FeedbackOfTheDay(Limit);

impl FeedbackOfTheDay {
    pub(super) fn new(
        config: &LimitConfig,
        limiter: &Arc<SharedLimiter>,
    ) -> Result<Self, FilterError> {
        let named = ("feedback-day", config.feedback_day);
        Ok(Self(limit(named, config, limiter)?))
    }
}

impl Filter for FeedbackOfTheDay {
    fn applies_to(&self, request: &Request) -> bool {
        is_feedback(request)
    }

    fn apply(
        &self,
        request: &mut Request,
        next: Next<'_>,
    ) -> impl Future<Output = Response> + Send {
        self.0.apply(request, next)
    }
}

/// What counts, for all replicas if they share a Redis.
pub(super) fn limiter(config: &LimitConfig, clock: &Clock) -> Arc<SharedLimiter> {
    let options = LimiterOptions {
        redis: config.redis_url.clone(),
        timeout: config.redis_timeout,
        prefix: "innkeeper:hosting:".to_owned(),
    };
    Arc::new(SharedLimiter::new(options, clock))
}

fn limit(
    (name, quota): (&str, Quota),
    config: &LimitConfig,
    limiter: &Arc<SharedLimiter>,
) -> Result<Limit, FilterError> {
    // The limiter falls back by itself once connecting or asking has taken too long.
    let patience = config.redis_timeout.saturating_mul(3);
    RateLimit::builder(quota)
        .name(name)
        .limiter(Arc::clone(limiter))
        .patience(patience.max(Duration::from_secs(1)))
        .build()
}
