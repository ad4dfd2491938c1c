//! One log line per request.

use std::time::Instant;

use super::{ClientAddress, Filter, Next, RequestId};
use crate::request::Request;
use crate::response::Response;

/// Logs every request with its method, path, route, status and duration.
///
/// Put it outside the routes and inside [`RequestIds`](super::RequestIds) and
/// [`TrustedProxies`](super::TrustedProxies), so that it knows their values. The query is not logged:
/// secrets travel in it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Trace;

impl Filter for Trace {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        let start = Instant::now();
        let response = next.run(request).await;
        let duration_ms = start.elapsed().as_secs_f64() * 1000.0;
        let status = response.status_code().as_u16();
        let route = request.route();
        tracing::info!(
            http.method = %request.method(),
            http.path = request.path(),
            http.route = route.map(|route| route.template),
            http.operation = route.map(|route| route.operation),
            http.status = status,
            request.id = request.values().get::<RequestId>().map(RequestId::as_str),
            client.address = request.values().get::<ClientAddress>().map(|client| client.0.to_string()),
            duration_ms,
            "request"
        );
        response
    }
}
