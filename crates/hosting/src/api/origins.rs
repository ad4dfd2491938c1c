//! Which pages of other sites may read answers.
//!
//! Preflights count against the limits like any other request, so they are answered behind them;
//! other answers are marked in front of them, so that pages can read refusals too.

use std::time::Duration;

use innkeeper_rest::filter::{Cors, CorsError};
use innkeeper_rest::{Filter, Next, Request, Response};

use super::front::is_preflight;

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
pub(super) struct Preflights(pub(super) Cors);

/// Which pages may call, and what.
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

impl Filter for Preflights {
    fn applies_to(&self, request: &Request) -> bool {
        is_preflight(request)
    }

    fn apply(
        &self,
        request: &mut Request,
        next: Next<'_>,
    ) -> impl Future<Output = Response> + Send {
        self.0.apply(request, next)
    }
}
