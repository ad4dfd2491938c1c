//! A name for every request, in the request, the log and the response.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use http::header::{HeaderName, HeaderValue};

use super::{Continue, Link};
use crate::request::Request;
use crate::response::{Names, Response, push_line};

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
pub struct RequestId(HeaderValue);

impl RequestId {
    /// The name.
    pub fn as_str(&self) -> &str {
        // It has letters, digits and a few signs.
        self.0.to_str().unwrap_or_default()
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
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
    names: Names,
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
            names: Names::of([&header]),
            header,
            seed: RandomState::new(),
            count: AtomicU64::new(0),
        }
    }

    fn make(&self) -> HeaderValue {
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        let halves = [
            self.seed.hash_one(count),
            self.seed.hash_one((count, "second")),
        ];
        let mut id = [0; 32];
        for (digits, half) in id.chunks_exact_mut(16).zip(halves) {
            for (digits, byte) in digits.chunks_exact_mut(2).zip(half.to_be_bytes()) {
                digits.copy_from_slice(&[hex(byte >> 4), hex(byte & 0xf)]);
            }
        }
        // Digits and letters are allowed in a header.
        HeaderValue::from_bytes(&id).unwrap_or(HeaderValue::from_static("0"))
    }
}

impl Default for RequestIds {
    fn default() -> Self {
        Self::new()
    }
}

fn hex(nibble: u8) -> u8 {
    b'0' + nibble + if nibble < 10 { 0 } else { b'a' - b'0' - 10 }
}

fn is_decent(id: &HeaderValue) -> bool {
    let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.:/+=".contains(byte);
    !id.is_empty() && id.len() <= 128 && id.as_bytes().iter().all(allowed)
}

impl Link for RequestIds {
    async fn pass<C: Continue>(&self, request: &mut Request, next: C) -> Response {
        let given = request.head().header(&self.header);
        let given = given.filter(|id| is_decent(id)).cloned();
        let id = given.unwrap_or_else(|| self.make());
        request.values_mut().set(RequestId(id.clone()));
        let mut response = next.run(request).await;
        let headers = response.fields_mut();
        if headers.contains(&self.header) {
            headers.insert(self.header.clone(), id);
        } else {
            headers.append_lines(self.names, |lines| push_line(lines, &self.header, &id));
        }
        response
    }
}
