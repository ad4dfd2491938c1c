//! Rate limits for groups of routes.

use std::sync::Arc;
use std::time::Duration;

use http::Method;
use innkeeper_rest::filter::{FilterError, Quota, RateLimit};
use innkeeper_rest::{Filter, Next, Request, Response};
use innkeeper_service::clock::Clock;
use innkeeper_service::limiter::{LimiterOptions, SharedLimiter};

use crate::app::App;
use crate::config::LimitConfig;
use crate::machines::key::VerifiedKey;
use crate::model::MachineKind;

pub(crate) type Limit = RateLimit<Arc<SharedLimiter>>;

/// The prefix of the control endpoints.
const CONTROL: &str = "/v1/hosting";
/// The path that feedback is sent to.
const FEEDBACK: &str = "/v1/kb/feedback";

/// A limit for each group of routes. Every request counts, also if it fails.
#[derive(Debug)]
pub(super) struct RateLimits {
    health: Limit,
    content: Limit,
    assets: Limit,
    widget: Limit,
    feedback: Limit,
    control: Limit,
    console: Limit,
    public: Limit,
}

impl RateLimits {
    pub(super) fn new(
        config: &LimitConfig,
        limiter: &Arc<SharedLimiter>,
    ) -> Result<Self, FilterError> {
        let limit = |name, quota| limit(name, quota, config, limiter);
        Ok(Self {
            health: limit("health", config.health)?,
            content: limit("content", config.content)?,
            assets: limit("assets", config.assets)?,
            widget: limit("widget", config.widget)?,
            feedback: limit("feedback", config.feedback)?,
            control: limit("control", config.control)?,
            console: limit("console", config.console)?,
            public: limit("public", config.public)?,
        })
    }

    /// Returns the limit that a request counts against.
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
        // Forms of the console page do what the control endpoints do.
        if path == "/v1/console" && *request.method() == Method::POST {
            return &self.control;
        }
        if path.starts_with(CONTROL) {
            let opens_console = path.ends_with("/websocket");
            return if opens_console {
                &self.console
            } else {
                &self.control
            };
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

/// Tells whether a request sends feedback. A preflight does not.
fn is_feedback(request: &Request) -> bool {
    *request.method() == Method::POST && request.path() == FEEDBACK
}

/// The limit of feedback per client and day.
#[derive(Debug)]
pub(super) struct DailyFeedbackLimit(Limit);

impl DailyFeedbackLimit {
    pub(super) fn new(
        config: &LimitConfig,
        limiter: &Arc<SharedLimiter>,
    ) -> Result<Self, FilterError> {
        let limit = limit("feedback-day", config.feedback_day, config, limiter)?;
        Ok(Self(limit))
    }
}

impl Filter for DailyFeedbackLimit {
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

/// Limits of requests with an API key, which the filters of resources apply after they have checked the key.
#[derive(Debug)]
pub(crate) struct ControlLimits {
    /// All requests, per key.
    pub(crate) key: Limit,
    /// Power requests, per machine.
    pub(crate) power: Limit,
    /// Power requests, per key.
    pub(crate) power_key: Limit,
    /// Console commands, per game server.
    pub(crate) command: Limit,
    /// Requests for logs, per key.
    pub(crate) log: Limit,
}

impl ControlLimits {
    pub(super) fn new(
        config: &LimitConfig,
        limiter: &Arc<SharedLimiter>,
    ) -> Result<Self, FilterError> {
        let limit = |name, quota, key| limit_by(name, quota, key, config, limiter);
        Ok(Self {
            key: limit("control-key", config.control, key_of)?,
            power: limit("power", config.power, machine_of)?,
            power_key: limit("power-key", config.power_key, key_of)?,
            command: limit("command", config.command, machine_of)?,
            log: limit("log", config.log, key_of)?,
        })
    }
}

/// Returns the id of the key of a request.
fn key_of(request: &Request) -> Option<String> {
    let key = request.values().get::<Arc<VerifiedKey>>()?;
    Some(key.key.id.clone())
}

/// Returns the customer and the machine of a request. The id of the machine alone would let customers use up
/// the requests of others.
fn machine_of(request: &Request) -> Option<String> {
    let key = request.values().get::<Arc<VerifiedKey>>()?;
    let customer = &key.key.customer_id;
    let id = |name| request.path_param(name);
    Some(match (id("server_id"), id("id")) {
        (Some(id), _) => format!("{customer}:{}:{id}", MachineKind::Game),
        (None, Some(id)) => format!("{customer}:{}:{id}", MachineKind::Vps),
        // Ids that are not text are counted together, so that the answers have the same headers.
        (None, None) => format!("{customer}:"),
    })
}

/// Returns the limit of requests with API keys that are not valid.
pub(super) fn key_failures(app: &App, limiter: &Arc<SharedLimiter>) -> Result<Limit, FilterError> {
    let config = &app.config.limits;
    limit("key-failures", config.key_failures, config, limiter)
}

/// Returns the limiter, which replicas with the same Redis share.
pub(super) fn limiter(config: &LimitConfig, clock: &Clock) -> Arc<SharedLimiter> {
    let options = LimiterOptions {
        redis: config.redis_url.clone(),
        timeout: config.redis_timeout,
        prefix: "innkeeper:hosting:".to_owned(),
    };
    Arc::new(SharedLimiter::new(options, clock))
}

/// Returns a limit per client address.
fn limit(
    name: &str,
    quota: Quota,
    config: &LimitConfig,
    limiter: &Arc<SharedLimiter>,
) -> Result<Limit, FilterError> {
    RateLimit::builder(quota)
        .name(name)
        .limiter(Arc::clone(limiter))
        .patience(patience(config))
        .build()
}

/// Returns a limit per what a function makes of a request.
fn limit_by(
    name: &str,
    quota: Quota,
    key: fn(&Request) -> Option<String>,
    config: &LimitConfig,
    limiter: &Arc<SharedLimiter>,
) -> Result<Limit, FilterError> {
    RateLimit::builder(quota)
        .name(name)
        .by(key)
        .limiter(Arc::clone(limiter))
        .patience(patience(config))
        .build()
}

/// Returns how long the limiter may take. It falls back to local counts by itself if Redis is too slow.
fn patience(config: &LimitConfig) -> Duration {
    let patience = config.redis_timeout.saturating_mul(3);
    patience.max(Duration::from_secs(1))
}
