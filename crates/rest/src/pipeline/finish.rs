//! The last step: default headers, and the body that status and method allow.

use http::header::{
    CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue, VARY, X_CONTENT_TYPE_OPTIONS,
};
use http::{Method, StatusCode};

use crate::rejection::Rejection;
use crate::response::{
    BY_ACCEPT, Content, IndexedName, NO_CACHE, NOSNIFF, ReplyBody, Response, ResponseHeaders,
};

static SNIFFING: IndexedName = IndexedName::known("x-content-type-options");
static CACHING: IndexedName = IndexedName::known("cache-control");
static TYPE: IndexedName = IndexedName::known("content-type");
static LENGTH: IndexedName = IndexedName::known("content-length");

/// A response whose headers are complete, and the body that its status and method allow.
pub(crate) struct Finished {
    response: Response,
    pub(crate) body: ReplyBody,
}

/// Adds the default headers and removes a body that status and method do not allow.
pub(crate) fn finish(method: &Method, mut response: Response) -> Finished {
    let status = response.status_code();
    let mut body = into_body(response.take_content());
    let mut length = None;
    let may_have_content = may_have_content(status);
    if !may_have_content || *method == Method::HEAD {
        // The length that GET would have.
        length = body.size().filter(|_| may_have_content);
        body = ReplyBody::empty();
    }
    let content_type = response.take_content_type();
    let (is_as_is, varies) = (response.is_as_is(), response.varies());
    let fields = response.fields_mut();
    if let Some(content_type) = content_type {
        fields.insert(CONTENT_TYPE, content_type.into_value());
    }
    if !is_as_is {
        // A client that gets a 304 has the header already.
        if status != StatusCode::NOT_MODIFIED && !fields.has(&SNIFFING) {
            fields.append(X_CONTENT_TYPE_OPTIONS, NOSNIFF);
        }
        if !fields.has(&CACHING) {
            fields.append(CACHE_CONTROL, NO_CACHE);
        }
    }
    if varies {
        fields.append(VARY, BY_ACCEPT);
    }
    if !may_have_content {
        for name in [&TYPE, &LENGTH] {
            if fields.has(name) {
                fields.remove(name.as_header());
            }
        }
    }
    if let Some(length) = length {
        fields.insert_if_absent(CONTENT_LENGTH, HeaderValue::from(length));
    }
    Finished { response, body }
}

impl Finished {
    pub(crate) fn status(&self) -> StatusCode {
        self.response.status_code()
    }

    pub(crate) fn fields(&self) -> &ResponseHeaders {
        self.response.fields()
    }

    /// Converts the response to the type of the `http` crate, with the body in the type of the transport.
    pub(crate) fn into_http<B>(
        mut self,
        convert: impl FnOnce(ReplyBody) -> B,
    ) -> http::Response<B> {
        let mut reply = http::Response::new(convert(self.body));
        *reply.status_mut() = self.response.status_code();
        *reply.headers_mut() = self.response.take_fields().into_map();
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

/// Converts a written response to the type of the `http` crate, for layers around it.
pub(crate) fn into_http(mut response: Response) -> http::Response<ReplyBody> {
    let body = into_body(response.take_content());
    let mut written = http::Response::new(body);
    *written.status_mut() = response.status_code();
    *written.headers_mut() = response.take_fields().into_map();
    written
}

/// Logs a rejection and makes a response without a body of it, for errors between a layer and the
/// application, where no error format is known.
pub(crate) fn bodiless_response(rejection: &Rejection) -> http::Response<ReplyBody> {
    tracing::error!(
        cause = rejection.cause().map(tracing::field::display),
        "{rejection}"
    );
    let mut response = http::Response::new(ReplyBody::empty());
    *response.status_mut() = rejection.status();
    response
}
