//! Ids of requests, in the request, the log and the response.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use http::header::HeaderName;

use super::{Filter, Next};
use crate::request::{Request, RequestId};
use crate::response::{IndexedName, Response, push_line};
use crate::syntax::hex_digits;

/// Takes the request id from a header, or generates one, and sends it back.
///
/// An id that the client sends is kept if it has at most 128 characters, all of them letters, digits or
/// `-_.:/+=`.
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
    /// Random for each process, so that replicas generate different ids.
    seeds: [u64; 2],
    count: AtomicU64,
}

impl RequestIds {
    /// Uses the header `X-Request-Id`.
    pub fn new() -> Self {
        Self::in_header(HeaderName::from_static("x-request-id"))
    }

    /// Uses another header.
    pub fn in_header(header: HeaderName) -> Self {
        let seed = RandomState::new();
        Self {
            header: IndexedName::new(header),
            seeds: [seed.hash_one("first"), seed.hash_one("second")],
            count: AtomicU64::new(0),
        }
    }

    /// Generates an id that no other request has. It is not a secret: whoever has seen some ids may guess
    /// the next.
    fn generate(&self) -> RequestId {
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        let mut id = [0; RequestId::GENERATED_LENGTH];
        let half = RequestId::GENERATED_LENGTH / 2;
        for (digits, seed) in id.chunks_exact_mut(half).zip(self.seeds) {
            digits.copy_from_slice(&hex_digits(mix(seed.wrapping_add(count))));
        }
        RequestId::generated(id)
    }
}

/// Maps each number to another one without a visible pattern (the last steps of `SplitMix64`).
fn mix(number: u64) -> u64 {
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

impl RequestIds {
    /// Sets the id of a request, from its header or a new one, and returns it.
    ///
    /// This is the first half of the filter, for filters that do several things at once.
    pub fn assign(&self, request: &mut Request) -> RequestId {
        let received = request.head().header(self.header.as_header());
        let received = received.and_then(RequestId::received);
        let id = received.unwrap_or_else(|| self.generate());
        request.values_mut().set(id.clone());
        id
    }

    /// Adds the id to a response: the second half of the filter.
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
    fn generated_ids_are_unique() {
        let ids = RequestIds::new();
        let mut generated: Vec<String> = (0..1000).map(|_| ids.generate().to_string()).collect();
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        assert!(
            generated
                .iter()
                .all(|id| id.len() == RequestId::GENERATED_LENGTH && id.bytes().all(is_digit))
        );
        generated.extend((0..1000).map(|_| RequestIds::new().generate().to_string()));
        generated.sort();
        generated.dedup();
        assert_eq!(generated.len(), 2000);
    }
}
