//! CORS: which pages of other sites may read responses.
//!
//! Preflights count against the rate limits like any other request, so they are answered behind the limits.
//! Other responses get their CORS headers in front of the limits, so that pages can read refusals too.

use std::time::Duration;

use innkeeper_rest::filter::{Cors, CorsError};
use innkeeper_rest::{Filter, Next, Request, Response};

const METHODS: [&str; 3] = ["GET", "HEAD", "POST"];
const HEADERS: [&str; 7] = [
    "authorization",
    "content-type",
    "idempotency-key",
    "if-none-match",
    "prefer",
    "x-api-key",
    "x-request-id",
];
const EXPOSED: [&str; 9] = [
    "etag",
    "location",
    "ratelimit",
    "ratelimit-policy",
    "retry-after",
    "x-ratelimit-limit",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
    "x-request-id",
];

/// Answers preflights.
#[derive(Debug)]
pub(super) struct PreflightFilter(pub(super) Cors);

/// Returns the CORS policy for these origins.
pub(super) fn cors(origins: &[String]) -> Result<Cors, CorsError> {
    Cors::builder()
        .origins(origins)
        .methods(METHODS)
        .headers(HEADERS)
        .exposed_headers(EXPOSED)
        .max_age(Duration::from_mins(10))
        .refuse_preflights()
        .build()
}

impl Filter for PreflightFilter {
    fn applies_to(&self, request: &Request) -> bool {
        Cors::is_preflight(request.head())
    }

    fn apply(
        &self,
        request: &mut Request,
        next: Next<'_>,
    ) -> impl Future<Output = Response> + Send {
        self.0.apply(request, next)
    }
}
