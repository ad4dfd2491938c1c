//! `GET /v1/openapi.json` and `GET /v1/docs`: the description of the API, for programs and for people.

mod control;
mod details;
mod page;
pub(super) mod shapes;

use std::sync::Arc;

use http::header::{CONTENT_SECURITY_POLICY, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use innkeeper_rest::{
    App as Routes, OpenApi, PreparedResponse, Rejection, Request, Unnegotiated, resource,
};
use serde_json::Value;

use crate::prepared::prepare;

const CACHE_CONTROL: &str = "public, max-age=300, stale-if-error=86400";
/// The page has no scripts and loads only its own style sheet.
const POLICY: &str = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const DESCRIPTION: &str = "\
The status of a hosting company, its plans, its blog and its knowledge base, and the servers of its customers.

Every response has `X-Request-Id`, and tells the rate limit of the client in `RateLimit`, `RateLimit-Policy` \
and `X-RateLimit-*`. HEAD works wherever GET does. A response with an `ETag` is answered with 304 if the \
client sends that tag in `If-None-Match`.

Errors are one line of text, or problem details (RFC 9457) for clients that prefer JSON in `Accept`. A \
method that a path does not support is answered with 405, `method not allowed`, and `Allow`.

The routes below `/v1/hosting` need an API key, in `Authorization: Bearer <API_KEY>` or `X-API-Key: <API_KEY>`. \
Their errors are always problem details, with a `code` for programs.";

/// The document and the page, prepared once.
#[derive(Debug)]
pub(crate) struct ApiDocuments {
    document: PreparedResponse,
    page: PreparedResponse,
    styles: PreparedResponse,
}

impl ApiDocuments {
    /// Returns empty documents, for the routes that the real documents are made from.
    pub(super) fn empty() -> Arc<Self> {
        Arc::new(Self::new(&Value::Null))
    }

    /// Returns the documents that describe these routes.
    pub(super) fn of(routes: &Routes) -> Arc<Self> {
        Arc::new(Self::new(&document(routes)))
    }

    fn new(document: &Value) -> Self {
        let protected = |content_type, text: String| {
            prepare(content_type, CACHE_CONTROL, text)
                .common_header(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY))
                .header(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"))
        };
        Self {
            page: protected("text/html; charset=utf-8", page::html(document)),
            styles: protected("text/css; charset=utf-8", page::STYLES.to_owned()),
            document: prepare("application/json", CACHE_CONTROL, document.to_string()),
        }
    }
}

/// Returns the OpenAPI document of these routes.
pub(crate) fn document(routes: &Routes) -> Value {
    let document = OpenApi::new("Innkeeper hosting", crate::VERSION)
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
    pub(crate) documents: Arc<ApiDocuments>,
}

#[resource("/openapi.json")]
impl OpenApiDocument {
    /// Returns this document.
    #[get]
    #[responds(200, serde_json::Map<String, Value>, "an OpenAPI 3.1 document")]
    fn show(&self, #[request] request: &Request) -> Unnegotiated {
        Unnegotiated(self.documents.document.respond(request.head()))
    }
}

pub(crate) struct Docs {
    pub(crate) documents: Arc<ApiDocuments>,
}

#[resource("/docs")]
impl Docs {
    /// Returns a page that shows this document to people.
    #[get]
    #[responds(200, "the page")]
    fn page(&self, #[request] request: &Request) -> Unnegotiated {
        Unnegotiated(self.documents.page.respond(request.head()))
    }

    /// Returns the style sheet of that page.
    #[get("/{file}")]
    #[responds(200, "the style sheet")]
    #[responds(404, "the file does not exist")]
    fn file(
        &self,
        /// `docs.css`.
        file: &str,
        #[request] request: &Request,
    ) -> Result<Unnegotiated, Rejection> {
        if file != "docs.css" {
            return Err(Rejection::not_found());
        }
        Ok(Unnegotiated(self.documents.styles.respond(request.head())))
    }
}
