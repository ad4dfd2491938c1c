//! Entity tags for responses that have none.

use http::header::{CACHE_CONTROL, CONTENT_ENCODING, ETAG, HeaderMap};
use http::{Method, StatusCode};

use super::{Filter, Next};
use crate::conditional::ETag;
use crate::request::Request;
use crate::response::Response;

/// Adds an entity tag made from the bytes to responses to GET, and sends 304 to clients that have the
/// bytes already.
///
/// ```
/// use innkeeper_rest::App;
/// use innkeeper_rest::filter::ETags;
///
/// let app = App::new().filter(ETags::new());
/// ```
///
/// The handler still runs; only the transfer is saved. Responses whose handler sets the tag with
/// [`Response::etag`] are left alone. So are streams, responses other than 200 and those with
/// `Cache-Control: no-store`.
///
/// Tags are strong, unless the content is already compressed: with
#[cfg_attr(feature = "compression", doc = "[`Compress`](super::Compress)")]
#[cfg_attr(not(feature = "compression"), doc = "`Compress`")]
/// outside of this filter, tags name the coding.
#[derive(Debug, Clone, Default)]
pub struct ETags {
    weak: bool,
}

impl ETags {
    /// Makes strong tags.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes weak tags, for responses whose bytes a proxy may change.
    pub fn weak() -> Self {
        Self { weak: true }
    }
}

/// Returns whether `Cache-Control` forbids to store the response.
fn is_no_store(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(CACHE_CONTROL).iter();
    lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .any(|directive| directive.trim().eq_ignore_ascii_case("no-store"))
}

impl Filter for ETags {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        let reads = matches!(*request.method(), Method::GET | Method::HEAD);
        let response = next.run(request).await;
        let headers = response.headers();
        if !reads
            || response.status_code() != StatusCode::OK
            || headers.contains_key(ETAG)
            || is_no_store(headers)
        {
            return response;
        }
        let Some(bytes) = response.bytes() else {
            return response;
        };
        let mut etag = ETag::of(bytes);
        if self.weak || headers.contains_key(CONTENT_ENCODING) {
            etag = etag.into_weak();
        }
        response.etag(etag)
    }
}
