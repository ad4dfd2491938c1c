//! Which pages of other sites may read answers.
//!
//! Preflights count against the limits like any other request, so they are answered behind them;
//! other answers are marked in front of them, so that pages can read refusals too.

use std::time::Duration;

use http::Method;
use http::header::{ACCESS_CONTROL_REQUEST_METHOD, ORIGIN};
use innkeeper_rest::filter::{Continue, Cors, CorsError, Link};
use innkeeper_rest::{Request, Response};

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

/// Marks answers to anything but preflights.
#[derive(Debug)]
pub(super) struct Marks(Cors);

/// Answers preflights.
#[derive(Debug)]
pub(super) struct Preflights(Cors);

pub(super) fn filters(origins: &[String]) -> Result<(Marks, Preflights), CorsError> {
    let cors = Cors::builder()
        .origins(origins)
        .methods(METHODS)
        .headers(HEADERS)
        .exposed_headers(EXPOSED)
        .max_age(Duration::from_mins(10))
        .refuse_preflights()
        .build()?;
    Ok((Marks(cors.clone()), Preflights(cors)))
}

fn is_preflight(request: &Request) -> bool {
    let head = request.head();
    *head.method() == Method::OPTIONS
        && head.has_header(ORIGIN)
        && head.has_header(ACCESS_CONTROL_REQUEST_METHOD)
}

impl Link for Marks {
    fn applies_to(&self, request: &Request) -> bool {
        !is_preflight(request)
    }

    async fn pass<C: Continue>(&self, request: &mut Request, next: C) -> Response {
        self.0.pass(request, next).await
    }
}

impl Link for Preflights {
    fn applies_to(&self, request: &Request) -> bool {
        is_preflight(request)
    }

    async fn pass<C: Continue>(&self, request: &mut Request, next: C) -> Response {
        self.0.pass(request, next).await
    }
}
