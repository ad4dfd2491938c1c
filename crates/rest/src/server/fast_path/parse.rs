//! Parses requests that the fast path serves.

use std::mem::MaybeUninit;

use bytes::Bytes;
use http::{Method, StatusCode};
use httparse::{Header, ParserConfig, Status};

use crate::body::Body;
use crate::head::{Head, HeaderSpans, RawHead, RawHeadBuffer, Span};
use crate::request::Request;
use crate::server::byte_set::ByteSet;
use crate::server::host;

/// Requests with more headers are rare, and left to hyper.
const MAX_HEADERS: usize = 64;

/// How large a request head may be.
#[derive(Debug, Clone, Copy)]
pub(in crate::server) struct HeadLimits {
    pub(in crate::server) bytes: usize,
    pub(in crate::server) headers: usize,
}

/// What the unread bytes of a connection begin with.
pub(super) enum Parsed {
    /// A request for the fast path, and its length in bytes. It is boxed: the allocation that the last
    /// request has just freed is in the CPU cache, the memory of the connection is not.
    Request(Box<Request>, usize),
    /// An incomplete head.
    Partial,
    /// An incomplete request line. hyper does not tell one that is too long from a large head.
    PartialLine,
    /// Something that is refused with a status that hyper does not send.
    Refused(StatusCode),
    /// Something that is left to hyper, well-formed or not.
    Unusual,
}

/// Parses the request at the beginning of some bytes.
pub(super) fn parse(bytes: &[u8], limits: HeadLimits) -> Parsed {
    let mut headers = [const { MaybeUninit::<Header<'_>>::uninit() }; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut []);
    let parsed = ParserConfig::default().parse_request_with_uninit_headers(
        &mut request,
        bytes,
        &mut headers,
    );
    let length = match parsed {
        Ok(Status::Complete(length)) => length,
        Ok(Status::Partial) => return partial(bytes, limits),
        Err(httparse::Error::Version) if is_of_other_version(bytes) => {
            return Parsed::Refused(StatusCode::HTTP_VERSION_NOT_SUPPORTED);
        }
        Err(_) => return Parsed::Unusual,
    };
    accept(bytes, length, &request, limits).unwrap_or(Parsed::Unusual)
}

/// Tells what an incomplete head is.
fn partial(bytes: &[u8], limits: HeadLimits) -> Parsed {
    let is_small = bytes.len() < limits.bytes;
    match request_line(bytes) {
        (line, false) if is_small && !line.is_empty() => Parsed::PartialLine,
        _ if is_small => Parsed::Partial,
        (line, false) if line.contains(&b' ') => Parsed::Refused(StatusCode::URI_TOO_LONG),
        _ => Parsed::Unusual,
    }
}

/// Returns the first line that is not empty, as far as it has arrived, and whether that is all of it.
fn request_line(bytes: &[u8]) -> (&[u8], bool) {
    let start = bytes.iter().position(|byte| !matches!(byte, b'\r' | b'\n'));
    let bytes = bytes
        .get(start.unwrap_or(bytes.len())..)
        .unwrap_or_default();
    match bytes.iter().position(|byte| *byte == b'\n') {
        Some(end) => {
            let line = bytes.get(..end).unwrap_or_default();
            (line.strip_suffix(b"\r").unwrap_or(line), true)
        }
        None => (bytes, false),
    }
}

/// Whether bytes that are not parsed again have no end of a request line among them either.
pub(super) fn is_same_line(bytes: &[u8], parsed: usize) -> bool {
    parsed > 0 && bytes.get(parsed..).is_some_and(|new| !new.contains(&b'\n'))
}

/// Whether the request line names a version of HTTP with another major number than 1.
fn is_of_other_version(bytes: &[u8]) -> bool {
    let (line, _) = request_line(bytes);
    let version = line.rsplit(|byte| *byte == b' ').next();
    matches!(
        version.and_then(|version| version.strip_prefix(b"HTTP/")),
        Some([b'0' | b'2'..=b'9', b'.', b'0'..=b'9'])
    )
}

/// Makes a request of a parsed head and the body behind it; `None` if anything about it is unusual.
fn accept(
    bytes: &[u8],
    head_length: usize,
    request: &httparse::Request<'_, '_>,
    limits: HeadLimits,
) -> Option<Parsed> {
    let target = request.path?;
    let is_usual = request.version == Some(1)
        && head_length <= limits.bytes.min(usize::from(u16::MAX))
        && request.headers.len() <= limits.headers
        && target.starts_with('/');
    if !is_usual {
        let is_long = request_line(bytes).0.len() > limits.bytes;
        return is_long.then_some(Parsed::Refused(StatusCode::URI_TOO_LONG));
    }
    let path_length = path_length(target.as_bytes())?;
    let method = Method::from_bytes(request.method?.as_bytes()).ok()?;
    if method == Method::CONNECT {
        return None;
    }
    let size = body_size(request.headers)?;
    let end = head_length.checked_add(size)?;
    // hyper reads bodies that have not arrived completely.
    let body = bytes.get(head_length..end)?;
    let body = if body.is_empty() {
        Body::empty()
    } else {
        Bytes::copy_from_slice(body).into()
    };
    let span = |part: &[u8]| {
        let start = part.as_ptr().addr().checked_sub(bytes.as_ptr().addr())?;
        Some(Span {
            start: u16::try_from(start).ok()?,
            end: u16::try_from(start + part.len()).ok()?,
        })
    };
    let text = std::str::from_utf8(bytes.get(..head_length)?).ok()?;
    let mut buffer = RawHeadBuffer::take(text);
    for header in &*request.headers {
        let spans = HeaderSpans {
            name: span(header.name.as_bytes())?,
            value: span(header.value)?,
        };
        buffer.push(header.name, spans);
    }
    let head = RawHead::new(method, buffer, span(target.as_bytes())?, path_length);
    let request = Request::new(Head::from_raw(head), body);
    Some(Parsed::Request(Box::new(request), end))
}

/// Returns the length of the body; `None` if a header makes the request unusual.
fn body_size(headers: &[Header<'_>]) -> Option<usize> {
    let mut size = None;
    let mut has_host = false;
    for header in headers {
        let is = |name: &str| header.name.eq_ignore_ascii_case(name);
        match header.name.len() {
            2 if is("te") => return None,
            4 if is("host") => {
                if has_host || !host::is_valid(header.value) {
                    return None;
                }
                has_host = true;
            }
            6 if is("expect") => return None,
            7 if is("upgrade") => return None,
            10 if is("connection") && !header.value.eq_ignore_ascii_case(b"keep-alive") => {
                return None;
            }
            14 if is("content-length") => {
                // hyper decides what two lengths mean.
                if size.is_some() {
                    return None;
                }
                size = Some(parse_length(header.value)?);
            }
            17 if is("transfer-encoding") => return None,
            _ => {}
        }
    }
    has_host.then(|| size.unwrap_or_default())
}

/// Parses up to nine digits.
fn parse_length(text: &[u8]) -> Option<usize> {
    if text.is_empty() || text.len() > 9 {
        return None;
    }
    text.iter().try_fold(0, |number: usize, digit| {
        let digit = digit.checked_sub(b'0').filter(|digit| *digit < 10)?;
        Some(number * 10 + usize::from(digit))
    })
}

/// Returns the length of the path in a target; `None` if the target has a byte that RFC 3986 does not
/// allow in a path or query, which is for hyper to judge.
fn path_length(target: &[u8]) -> Option<usize> {
    let mut length = target.len();
    for (index, byte) in target.iter().enumerate() {
        if !ALLOWED_IN_TARGET.contains(*byte) {
            return None;
        }
        if *byte == b'?' && length == target.len() {
            length = index;
        }
    }
    Some(length)
}

static ALLOWED_IN_TARGET: ByteSet = ByteSet::new(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/?%",
);

#[cfg(test)]
mod tests;
