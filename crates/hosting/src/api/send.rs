//! The one place where a made answer becomes a response. Conditions are compared by the framework.

use http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, HeaderValue, VARY};
use innkeeper_rest::{Coding, Head, IntoReply, ReplyKind, Response};

use crate::answer::Answer;

/// A response that is sent whatever the client accepts: there is only one form of it.
#[derive(Debug)]
pub(crate) struct Sent(pub(crate) Response);

impl IntoReply for Sent {
    // Nothing is negotiated.
    const KIND: ReplyKind = ReplyKind::Empty;

    fn into_reply(self) -> Response {
        self.0
    }
}

/// Sends an answer in the coding that the client likes best, or says that the client has it already.
pub(crate) fn send(answer: &Answer, head: &Head) -> Sent {
    let is_compressible = answer.is_compressible();
    let coding = is_compressible.then(|| Coding::wanted(head, &Coding::ALL));
    let coding = coding.flatten();
    let mut response = Response::ok()
        .etag(answer.etag(coding))
        .body(answer.coded(coding).clone());
    let headers = response.headers_mut();
    let cache_control = HeaderValue::from_static(answer.cache_control);
    headers.insert(CACHE_CONTROL, cache_control);
    if is_compressible {
        headers.append(VARY, HeaderValue::from_static("accept-encoding"));
    }
    if let Some(coding) = coding {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
    }
    let content_type = HeaderValue::from_static(answer.content_type);
    headers.insert(CONTENT_TYPE, content_type);
    Sent(response)
}
