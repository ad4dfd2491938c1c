//! Serves documents at a path of the application that they describe.

use bytes::Bytes;
use http::Method;
use http::header::{ALLOW, HeaderValue};

use super::builder;
use crate::app::{Limits, Mount, MountedService};
use crate::conditional::ETag;
use crate::future::BoxFuture;
use crate::head::Head;
use crate::rejection::Rejection;
use crate::request::Request;
use crate::response::{ContentType, Response};

/// Replaces the documents among the mounts by services that send them.
pub(crate) fn write_documents(
    mounts: Vec<(String, Mount)>,
    limits: Limits,
) -> Vec<(String, Mount)> {
    let texts: Vec<Option<String>> = mounts
        .iter()
        .map(|(_, mount)| match mount {
            Mount::Document(openapi) => Some(builder::write(openapi, &mounts, limits).to_string()),
            _ => None,
        })
        .collect();
    let pairs = mounts.into_iter().zip(texts);
    pairs
        .map(|((prefix, mount), text)| match text {
            Some(text) => {
                let document = StaticDocument {
                    content_type: ContentType::Json,
                    bytes: text.into(),
                };
                (prefix, Mount::Service(Box::new(document)))
            }
            None => (prefix, mount),
        })
        .collect()
}

/// Bytes at exactly one path.
struct StaticDocument {
    content_type: ContentType,
    bytes: Bytes,
}

impl MountedService for StaticDocument {
    fn call(&self, request: Request, prefix: &str) -> BoxFuture<'static, Response> {
        let response = if request.path().trim_end_matches('/') == prefix {
            respond(&request, |_| {
                let etag = ETag::of(&self.bytes);
                Response::written(self.content_type.clone(), self.bytes.clone()).etag(etag)
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
