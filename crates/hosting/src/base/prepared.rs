//! Responses that are prepared once and sent often.

use bytes::Bytes;
use http::header::{CACHE_CONTROL, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use innkeeper_rest::{ETag, PreparedResponse};

use crate::base::digest;

/// Prepares a response with a media type and a `Cache-Control`. Its entity tag is a digest of the
/// bytes, so all replicas agree on it.
pub(crate) fn prepare(
    content_type: &'static str,
    cache_control: &'static str,
    bytes: impl Into<Bytes>,
) -> PreparedResponse {
    let bytes = bytes.into();
    let etag = ETag::strong(digest::tag(&bytes));
    PreparedResponse::new(HeaderValue::from_static(content_type), bytes)
        .etag(etag)
        .header(CACHE_CONTROL, HeaderValue::from_static(cache_control))
        .content_header(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"))
}
