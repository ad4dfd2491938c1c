//! Serves documents at a path of the application that they describe.

use std::sync::OnceLock;

use bytes::Bytes;
use http::Method;
use http::header::{ALLOW, HeaderValue};

use super::builder;
use super::described::DescribedApi;
use super::options::OpenApi;
use crate::app::Mount;
use crate::conditional::ETag;
use crate::future::BoxFuture;
use crate::head::Head;
use crate::pipeline::{Limits, MountedService};
use crate::rejection::Rejection;
use crate::request::Request;
use crate::response::{ContentType, Response};

/// Replaces the documents among the mounts by services that send them.
pub(crate) fn serve_documents(
    mounts: Vec<(String, Mount)>,
    limits: Limits,
) -> Vec<(String, Mount)> {
    let apis: Vec<Vec<DescribedApi>> = mounts
        .iter()
        .map(|(_, mount)| match mount {
            Mount::Document(openapi) => DescribedApi::of(&mounts, openapi),
            _ => Vec::new(),
        })
        .collect();
    let pairs = mounts.into_iter().zip(apis);
    pairs
        .map(|((prefix, mount), apis)| match mount {
            Mount::Document(openapi) => {
                let document = ServedDocument {
                    openapi,
                    apis,
                    limits,
                    written: OnceLock::new(),
                };
                (prefix, Mount::Service(Box::new(document)))
            }
            mount => (prefix, mount),
        })
        .collect()
}

/// A document at exactly one path. It is written at the first request: that takes megabytes, and most servers are never
/// asked for it.
struct ServedDocument {
    openapi: Box<OpenApi>,
    apis: Vec<DescribedApi>,
    limits: Limits,
    written: OnceLock<Bytes>,
}

impl ServedDocument {
    fn text(&self) -> Bytes {
        let write = || builder::write(&self.openapi, &self.apis, self.limits);
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
