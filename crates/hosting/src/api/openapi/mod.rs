//! `GET /v1/openapi.json` and `GET /v1/docs`: what the API is, for programs and for people.

mod finish;
mod page;
pub(super) mod shapes;

use std::sync::Arc;

use http::header::CONTENT_SECURITY_POLICY;
use innkeeper_rest::{App as Routes, OpenApi, Rejection, Request, resource};
use serde_json::Value;

use super::send::{Sent, send};
use crate::answer::Answer;

const CACHE_CONTROL: &str = "public, max-age=300, stale-if-error=86400";
/// The page has no script, and loads nothing but its own style sheet.
const POLICY: &str = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const DESCRIPTION: &str = "\
The status of a hosting company, its plans, its blog and its knowledge base.

Every answer has `X-Request-Id`, and says with `RateLimit`, `RateLimit-Policy` and `X-RateLimit-*` how often \
this client may ask. HEAD works wherever GET does. Answers with an `ETag` are not sent again to clients that \
name it in `If-None-Match`.

Errors are one line of text, or problem details (RFC 9457) for clients that ask for JSON in `Accept`. A \
method that a path does not have is answered with 405, `method not allowed`, and `Allow`.";

/// The document and the page, made once.
#[derive(Debug)]
pub(crate) struct Documents {
    document: Answer,
    page: Answer,
    styles: Answer,
}

impl Documents {
    /// Nothing yet: what the routes look like is known before what is written about them.
    pub(super) fn unwritten() -> Arc<Self> {
        Arc::new(Self::of(&Value::Null))
    }

    /// What there is to say about these routes.
    pub(super) fn about(routes: &Routes) -> Arc<Self> {
        Arc::new(Self::of(&document(routes)))
    }

    fn of(document: &Value) -> Self {
        let answer = |content_type, text: String| Answer::new(content_type, CACHE_CONTROL, text);
        Self {
            page: answer("text/html; charset=utf-8", page::html(document)),
            styles: answer("text/css; charset=utf-8", page::STYLES.to_owned()),
            document: answer("application/json", document.to_string()),
        }
    }
}

/// The OpenAPI document of these routes.
pub(crate) fn document(routes: &Routes) -> Value {
    OpenApi::new("Innkeeper hosting", crate::VERSION)
        .summary("Status, plans, articles and feedback")
        .description(DESCRIPTION)
        .change(finish::finish)
        .document(routes)
}

pub(crate) struct OpenApiDocument {
    pub(crate) documents: Arc<Documents>,
}

#[resource("/openapi.json")]
impl OpenApiDocument {
    /// This document.
    #[get]
    #[responds(200, serde_json::Map<String, Value>, "an OpenAPI 3.1 document")]
    fn show(&self, #[request] request: &Request) -> Sent {
        send(&self.documents.document, request.head())
    }
}

pub(crate) struct Docs {
    pub(crate) documents: Arc<Documents>,
}

#[resource("/docs")]
impl Docs {
    /// A page for people to read this document on.
    #[get]
    #[responds(200, "a page")]
    fn page(&self, #[request] request: &Request) -> Sent {
        protected(&self.documents.page, request)
    }

    /// The style sheet of that page.
    #[get("/{file}")]
    #[responds(200, "a style sheet")]
    #[responds(404, "nothing is here")]
    fn file(
        &self,
        /// `docs.css`.
        file: &str,
        #[request] request: &Request,
    ) -> Result<Sent, Rejection> {
        if file != "docs.css" {
            return Err(Rejection::not_found());
        }
        Ok(protected(&self.documents.styles, request))
    }
}

fn protected(answer: &Answer, request: &Request) -> Sent {
    let Sent(response) = send(answer, request.head());
    let response = response
        .header(CONTENT_SECURITY_POLICY, POLICY)
        .header("x-content-type-options", "nosniff");
    Sent(response)
}
