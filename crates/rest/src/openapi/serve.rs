//! Documents at a path of the application they describe.

use bytes::Bytes;
use http::Method;
use http::header::{ALLOW, HeaderValue};

use crate::app::{AnyService, Limits, Mount};
use crate::conditional::ETag;
use crate::rejection::Rejection;
use crate::request::Request;
use crate::resource::BoxFuture;
use crate::response::{ContentType, Response};

/// Writes the documents among the mounts.
pub(crate) fn written(mounts: Vec<(String, Mount)>, limits: Limits) -> Vec<(String, Mount)> {
    let texts: Vec<Option<String>> = mounts
        .iter()
        .map(|(_, mount)| match mount {
            Mount::Document(openapi) => Some(openapi.written(&mounts, limits).to_string()),
            _ => None,
        })
        .collect();
    let pairs = mounts.into_iter().zip(texts);
    pairs
        .map(|((prefix, mount), text)| match text {
            Some(text) => {
                let document = Page {
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
struct Page {
    content_type: ContentType,
    bytes: Bytes,
}

impl AnyService for Page {
    fn call(&self, request: Request, prefix: &str) -> BoxFuture<'static, Response> {
        let response = if request.path().trim_end_matches('/') == prefix {
            answer(&request, self.content_type.clone(), self.bytes.clone())
        } else {
            Response::not_found()
        };
        Box::pin(std::future::ready(response))
    }
}

/// The bytes for those who get them, and for others what can be done.
pub(super) fn answer(request: &Request, content_type: ContentType, bytes: Bytes) -> Response {
    let allow = HeaderValue::from_static("GET, HEAD, OPTIONS");
    match *request.method() {
        Method::GET | Method::HEAD => {
            let etag = ETag::of(&bytes);
            Response::written(content_type, bytes).etag(etag)
        }
        Method::OPTIONS => {
            let mut response = Response::no_content();
            response.fields_mut().insert(ALLOW, allow);
            response
        }
        _ => Response::rejected(Rejection::method_not_allowed(allow)),
    }
}
