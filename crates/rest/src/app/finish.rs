//! The last step: from a written response to what a transport sends.

use http::header::{
    CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue, VARY,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{Method, StatusCode};

use super::Core;
use crate::rejection::Rejection;
use crate::response::{BY_ACCEPT, Content, NO_CACHE, NOSNIFF, ReplyBody, Response, usual_headers};

/// The headers of a response that has set some: they come first.
fn grown_headers(mut headers: HeaderMap, response: &mut Response) -> HeaderMap {
    if let Some(content_type) = response.take_content_type() {
        headers.insert(CONTENT_TYPE, content_type.into_value());
    }
    if !response.is_as_is() {
        headers.entry(X_CONTENT_TYPE_OPTIONS).or_insert(NOSNIFF);
        headers.entry(CACHE_CONTROL).or_insert(NO_CACHE);
    }
    if response.varies() {
        headers.append(VARY, BY_ACCEPT);
    }
    headers
}

/// Adds the default headers and sees to it that the body is what status and method allow.
///
/// The transport says how it wants the body.
pub(crate) fn finish<B>(
    method: &Method,
    mut response: Response,
    carry: impl FnOnce(ReplyBody) -> B,
) -> http::Response<B> {
    let status = response.status_code();
    let mut body = into_body(response.take_content());
    let mut length = None;
    let may_have_content = may_have_content(status);
    if !may_have_content || *method == Method::HEAD {
        // The length GET would have, without its body.
        length = body.size().filter(|_| may_have_content);
        body = ReplyBody::empty();
    }
    let mut reply = http::Response::new(carry(body));
    *reply.status_mut() = status;
    let headers = reply.headers_mut();
    *headers = match response.take_headers() {
        None => usual_headers(response.take_content_type(), response.varies()),
        Some(headers) => grown_headers(*headers, &mut response),
    };
    if !may_have_content {
        headers.remove(CONTENT_TYPE);
        headers.remove(CONTENT_LENGTH);
    }
    if let Some(length) = length {
        headers
            .entry(CONTENT_LENGTH)
            .or_insert_with(|| HeaderValue::from(length));
    }
    reply
}

fn may_have_content(status: StatusCode) -> bool {
    !status.is_informational()
        && status != StatusCode::NO_CONTENT
        && status != StatusCode::RESET_CONTENT
        && status != StatusCode::NOT_MODIFIED
}

fn into_body(content: Content) -> ReplyBody {
    match content {
        Content::Bytes(payload) => ReplyBody::payload(payload),
        Content::Stream(stream, size) => ReplyBody::stream(stream, size),
        Content::Events(events) => ReplyBody::stream(events, None),
        Content::Foreign(body) => body,
        // Everything else was written before it got here, or is empty.
        Content::Empty
        | Content::Entity(_)
        | Content::Seekable(..)
        | Content::Rejected(_)
        | Content::Fault(_)
        | Content::Deferred(_) => ReplyBody::empty(),
    }
}

impl Core {
    /// A written response in the vocabulary of the `http` crate, for layers around it.
    pub(crate) fn passed_on(mut response: Response) -> http::Response<ReplyBody> {
        let body = into_body(response.take_content());
        let mut written = http::Response::new(body);
        *written.status_mut() = response.status_code();
        if let Some(headers) = response.take_headers() {
            *written.headers_mut() = *headers;
        }
        written
    }

    /// A refusal without a format: only for what can go wrong between a layer and us.
    pub(crate) fn bare(rejection: &Rejection) -> http::Response<ReplyBody> {
        tracing::error!(
            cause = rejection.cause().map(tracing::field::display),
            "{rejection}"
        );
        let mut response = http::Response::new(ReplyBody::empty());
        *response.status_mut() = rejection.status();
        response
    }
}
