//! Preflights: the requests with which browsers ask for permission to send another one.

use http::Method;
use http::header::{ACCESS_CONTROL_REQUEST_METHOD, ORIGIN};

use crate::head::Head;

/// Returns the method that a preflight asks for, if the request is one.
pub(super) fn requested_method(head: &Head) -> Option<Method> {
    if !is_preflight(head) {
        return None;
    }
    let method = head.header(ACCESS_CONTROL_REQUEST_METHOD)?;
    Method::from_bytes(method.as_bytes()).ok()
}

/// Whether a browser asks if a page may send another request.
pub(crate) fn is_preflight(head: &Head) -> bool {
    *head.method() == Method::OPTIONS
        && head.has_header(ORIGIN)
        && head.has_header(ACCESS_CONTROL_REQUEST_METHOD)
}
