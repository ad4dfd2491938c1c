//! Conditions against a response that is about to be sent.

use http::header::{
    ACCEPT_RANGES, CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE,
    HeaderName,
};
use http::{Method, StatusCode};

use super::preconditions::{Preconditions, Verdict};
use super::validators::Validators;
use crate::head::Head;
use crate::rejection::Rejection;
use crate::response::{Content, Response};

/// What says something about content that is not sent.
const ABOUT_CONTENT: [HeaderName; 6] = [
    CONTENT_TYPE,
    CONTENT_LENGTH,
    CONTENT_ENCODING,
    CONTENT_LANGUAGE,
    CONTENT_RANGE,
    ACCEPT_RANGES,
];

/// Sends 304 or 412 instead of a successful answer to GET or HEAD, where the client asks for it.
///
/// Other methods are for handlers: the tag of their answer is that of the version they have made,
/// not of the one the client means.
pub(crate) fn apply(response: &mut Response, head: &Head) {
    let reads = matches!(*head.method(), Method::GET | Method::HEAD);
    let fails = matches!(
        response.content(),
        Content::Rejected(_) | Content::Fault(_) | Content::Deferred(_)
    );
    if !reads || fails || !response.status_code().is_success() {
        return;
    }
    let current = Validators::of(response.fields());
    match Preconditions::of(head).evaluate(current) {
        Verdict::Proceed => {}
        Verdict::NotModified => {
            forget_content(response);
            response.set_status(StatusCode::NOT_MODIFIED);
        }
        Verdict::Failed => {
            forget_content(response);
            response.remove_validators();
            response.set_content(Content::Rejected(Rejection::precondition_failed()));
        }
    }
}

/// Drops the content and what was said about it; headers for caches and of filters stay.
pub(crate) fn forget_content(response: &mut Response) {
    response.take_content();
    response.take_content_type();
    for name in &ABOUT_CONTENT {
        response.fields_mut().remove(name);
    }
}
