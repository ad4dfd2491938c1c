//! `GET /v1/openapi.json`: the description of the API. The page for people at `/v1/docs` shows it.

mod control;
mod details;
pub(super) mod shapes;

use std::sync::Arc;

use innkeeper_rest::{App as Routes, OpenApi, PreparedResponse, Request, Unnegotiated, resource};
use serde_json::Value;

use crate::base::prepared::prepare;

const CACHE_CONTROL: &str = "public, max-age=300, stale-if-error=86400";
/// The path of the document.
pub(super) const PATH: &str = "/v1/openapi.json";
/// The path of the page that shows it.
pub(super) const PAGE: &str = "/v1/docs";

const DESCRIPTION: &str = "\
The status of a hosting company, its plans, its blog and its knowledge base, and the servers of its customers.

Every response has `X-Request-Id`, and tells the rate limit of the client in `RateLimit`, `RateLimit-Policy` \
and `X-RateLimit-*`. HEAD works wherever GET does. A response with an `ETag` is answered with 304 if the \
client sends that tag in `If-None-Match`.

Errors are one line of text, or problem details (RFC 9457) for clients that prefer JSON in `Accept`. A \
method that a path does not support is answered with 405, `method not allowed`, and `Allow`.

The routes below `/v1/hosting` need an API key, in `Authorization: Bearer <API_KEY>` or `X-API-Key: <API_KEY>`. \
Their errors are always problem details, with a `code` for programs.";

/// The document, prepared once.
#[derive(Debug)]
pub(crate) struct PreparedDocument(PreparedResponse);

impl PreparedDocument {
    /// Returns an empty document, for the routes that the real document is made from.
    pub(super) fn empty() -> Arc<Self> {
        Arc::new(Self::new(&Value::Null))
    }

    /// Returns the document that describes these routes.
    pub(super) fn of(routes: &Routes) -> Arc<Self> {
        Arc::new(Self::new(&document(routes)))
    }

    fn new(document: &Value) -> Self {
        let text = document.to_string();
        Self(prepare("application/json", CACHE_CONTROL, text))
    }
}

/// Returns the OpenAPI document of these routes.
pub(crate) fn document(routes: &Routes) -> Value {
    let document = OpenApi::new("Innkeeper hosting", crate::base::VERSION)
        .summary("Status, plans, articles, feedback, and servers of customers")
        .description(DESCRIPTION);
    let document = control::security_schemes()
        .into_iter()
        .fold(document, |document, (name, scheme)| {
            document.security(name, scheme)
        });
    document.change(details::add_details).document(routes)
}

pub(crate) struct OpenApiDocument {
    pub(crate) document: Arc<PreparedDocument>,
}

#[resource("/openapi.json")]
impl OpenApiDocument {
    /// Returns this document.
    #[get]
    #[responds(200, serde_json::Map<String, Value>, "an OpenAPI 3.1 document")]
    fn show(&self, #[request] request: &Request) -> Unnegotiated {
        Unnegotiated(self.document.0.respond(request.head()))
    }
}
