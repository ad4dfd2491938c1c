//! The filter around every request: request ids, client addresses, telemetry, CORS, rate limits, changed content
//! and the header that forbids frames.
//!
//! It is one filter, because six would cost a future each at every request.

use std::sync::Arc;

use http::header::{CONTENT_SECURITY_POLICY, HeaderName, HeaderValue};
use innkeeper_rest::filter::{Cors, RequestId, RequestIds, TrustedProxies};
use innkeeper_rest::{Filter, Next, Request, Response};
use innkeeper_service::telemetry::Observe;

use super::rate_limits::RateLimits;
use crate::content::ContentStore;

/// The header of request ids.
pub(super) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The prefix of the routes whose errors tell the id of the request.
const CONTROL: &str = "/v1/hosting";

/// The policy of what is not a page. Pages and images have stricter ones.
const NO_FRAMES: HeaderValue = HeaderValue::from_static("frame-ancestors 'none'");

#[derive(Debug)]
pub(super) struct EdgeFilter {
    pub(super) ids: RequestIds,
    pub(super) proxies: TrustedProxies,
    pub(super) observe: Observe,
    pub(super) cors: Cors,
    pub(super) limits: RateLimits,
    pub(super) content: Arc<ContentStore>,
}

impl EdgeFilter {
    /// Counts the request against its limit, and lets pages read the response, also if it is refused.
    async fn limited(&self, request: &mut Request, next: Next<'_>) -> Response {
        // Preflights are answered further in, with CORS headers.
        let is_preflight = Cors::is_preflight(request.head());
        let origin = (!is_preflight).then(|| self.cors.allowed_origin(request.head()));
        let limit = self.limits.of(request);
        let mut response = match limit.check(request).await {
            Ok(decision) => {
                if reads_content(request) && self.content.has_changes() {
                    // Boxed, because it is rare.
                    Box::pin(self.content.catch_up()).await;
                }
                let mut response = next.run(request).await;
                if let Some(decision) = decision {
                    limit.add_headers(&mut response, &decision);
                }
                response
            }
            Err(refusal) => refusal,
        };
        if let Some(origin) = origin {
            self.cors.add_headers(&mut response, origin);
        }
        response
    }
}

impl Filter for EdgeFilter {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        let id = self.ids.assign(request);
        if request.path().starts_with(CONTROL) {
            write_id(request, &id);
        }
        self.proxies.resolve(request);
        let observed = self.observe.begin(request);
        let mut response = match observed.span() {
            Some(span) => span.around(Box::pin(self.limited(request, next))).await,
            None => self.limited(request, next).await,
        };
        self.observe.end(&observed, request, next, &response);
        self.ids.add_header(&mut response, &id);
        response.set_header_if_absent(CONTENT_SECURITY_POLICY, NO_FRAMES);
        response
    }
}

/// Tells whether a request may be about articles, plans or the definition of the status.
fn reads_content(request: &Request) -> bool {
    let path = request.path();
    path.starts_with("/v1/") && !path.starts_with(CONTROL)
}

/// Writes the id into the head of a request, where the error format finds it.
fn write_id(request: &mut Request, id: &RequestId) {
    if request.head().header_text(&REQUEST_ID) == Some(id.as_str()) {
        return;
    }
    // Ids are ASCII.
    if let Ok(value) = HeaderValue::from_str(id.as_str()) {
        request.head_mut().headers_mut().insert(REQUEST_ID, value);
    }
}
