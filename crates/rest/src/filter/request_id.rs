//! A name for every request, in the request, the log and the response.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use http::header::{HeaderName, HeaderValue};

use super::{Filter, Next};
use crate::request::Request;
use crate::response::Response;

/// The name of a request, set by [`RequestIds`] for `#[value]`.
///
/// ```
/// use innkeeper_rest::filter::RequestId;
/// use innkeeper_rest::resource;
///
/// struct Me;
///
/// #[resource("/me")]
/// impl Me {
///     #[get]
///     fn show(&self, #[value] id: RequestId) -> String {
///         id.to_string()
///     }
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestId(Arc<str>);

impl RequestId {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Takes the request id from a header, or makes one, and sends it back.
///
/// An id of a client is kept if it is at most 128 characters of letters, digits and `-_.:/+=`.
///
/// ```
/// use innkeeper_rest::{App, HeaderName, filter::RequestIds};
///
/// let app = App::new().filter(RequestIds::new());
/// let app = App::new().filter(RequestIds::in_header(HeaderName::from_static("x-trace")));
/// ```
#[derive(Debug)]
pub struct RequestIds {
    header: HeaderName,
    /// Different in each process, so that ids of two replicas do not meet.
    seed: RandomState,
    count: AtomicU64,
}

impl RequestIds {
    /// Ids in `X-Request-Id`.
    pub fn new() -> Self {
        Self::in_header(HeaderName::from_static("x-request-id"))
    }

    /// Ids in another header.
    pub fn in_header(header: HeaderName) -> Self {
        Self {
            header,
            seed: RandomState::new(),
            count: AtomicU64::new(0),
        }
    }

    fn make(&self) -> String {
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        format!(
            "{:016x}{:016x}",
            self.seed.hash_one(count),
            self.seed.hash_one((count, "second"))
        )
    }
}

impl Default for RequestIds {
    fn default() -> Self {
        Self::new()
    }
}

fn is_decent(id: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:/+=".contains(&byte);
    !id.is_empty() && id.len() <= 128 && id.bytes().all(allowed)
}

impl Filter for RequestIds {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        let given = request
            .head()
            .header_text(&self.header)
            .filter(|id| is_decent(id));
        let id = RequestId(given.map_or_else(|| self.make(), str::to_owned).into());
        request.values_mut().set(id.clone());
        let mut response = next.run(request).await;
        if let Ok(value) = HeaderValue::from_str(&id.0) {
            response.headers_mut().insert(self.header.clone(), value);
        }
        response
    }
}
