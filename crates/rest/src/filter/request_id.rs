//! A name for every request, in the request, the log and the response.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use http::header::{HeaderName, HeaderValue};

use super::{Filter, Next};
use crate::digits::hexadecimal;
use crate::request::Request;
use crate::response::{IndexedName, Response, push_line};

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
#[derive(Clone)]
pub struct RequestId(Text);

#[derive(Clone)]
enum Text {
    /// Digits and letters.
    Made([u8; LENGTH]),
    /// Letters, digits and a few signs.
    Given(HeaderValue),
}

/// How long the ids are that are made here.
const LENGTH: usize = 32;

impl RequestId {
    /// The name.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }

    fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Text::Made(text) => text,
            Text::Given(value) => value.as_bytes(),
        }
    }
}

impl PartialEq for RequestId {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for RequestId {}

impl fmt::Debug for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RequestId").field(&self.as_str()).finish()
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
    header: IndexedName,
    /// Different in each process, so that ids of two replicas do not meet.
    seeds: [u64; 2],
    count: AtomicU64,
}

impl RequestIds {
    /// Ids in `X-Request-Id`.
    pub fn new() -> Self {
        Self::in_header(HeaderName::from_static("x-request-id"))
    }

    /// Ids in another header.
    pub fn in_header(header: HeaderName) -> Self {
        let seed = RandomState::new();
        Self {
            header: IndexedName::new(header),
            seeds: [seed.hash_one("first"), seed.hash_one("second")],
            count: AtomicU64::new(0),
        }
    }

    /// An id that was not there before. It is no secret: whoever has seen some may guess the next.
    fn make(&self) -> RequestId {
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        let mut id = [0; LENGTH];
        for (digits, seed) in id.chunks_exact_mut(LENGTH / 2).zip(self.seeds) {
            digits.copy_from_slice(&hexadecimal(mixed(seed.wrapping_add(count))));
        }
        RequestId(Text::Made(id))
    }
}

/// Another number for each number, without a pattern that shows (the last steps of `SplitMix64`).
fn mixed(number: u64) -> u64 {
    let number = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

impl Default for RequestIds {
    fn default() -> Self {
        Self::new()
    }
}

fn is_decent(id: &HeaderValue) -> bool {
    let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.:/+=".contains(byte);
    !id.is_empty() && id.len() <= 128 && id.as_bytes().iter().all(allowed)
}

impl RequestIds {
    /// Names a request by its header, or with a new id: the first half of this filter, for filters that
    /// do several things at once.
    pub fn assign(&self, request: &mut Request) -> RequestId {
        let given = request.head().header(self.header.as_header());
        let given = given.filter(|id| is_decent(id)).cloned();
        let id = given.map_or_else(|| self.make(), |id| RequestId(Text::Given(id)));
        request.values_mut().set(id.clone());
        id
    }

    /// Says the name in the answer: the second half.
    pub fn add_header(&self, response: &mut Response, id: &RequestId) {
        let header = self.header.as_header();
        let headers = response.fields_mut();
        if headers.has(&self.header) {
            headers.remove(header);
        }
        headers.append_lines(self.header.set(), |lines| {
            push_line(lines, header, id.as_bytes());
        });
    }
}

impl Filter for RequestIds {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        let id = self.assign(request);
        let mut response = next.run(request).await;
        self.add_header(&mut response, &id);
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_made_once() {
        let ids = RequestIds::new();
        let mut made: Vec<String> = (0..1000).map(|_| ids.make().to_string()).collect();
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        assert!(
            made.iter()
                .all(|id| id.len() == LENGTH && id.bytes().all(is_digit))
        );
        made.extend((0..1000).map(|_| RequestIds::new().make().to_string()));
        made.sort();
        made.dedup();
        assert_eq!(made.len(), 2000);
    }
}
