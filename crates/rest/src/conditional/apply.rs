//! Evaluates preconditions against a response that is about to be sent.

use http::header::{
    ACCEPT_RANGES, CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE,
    HeaderName,
};
use http::{Method, StatusCode};

use super::preconditions::{PreconditionOutcome, Preconditions};
use super::validators::Validators;
use crate::head::Head;
use crate::rejection::Rejection;
use crate::response::{Content, Response};

/// Headers that describe content, and are removed with it.
const CONTENT_HEADERS: [HeaderName; 6] = [
    CONTENT_TYPE,
    CONTENT_LENGTH,
    CONTENT_ENCODING,
    CONTENT_LANGUAGE,
    CONTENT_RANGE,
    ACCEPT_RANGES,
];

/// Replaces a successful response to GET or HEAD by 304 or 412 if a precondition demands it.
///
/// For other methods handlers check preconditions themselves: the tag of their response is that of the
/// version they have made, not of the one the client means.
pub(crate) fn apply(response: &mut Response, head: &Head) {
    let is_read = matches!(*head.method(), Method::GET | Method::HEAD);
    let has_failed = matches!(
        response.content(),
        Content::Rejected(_) | Content::Fault(_) | Content::Deferred(_)
    );
    if !is_read || has_failed || !response.status_code().is_success() {
        return;
    }
    let current = Validators::of(response.fields());
    match Preconditions::new(head).evaluate(current) {
        PreconditionOutcome::Proceed => {}
        PreconditionOutcome::NotModified => {
            remove_content(response);
            response.set_status(StatusCode::NOT_MODIFIED);
        }
        PreconditionOutcome::Failed => {
            remove_content(response);
            response.remove_validators();
            response.set_content(Content::Rejected(Rejection::precondition_failed()));
        }
    }
}

/// Removes the content and the headers that describe it. Headers for caches and of filters stay.
pub(crate) fn remove_content(response: &mut Response) {
    response.take_content();
    response.take_content_type();
    for name in &CONTENT_HEADERS {
        response.fields_mut().remove(name);
    }
}
