//! Requests that are answered before the application sees them, because HTTP does not allow them.

use http::header::{CONNECTION, HeaderValue, TRANSFER_ENCODING};
use http::request::Parts;
use http::{Method, StatusCode, Version};

use super::host;
use super::wire_body::WireBody;
use crate::response::ReplyBody;

const CLOSE: HeaderValue = HeaderValue::from_static("close");

/// Returns the response to a request that the application does not handle.
pub(super) fn response_to(parts: &Parts) -> Option<http::Response<WireBody>> {
    let status = status_for(parts)?;
    let mut response = http::Response::new(WireBody(ReplyBody::empty()));
    *response.status_mut() = status;
    if !status.is_success() {
        close(parts.version, &mut response);
    }
    Some(response)
}

/// Returns a refusal that closes an HTTP/1 connection.
pub(super) fn bad_request() -> http::Response<WireBody> {
    let mut response = http::Response::new(WireBody(ReplyBody::empty()));
    *response.status_mut() = StatusCode::BAD_REQUEST;
    close(Version::HTTP_11, &mut response);
    response
}

/// Announces that the connection is closed after a response. Streams of HTTP/2 end by themselves.
pub(super) fn close(version: Version, response: &mut http::Response<WireBody>) {
    if version < Version::HTTP_2 {
        response.headers_mut().insert(CONNECTION, CLOSE);
    }
}

fn status_for(parts: &Parts) -> Option<StatusCode> {
    if !host::is_named(parts) {
        return Some(StatusCode::BAD_REQUEST);
    }
    if parts.uri.path() == "*" {
        // A question about the server as a whole, not about a resource.
        return Some(match parts.method {
            Method::OPTIONS => StatusCode::NO_CONTENT,
            _ => StatusCode::BAD_REQUEST,
        });
    }
    let is_authority = parts.uri.scheme().is_none() && parts.uri.authority().is_some();
    if is_authority && parts.method != Method::CONNECT {
        return Some(StatusCode::BAD_REQUEST);
    }
    transfer_coding_problem(parts)
}

/// Returns the status for transfer codings other than a single `chunked`, which nothing here decodes.
fn transfer_coding_problem(parts: &Parts) -> Option<StatusCode> {
    let values = parts.headers.get_all(TRANSFER_ENCODING).iter();
    let codings = values.flat_map(|value| value.as_bytes().split(|byte| *byte == b','));
    let is_chunked = |coding: &[u8]| coding.trim_ascii().eq_ignore_ascii_case(b"chunked");
    let (chunked, other): (Vec<_>, Vec<_>) = codings.partition(|coding| is_chunked(coding));
    match (chunked.len(), other.len()) {
        (0 | 1, 0) => None,
        (_, 0) => Some(StatusCode::BAD_REQUEST),
        _ => Some(StatusCode::NOT_IMPLEMENTED),
    }
}
