//! How often one client may ask for what.

use http::Method;
use innkeeper_rest::filter::{FilterError, Quota, RateLimit};
use innkeeper_rest::{Filter, Next, Request, Response};

use crate::config::LimitConfig;

/// Where feedback is sent.
const FEEDBACK: &str = "/v1/kb/feedback";

/// A limit for each kind of path. Every request counts, whatever becomes of it.
#[derive(Debug)]
pub(super) struct Limits {
    health: RateLimit,
    content: RateLimit,
    assets: RateLimit,
    widget: RateLimit,
    feedback: RateLimit,
    public: RateLimit,
}

impl Limits {
    pub(super) fn new(config: &LimitConfig) -> Result<Self, FilterError> {
        Ok(Self {
            health: limit("health", config.health)?,
            content: limit("content", config.content)?,
            assets: limit("assets", config.assets)?,
            widget: limit("widget", config.widget)?,
            feedback: limit("feedback", config.feedback)?,
            public: limit("public", config.public)?,
        })
    }

    fn of(&self, request: &Request) -> &RateLimit {
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
pub(super) struct FeedbackOfTheDay(RateLimit);

impl FeedbackOfTheDay {
    pub(super) fn new(config: &LimitConfig) -> Result<Self, FilterError> {
        Ok(Self(limit("feedback-day", config.feedback_day)?))
    }
}

impl Filter for FeedbackOfTheDay {
    fn applies_to(&self, request: &Request) -> bool {
        is_feedback(request)
    }

    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        self.0.apply(request, next).await
    }
}

fn limit(name: &str, quota: Quota) -> Result<RateLimit, FilterError> {
    RateLimit::builder(quota).name(name).build()
}

impl Filter for Limits {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        self.of(request).apply(request, next).await
    }
}
