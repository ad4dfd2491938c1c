//! Entity tags for answers that have none.

use http::header::{CACHE_CONTROL, CONTENT_ENCODING, ETAG, HeaderMap};
use http::{Method, StatusCode};

use super::{Filter, Next};
use crate::conditional::ETag;
use crate::request::Request;
use crate::response::Response;

/// Gives answers to GET an entity tag that is made from their bytes, and sends 304 to clients that
/// have them already.
///
/// ```
/// use innkeeper_rest::App;
/// use innkeeper_rest::filter::ETags;
///
/// let app = App::new().filter(ETags::new());
/// ```
///
/// The handler does its work all the same; what is saved is the way to the client. A handler that
/// knows its version sets the tag itself, with [`Response::etag`], and is left alone. So are streams,
/// answers other than 200 and those with `Cache-Control: no-store`.
///
/// Tags are strong, unless the content is compressed already: with
#[cfg_attr(feature = "compression", doc = "[`Compress`](super::Compress)")]
#[cfg_attr(not(feature = "compression"), doc = "`Compress`")]
/// outside of this filter they say how it was compressed.
#[derive(Debug, Clone, Default)]
pub struct ETags {
    weak: bool,
}

impl ETags {
    /// Strong tags.
    pub fn new() -> Self {
        Self::default()
    }

    /// Weak tags, for answers whose bytes a proxy may change.
    pub fn weak() -> Self {
        Self { weak: true }
    }
}

/// Whether nobody is to keep the answer.
fn is_transient(headers: &HeaderMap) -> bool {
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
            || is_transient(headers)
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
