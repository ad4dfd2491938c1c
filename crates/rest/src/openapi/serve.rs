//! Serves documents at a path of the application that they describe.

use std::sync::OnceLock;

use bytes::Bytes;
use http::Method;
use http::header::{ALLOW, HeaderValue};

use super::builder::write_document;
use super::described::DescribedApi;
use super::options::OpenApi;
use crate::conditional::ETag;
use crate::future::BoxFuture;
use crate::head::Head;
use crate::pipeline::{Limits, MountedService};
use crate::rejection::Rejection;
use crate::request::Request;
use crate::response::{ContentType, Response};

/// A document at exactly one path. It is written at the first request: that takes megabytes, and most servers are never
/// asked for it.
pub(crate) struct ServedDocument {
    openapi: Box<OpenApi>,
    apis: Vec<DescribedApi>,
    limits: Limits,
    written: OnceLock<Bytes>,
}

impl ServedDocument {
    pub(crate) fn new(openapi: Box<OpenApi>, apis: Vec<DescribedApi>, limits: Limits) -> Self {
        Self {
            openapi,
            apis,
            limits,
            written: OnceLock::new(),
        }
    }

    fn text(&self) -> Bytes {
        let write = || write_document(&self.openapi, &self.apis, self.limits);
        let written = self.written.get_or_init(|| write().to_string().into());
        written.clone()
    }
}

impl MountedService for ServedDocument {
    fn call(&self, request: Request, prefix: &str) -> BoxFuture<'static, Response> {
        let response = if request.path().trim_end_matches('/') == prefix {
            respond(&request, |_| {
                let text = self.text();
                let etag = ETag::of(&text);
                Response::written(ContentType::Json, text).etag(etag)
            })
        } else {
            Response::not_found()
        };
        Box::pin(std::future::ready(response))
    }
}

/// Sends a response to GET and HEAD, the allowed methods to OPTIONS, and 405 to other methods.
pub(super) fn respond(request: &Request, response: impl FnOnce(&Head) -> Response) -> Response {
    let allow = HeaderValue::from_static("GET, HEAD, OPTIONS");
    match *request.method() {
        Method::GET | Method::HEAD => response(request.head()),
        Method::OPTIONS => {
            let mut response = Response::no_content();
            response.fields_mut().insert(ALLOW, allow);
            response
        }
        _ => Response::rejected(Rejection::method_not_allowed(allow)),
    }
}
