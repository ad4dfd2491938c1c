//! The last step: from a written response to what a transport sends.

use bytes::Bytes;
use http::header::{
    CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{Method, StatusCode};

use super::Core;
use crate::rejection::Rejection;
use crate::response::{Content, ReplyBody, Response};

/// What a transport sends.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: ReplyBody,
}

const DEFAULTS: [(HeaderName, HeaderValue); 2] = [
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (CACHE_CONTROL, HeaderValue::from_static("no-cache")),
];

impl Reply {
    /// Adds the default headers and sees to it that the body is what status and method allow.
    pub(crate) fn new(method: &Method, mut response: Response) -> Self {
        response.settle();
        let status = response.status_code();
        let as_is = response.is_as_is();
        let mut headers = response
            .take_headers()
            .map_or_else(HeaderMap::new, |headers| *headers);
        let mut body = into_body(response.take_content());
        if !as_is {
            for (name, value) in DEFAULTS {
                headers.entry(name).or_insert(value);
            }
        }
        if !may_have_content(status) {
            headers.remove(CONTENT_TYPE);
            headers.remove(CONTENT_LENGTH);
            body = ReplyBody::empty();
        } else if *method == Method::HEAD {
            // The length GET would have, without its body.
            if let Some(size) = body.size() {
                headers
                    .entry(CONTENT_LENGTH)
                    .or_insert_with(|| HeaderValue::from(size));
            }
            body = ReplyBody::empty();
        }
        Self {
            status,
            headers,
            body,
        }
    }

    pub(crate) fn into_http(self) -> http::Response<ReplyBody> {
        let mut response = http::Response::new(self.body);
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        response
    }
}

fn may_have_content(status: StatusCode) -> bool {
    !status.is_informational()
        && status != StatusCode::NO_CONTENT
        && status != StatusCode::RESET_CONTENT
        && status != StatusCode::NOT_MODIFIED
}

fn into_body(content: Content) -> ReplyBody {
    match content {
        Content::Bytes(bytes) => ReplyBody::bytes(bytes),
        Content::Stream(stream, size) => ReplyBody::stream(stream, size),
        Content::Foreign(body) => body,
        // Everything else was written before it got here, or is empty.
        Content::Empty
        | Content::Entity(_)
        | Content::Rejected(_)
        | Content::Fault(_)
        | Content::Deferred(_) => ReplyBody::empty(),
    }
}

impl Core {
    /// A written response in the vocabulary of the `http` crate, for layers around it.
    #[expect(clippy::unused_self, reason = "reads as a step of the application")]
    pub(crate) fn into_http(&self, mut response: Response) -> http::Response<ReplyBody> {
        let body = into_body(response.take_content());
        let mut written = http::Response::new(body);
        *written.status_mut() = response.status_code();
        if let Some(headers) = response.take_headers() {
            *written.headers_mut() = *headers;
        }
        written
    }

    /// A refusal without a format: only for what can go wrong between a layer and us.
    pub(crate) fn bare(rejection: Rejection) -> http::Response<ReplyBody> {
        tracing::error!(
            cause = rejection.cause().map(tracing::field::display),
            "{rejection}"
        );
        let mut response = http::Response::new(ReplyBody::bytes(Bytes::new()));
        *response.status_mut() = rejection.status();
        response
    }
}
