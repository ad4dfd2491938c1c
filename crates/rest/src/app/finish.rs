//! The last step: from a written response to what a transport sends.

use http::header::{
    CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue, VARY, X_CONTENT_TYPE_OPTIONS,
};
use http::{Method, StatusCode};

use super::Core;
use crate::rejection::Rejection;
use crate::response::{BY_ACCEPT, Content, Fields, NO_CACHE, NOSNIFF, ReplyBody, Response};

/// What is left of a response when its headers are complete and its body is what status and method allow.
pub(crate) struct Finished {
    pub(crate) status: StatusCode,
    pub(crate) fields: Fields,
    pub(crate) body: ReplyBody,
}

/// Adds the default headers and sees to it that the body is what status and method allow.
pub(crate) fn finish(method: &Method, mut response: Response) -> Finished {
    let status = response.status_code();
    let mut body = into_body(response.take_content());
    let mut length = None;
    let may_have_content = may_have_content(status);
    if !may_have_content || *method == Method::HEAD {
        // The length GET would have, without its body.
        length = body.size().filter(|_| may_have_content);
        body = ReplyBody::empty();
    }
    let mut fields = response.take_fields();
    if let Some(content_type) = response.take_content_type() {
        fields.insert(CONTENT_TYPE, content_type.into_value());
    }
    if !response.is_as_is() {
        fields.insert_if_absent(X_CONTENT_TYPE_OPTIONS, NOSNIFF);
        fields.insert_if_absent(CACHE_CONTROL, NO_CACHE);
    }
    if response.varies() {
        fields.append(VARY, BY_ACCEPT);
    }
    if !may_have_content {
        fields.remove(&CONTENT_TYPE);
        fields.remove(&CONTENT_LENGTH);
    }
    if let Some(length) = length {
        fields.insert_if_absent(CONTENT_LENGTH, HeaderValue::from(length));
    }
    Finished {
        status,
        fields,
        body,
    }
}

impl Finished {
    /// In the vocabulary of the `http` crate. The transport says how it wants the body.
    pub(crate) fn into_http<B>(self, carry: impl FnOnce(ReplyBody) -> B) -> http::Response<B> {
        let mut reply = http::Response::new(carry(self.body));
        *reply.status_mut() = self.status;
        *reply.headers_mut() = self.fields.into_map();
        reply
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
        *written.headers_mut() = response.take_fields().into_map();
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
