//! What happens around every request: a name for it, its client, the log, who may read the answer, and how
//! often one may ask.
//!
//! One filter, because as five they would cost a future each at every request.

use http::Method;
use http::header::{ACCESS_CONTROL_REQUEST_METHOD, ORIGIN};
use innkeeper_rest::filter::{Cors, RequestIds, TrustedProxies};
use innkeeper_rest::{Filter, Next, Request, Response};
use innkeeper_service::telemetry::Observe;

use super::limits::Limits;

#[derive(Debug)]
pub(super) struct Front {
    pub(super) ids: RequestIds,
    pub(super) proxies: TrustedProxies,
    pub(super) observe: Observe,
    pub(super) cors: Cors,
    pub(super) limits: Limits,
}

impl Front {
    /// What is logged: pages can read every answer, and every request counts, preflights too.
    async fn inside(&self, request: &mut Request, next: Next<'_>) -> Response {
        // Preflights are answered further in, and marked there.
        let origin = (!is_preflight(request)).then(|| self.cors.allowed_origin(request.head()));
        let limit = self.limits.of(request);
        let mut response = match limit.check(request).await {
            Ok(decision) => {
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

impl Filter for Front {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        let id = self.ids.assign(request);
        self.proxies.resolve(request);
        let observed = self.observe.begin(request);
        let mut response = match observed.span() {
            Some(span) => span.around(Box::pin(self.inside(request, next))).await,
            None => self.inside(request, next).await,
        };
        self.observe.end(&observed, request, next, &response);
        self.ids.add_header(&mut response, &id);
        response
    }
}

/// Whether a browser asks leave to send another request.
pub(super) fn is_preflight(request: &Request) -> bool {
    let head = request.head();
    *head.method() == Method::OPTIONS
        && head.has_header(ORIGIN)
        && head.has_header(ACCESS_CONTROL_REQUEST_METHOD)
}
