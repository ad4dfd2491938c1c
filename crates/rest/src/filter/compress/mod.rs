//! Compresses responses and decompresses requests.

mod body;
mod build;
mod decompress;
mod etag;
mod types;

use std::sync::Arc;

use bytes::Bytes;
use http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_RANGE, ETAG, HeaderMap,
    HeaderName,
};
use http::{Method, StatusCode};

pub use build::CompressBuilder;
pub use decompress::Decompress;

use super::cors::vary;
use super::{Filter, Next};
use crate::coding::{Coding, Encoder, Levels};
use crate::request::Request;
use crate::response::{Content, IndexedName, Payload, ReplyBody, Response};
use body::CompressedBody;
use etag::OriginalConditions;
use types::TypeFilter;

/// Compresses responses with gzip or Brotli, as the client's `Accept-Encoding` allows.
///
/// ```
/// use innkeeper_rest::App;
/// use innkeeper_rest::filter::Compress;
///
/// let app = App::new().filter(Compress::new());
/// let smaller = Compress::builder().smallest(256).brotli_level(6).build().unwrap();
/// ```
///
/// | Content | What happens |
/// |---|---|
/// | smaller than [`smallest`](CompressBuilder::smallest), 1024 bytes by default | left alone |
/// | of a type that is already compressed: images, audio, video, archives, PDF, WOFF | left alone |
/// | without a type, or `application/octet-stream` | left alone |
/// | with `Content-Encoding`, `Content-Range`, a digest, or `Cache-Control: no-transform` | left alone |
/// | of a response with 204, 205, 206 or 304 | left alone |
/// | `text/event-stream` | left alone: each listener would need the memory of a compressor |
/// | a stream | compressed chunk by chunk; each can be read before the next arrives |
/// | anything else | compressed |
///
/// Responses that depend on `Accept-Encoding` have `Vary: Accept-Encoding`, compressed or not. Responses to
/// HEAD have the headers of those to GET, but no length where it is not known.
///
/// A strong entity tag identifies bytes, so `"a"` becomes `"a-gzip"`. In `If-None-Match` and `If-Match`
/// the filter adds `"a"` to it for the handler. Weak tags stay unchanged.
///
/// Whoever can put text into a response, and can see the size of the compressed response, can find out
/// what else is in it. Send responses that mix secrets with text of strangers with
/// `Cache-Control: no-transform`.
#[derive(Debug, Clone)]
pub struct Compress(Arc<CompressSettings>);

#[derive(Debug)]
struct CompressSettings {
    /// Preferred codings first.
    codings: Vec<Coding>,
    levels: Levels,
    smallest: u64,
    types: TypeFilter,
}

/// Content up to this size is compressed at once, so that its length is known.
const AT_ONCE: usize = 64 * 1024;

static BY_CODING: IndexedName = IndexedName::known("accept-encoding");

/// Headers that describe the exact bytes.
const DIGESTS: [HeaderName; 3] = [
    HeaderName::from_static("content-digest"),
    HeaderName::from_static("repr-digest"),
    HeaderName::from_static("digest"),
];

impl CompressSettings {
    /// Returns whether a response is compressed for clients that accept it.
    fn applies_to(&self, response: &Response, method: &Method) -> bool {
        let headers = response.headers();
        let actual = match response.content() {
            Content::Bytes(payload) => Some(payload.as_slice().len() as u64),
            Content::Stream(_, size) => *size,
            Content::Foreign(body) => body.size(),
            _ => Some(0),
        };
        // A response to HEAD may have the length of the one to GET, and no content.
        let size = match content_length(headers) {
            Some(size) if *method == Method::HEAD => Some(size),
            _ => actual,
        };
        size.is_none_or(|size| size >= self.smallest.max(1))
            && has_content(response.status_code())
            && !headers.contains_key(CONTENT_ENCODING)
            && !headers.contains_key(CONTENT_RANGE)
            && !DIGESTS.iter().any(|name| headers.contains_key(name))
            && !is_no_transform(headers)
            && response
                .media_type()
                .is_some_and(|content_type| self.types.include(content_type))
    }

    fn encode(&self, response: &mut Response, coding: Coding, method: &Method) {
        let content = match response.take_content() {
            Content::Bytes(payload)
                if *method != Method::HEAD && payload.as_slice().len() <= AT_ONCE =>
            {
                let Some(smaller) = self.compress(payload.as_slice(), coding) else {
                    response.set_content(Content::Bytes(payload));
                    return;
                };
                Content::Bytes(smaller.into())
            }
            content => {
                let compressed = CompressedBody::new(into_body(content), coding, self.levels);
                Content::Foreign(ReplyBody::foreign(compressed))
            }
        };
        response.set_content(content);
        let headers = response.headers_mut();
        headers.insert(CONTENT_ENCODING, coding.value());
        headers.remove(CONTENT_LENGTH);
        headers.remove(ACCEPT_RANGES);
        etag::add_coding(headers, coding);
    }

    /// Compresses bytes; `None` if that does not make them fewer.
    fn compress(&self, bytes: &[u8], coding: Coding) -> Option<Bytes> {
        let mut encoder = Encoder::new(coding, self.levels, Some(bytes.len()));
        encoder.write(bytes).ok()?;
        let smaller = encoder.finish().ok()?;
        (smaller.len() < bytes.len()).then_some(smaller)
    }
}

fn into_body(content: Content) -> ReplyBody {
    match content {
        Content::Bytes(payload) => ReplyBody::payload(payload),
        Content::Stream(stream, size) => ReplyBody::stream(stream, size),
        Content::Foreign(body) => body,
        // Other content was written before it got here.
        _ => ReplyBody::payload(Payload::Bytes(Bytes::new())),
    }
}

fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn has_content(status: StatusCode) -> bool {
    !status.is_informational()
        && !matches!(
            status,
            StatusCode::NO_CONTENT
                | StatusCode::RESET_CONTENT
                | StatusCode::PARTIAL_CONTENT
                | StatusCode::NOT_MODIFIED
        )
}

/// Returns whether `Cache-Control` forbids to change the content.
fn is_no_transform(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(CACHE_CONTROL).iter();
    lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .any(|directive| directive.trim().eq_ignore_ascii_case("no-transform"))
}

impl Filter for Compress {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        let Self(settings) = self;
        let coding = Coding::negotiate(request.head(), &settings.codings);
        let conditions = OriginalConditions::translate(request.head_mut().headers_mut());
        let mut response = next.run(request).await;
        if response.status_code() == StatusCode::NOT_MODIFIED {
            let tag = response.headers().get(ETAG);
            let tag = tag.and_then(|tag| conditions.sent_for(tag.to_str().ok()?));
            if let Some(tag) = tag {
                response.headers_mut().insert(ETAG, tag);
                vary(response.fields_mut(), &BY_CODING);
            }
        } else if settings.applies_to(&response, request.method()) {
            vary(response.fields_mut(), &BY_CODING);
            if let Some(coding) = coding {
                settings.encode(&mut response, coding, request.method());
            }
        }
        conditions.restore(request.head_mut().headers_mut());
        response
    }
}
