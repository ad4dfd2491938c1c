//! How often one client may ask for what.

use innkeeper_rest::filter::{FilterError, Quota, RateLimit};
use innkeeper_rest::{Filter, Next, Request, Response};

use crate::config::LimitConfig;

/// A limit for each kind of path. Every request counts, whatever becomes of it.
#[derive(Debug)]
pub(super) struct Limits {
    health: RateLimit,
    content: RateLimit,
    assets: RateLimit,
    public: RateLimit,
}

impl Limits {
    pub(super) fn new(config: &LimitConfig) -> Result<Self, FilterError> {
        Ok(Self {
            health: limit("health", config.health)?,
            content: limit("content", config.content)?,
            assets: limit("assets", config.assets)?,
            public: limit("public", config.public)?,
        })
    }

    fn of(&self, path: &str) -> &RateLimit {
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

fn limit(name: &str, quota: Quota) -> Result<RateLimit, FilterError> {
    RateLimit::builder(quota).name(name).build()
}

impl Filter for Limits {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        self.of(request.path()).clone().apply(request, next).await
    }
}
