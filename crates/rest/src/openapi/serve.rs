//! Documents at a path of the application they describe.

use bytes::Bytes;
use http::Method;
use http::header::{ALLOW, HeaderValue};

use crate::app::{AnyService, Limits, Mount};
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
        let allow = HeaderValue::from_static("GET, HEAD, OPTIONS");
        let response = if request.path().trim_end_matches('/') != prefix {
            Response::not_found()
        } else if matches!(*request.method(), Method::GET | Method::HEAD) {
            Response::written(self.content_type.clone(), self.bytes.clone())
        } else if *request.method() == Method::OPTIONS {
            let mut response = Response::no_content();
            response.headers_mut().insert(ALLOW, allow);
            response
        } else {
            Response::rejected(Rejection::method_not_allowed(allow))
        };
        Box::pin(std::future::ready(response))
    }
}
