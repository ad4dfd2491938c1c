//! Responses that are prepared once and sent often.

use std::sync::OnceLock;

use bytes::Bytes;
use http::header::{
    CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue, VARY,
};

use crate::coding::{Coding, Encoder, Levels};
use crate::conditional::{ETag, PreconditionOutcome};
use crate::head::Head;
use crate::rejection::Rejection;
use crate::response::{ReadyHeaders, Response};

/// Shorter bodies are not worth compressing.
const SMALLEST: usize = 1024;
/// Higher levels give little more.
const LEVELS: Levels = Levels { gzip: 6, brotli: 5 };

/// A successful response to GET that is prepared once and sent often: its body in each content coding,
/// its entity tags, and its headers as they are sent.
///
/// [`respond`](Self::respond) chooses the coding that the client prefers and evaluates the conditions of
/// the request. A coding is compressed when a client first asks for it.
///
/// ```
/// use innkeeper_rest::{Head, HeaderName, HeaderValue, Method, PreparedResponse};
///
/// let css = HeaderValue::from_static("text/css");
/// let styles = PreparedResponse::new(css, "p { margin: 0 }")
///     .header(HeaderName::from_static("cache-control"), HeaderValue::from_static("max-age=60"));
///
/// let head = Head::new(Method::GET, "/styles.css");
/// let response = styles.respond(&head);
/// assert_eq!(response.headers()["cache-control"], "max-age=60");
///
/// let known = response.headers()["etag"].clone();
/// let again = head.with_header(HeaderName::from_static("if-none-match"), known);
/// assert_eq!(styles.respond(&again).status_code(), 304);
/// ```
#[derive(Debug)]
pub struct PreparedResponse {
    bytes: Bytes,
    etag: ETag,
    /// Headers of 200 and 304.
    headers: HeaderMap,
    /// Headers of 412, which 200 and 304 have too.
    common_headers: HeaderMap,
    /// Headers of 200 only.
    content_headers: HeaderMap,
    plain: OnceLock<Encoded>,
    gzip: OnceLock<Encoded>,
    brotli: OnceLock<Encoded>,
}

/// The response in one content coding.
#[derive(Debug)]
struct Encoded {
    etag: ETag,
    bytes: Bytes,
    ok: ReadyHeaders,
    not_modified: ReadyHeaders,
}

impl PreparedResponse {
    /// Prepares a response with a media type and a body. Its entity tag is a hash of the body unless
    /// [`etag`](Self::etag) sets one.
    pub fn new(content_type: HeaderValue, bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        let mut content_headers = HeaderMap::new();
        content_headers.insert(CONTENT_TYPE, content_type);
        Self {
            etag: ETag::of(&bytes),
            bytes,
            headers: HeaderMap::new(),
            common_headers: HeaderMap::new(),
            content_headers,
            plain: OnceLock::new(),
            gzip: OnceLock::new(),
            brotli: OnceLock::new(),
        }
    }

    /// Sets the entity tag of the plain body. The tags of its codings are derived from it: `"a"`
    /// becomes `"a-gzip"`, unless it is weak.
    #[must_use]
    pub fn etag(mut self, etag: ETag) -> Self {
        self.etag = etag;
        self
    }

    /// Sets a header of the response, and of 304 instead of it, such as `Cache-Control`.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// Sets a header of every response, also of 412, such as `Content-Security-Policy`.
    #[must_use]
    pub fn common_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.common_headers.insert(name.clone(), value.clone());
        self.header(name, value)
    }

    /// Sets a header that only makes sense with the body, such as `Content-Language`.
    #[must_use]
    pub fn content_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.content_headers.insert(name, value);
        self
    }

    /// Returns the length of the plain body in bytes.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Tells whether the body is empty.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the response to a request: 200 in the coding that the client prefers, 304 if the client
    /// has it already, or 412 if `If-Match` names another version.
    pub fn respond(&self, head: &Head) -> Response {
        let coding = self.is_compressible();
        let coding = coding
            .then(|| Coding::negotiate(head, &Coding::ALL))
            .flatten();
        let encoded = self.encoded(coding);
        match head.preconditions().evaluate_tag(&encoded.etag) {
            PreconditionOutcome::Proceed => Response::ok()
                .with_headers(&encoded.ok)
                .body(encoded.bytes.clone()),
            PreconditionOutcome::NotModified => {
                Response::not_modified().with_headers(&encoded.not_modified)
            }
            PreconditionOutcome::Failed => {
                let refusal = Rejection::precondition_failed();
                let headers = ReadyHeaders::new(self.common_headers.clone());
                Response::error_with(refusal.status(), refusal.message().to_owned())
                    .with_headers(&headers)
            }
        }
    }

    fn is_compressible(&self) -> bool {
        self.bytes.len() >= SMALLEST
    }

    fn encoded(&self, coding: Option<Coding>) -> &Encoded {
        let slot = match coding {
            None => &self.plain,
            Some(Coding::Gzip) => &self.gzip,
            Some(Coding::Brotli) => &self.brotli,
        };
        slot.get_or_init(|| self.encode(coding))
    }

    fn encode(&self, coding: Option<Coding>) -> Encoded {
        let (etag, bytes) = match coding {
            None => (self.etag.clone(), self.bytes.clone()),
            Some(coding) => (in_coding(&self.etag, coding), compress(&self.bytes, coding)),
        };
        let mut not_modified = HeaderMap::new();
        not_modified.insert(ETAG, etag.clone().into_value());
        not_modified.extend(self.headers.clone());
        if self.is_compressible() {
            not_modified.append(VARY, HeaderValue::from_static("accept-encoding"));
        }
        let mut ok = not_modified.clone();
        if let Some(coding) = coding {
            ok.insert(CONTENT_ENCODING, coding.value());
        }
        ok.extend(self.content_headers.clone());
        Encoded {
            etag,
            bytes,
            ok: ReadyHeaders::new(ok),
            not_modified: ReadyHeaders::new(not_modified),
        }
    }
}

/// Returns the tag of the same content in a coding. A strong tag promises the same bytes, which the
/// compressed ones are not.
fn in_coding(etag: &ETag, coding: Coding) -> ETag {
    let inside = etag.as_str().strip_prefix('"');
    let inside = inside.and_then(|inside| inside.strip_suffix('"'));
    let tag = inside.map(|inside| format!("\"{inside}-{}\"", coding.name()));
    tag.and_then(|tag| tag.parse().ok())
        .unwrap_or_else(|| etag.clone())
}

fn compress(bytes: &[u8], coding: Coding) -> Bytes {
    let mut encoder = Encoder::new(coding, LEVELS, Some(bytes.len()));
    // Writing to memory does not fail.
    let _ = encoder.write(bytes);
    encoder.finish().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use http::header::{
        ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_SECURITY_POLICY, IF_MATCH, IF_NONE_MATCH,
    };
    use http::{Method, StatusCode};

    use super::*;

    fn prepared(body: &str) -> PreparedResponse {
        PreparedResponse::new(HeaderValue::from_static("text/plain"), body.to_owned())
            .etag(ETag::strong("a"))
            .header(CACHE_CONTROL, HeaderValue::from_static("max-age=60"))
    }

    fn get(headers: &[(HeaderName, &'static str)]) -> Head {
        let head = Head::new(Method::GET, "/");
        headers.iter().fold(head, |head, (name, value)| {
            head.with_header(name.clone(), HeaderValue::from_static(value))
        })
    }

    #[test]
    fn each_coding_has_a_tag_of_its_own() {
        let response = prepared(&"word ".repeat(1000));
        for (accepted, coding, tag) in [
            ("identity", None, "\"a\""),
            ("gzip", Some("gzip"), "\"a-gzip\""),
            ("gzip, br", Some("br"), "\"a-br\""),
        ] {
            let sent = response.respond(&get(&[(ACCEPT_ENCODING, accepted)]));
            let headers = sent.headers();
            let found = headers.get(CONTENT_ENCODING);
            assert_eq!(found.map(|value| value.to_str().unwrap()), coding);
            assert_eq!(headers[ETAG], tag, "{accepted}");
            assert_eq!(headers[VARY], "accept-encoding");
        }
    }

    #[test]
    fn short_bodies_are_not_compressed() {
        let sent = prepared("short").respond(&get(&[(ACCEPT_ENCODING, "gzip")]));
        assert_eq!(sent.headers().get(CONTENT_ENCODING), None);
        assert_eq!(sent.headers().get(VARY), None);
    }

    #[test]
    fn conditions_are_compared_with_the_tag_of_the_coding() {
        let response = prepared(&"word ".repeat(1000));
        for (name, tag, expected) in [
            (IF_NONE_MATCH, "\"a-gzip\"", StatusCode::NOT_MODIFIED),
            (IF_NONE_MATCH, "\"a\"", StatusCode::OK),
            (IF_MATCH, "\"a-gzip\"", StatusCode::OK),
            (IF_MATCH, "\"b\"", StatusCode::PRECONDITION_FAILED),
        ] {
            let sent = response.respond(&get(&[(ACCEPT_ENCODING, "gzip"), (name, tag)]));
            assert_eq!(sent.status_code(), expected, "{tag}");
            let is_kept = expected != StatusCode::PRECONDITION_FAILED;
            assert_eq!(sent.headers().contains_key(CACHE_CONTROL), is_kept);
        }
    }

    #[test]
    fn a_common_header_is_sent_with_every_status() {
        let policy = HeaderValue::from_static("default-src 'none'");
        let response = prepared("short").common_header(CONTENT_SECURITY_POLICY, policy.clone());
        for (name, tag, expected) in [
            (IF_MATCH, "\"a\"", StatusCode::OK),
            (IF_NONE_MATCH, "\"a\"", StatusCode::NOT_MODIFIED),
            (IF_MATCH, "\"b\"", StatusCode::PRECONDITION_FAILED),
        ] {
            let sent = response.respond(&get(&[(name, tag)]));
            assert_eq!(sent.status_code(), expected, "{tag}");
            assert_eq!(sent.headers()[CONTENT_SECURITY_POLICY], policy);
        }
    }
}
