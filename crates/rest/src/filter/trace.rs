//! One log line per request.

use std::time::Instant;

use super::{Filter, Next};
use crate::request::{ClientAddress, Request, RequestId};
use crate::response::Response;

/// Logs every request with its method, path, route, status and duration.
///
/// Add it to the application after [`RequestIds`](super::RequestIds) and
/// [`TrustedProxies`](super::TrustedProxies), whose values it logs. The query is not logged, because it may
/// contain secrets.
///
/// ```
/// use innkeeper_rest::App;
/// use innkeeper_rest::filter::{RequestIds, Trace, TrustedProxies};
///
/// let app = App::new().filter(RequestIds::new()).filter(TrustedProxies::none()).filter(Trace);
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Trace;

impl Filter for Trace {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        let start = Instant::now();
        // Read first: a handler or service may take the request with all its values.
        let id = request.values().get::<RequestId>().cloned();
        let client = request.values().get::<ClientAddress>().copied();
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
            request.id = id.as_ref().map(RequestId::as_str),
            client.address = client.map(|client| client.0.to_string()),
            duration_ms,
            "request"
        );
        response
    }

    /// Returns whether lines of this level are logged.
    fn applies_to(&self, _: &Request) -> bool {
        tracing::enabled!(tracing::Level::INFO)
    }
}
