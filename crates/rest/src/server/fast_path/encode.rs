//! Writes the heads of responses, and the framing of their bodies.

use std::cell::RefCell;
use std::time::{Duration, UNIX_EPOCH};

use http::header::{HeaderName, HeaderValue};
use http::{Method, StatusCode};
use httpdate::HttpDate;

use crate::pipeline::Finished;
use crate::response::push_line;
use crate::runtime::coarse_clock;
use crate::syntax::push_hex;

/// How the client finds the end of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// The body has this many bytes.
    Length(u64),
    /// The body comes in chunks, each with its size.
    Chunked,
}

/// What a written head says about the body and the connection.
pub(super) struct WrittenHead {
    pub(super) framing: Framing,
    /// Whether the connection is closed after this response.
    pub(super) closes: bool,
}

/// The headers of the application that affect the ones written here.
#[derive(Default)]
struct SpecialHeaders {
    content_length: Option<u64>,
    closes: bool,
    has_date: bool,
}

/// Writes the head of a response. `is_last` closes the connection after it.
pub(super) fn head(
    out: &mut Vec<u8>,
    method: &Method,
    response: &Finished,
    is_last: bool,
) -> WrittenHead {
    out.reserve(512);
    push_status(out, response.status());
    let mut special = SpecialHeaders::default();
    response.fields().write(out, |out, name, value| {
        push_field(out, &mut special, name, value);
    });
    let framing = push_framing(out, method, response, special.content_length);
    if is_last && !special.closes {
        out.extend_from_slice(b"connection: close\r\n");
    }
    if !special.has_date {
        push_date(out);
    }
    out.extend_from_slice(b"\r\n");
    WrittenHead {
        framing,
        closes: is_last || special.closes,
    }
}

fn push_status(out: &mut Vec<u8>, status: StatusCode) {
    match status {
        StatusCode::OK => out.extend_from_slice(b"HTTP/1.1 200 OK\r\n"),
        StatusCode::NOT_MODIFIED => out.extend_from_slice(b"HTTP/1.1 304 Not Modified\r\n"),
        _ => {
            out.extend_from_slice(b"HTTP/1.1 ");
            out.extend_from_slice(status.as_str().as_bytes());
            out.push(b' ');
            let reason = status.canonical_reason().unwrap_or("<none>");
            out.extend_from_slice(reason.as_bytes());
            out.extend_from_slice(b"\r\n");
        }
    }
}

/// Writes a header, except those about framing, which are written by `push_framing`.
fn push_field(
    out: &mut Vec<u8>,
    special: &mut SpecialHeaders,
    name: &HeaderName,
    value: &HeaderValue,
) {
    match name.as_str() {
        "content-length" => {
            special.content_length = value.to_str().ok().and_then(|text| text.parse().ok());
            return;
        }
        "transfer-encoding" => return,
        "connection" => {
            let mut tokens = value.as_bytes().split(|byte| *byte == b',');
            special.closes |= tokens.any(|token| token.trim_ascii().eq_ignore_ascii_case(b"close"));
        }
        "date" => special.has_date = true,
        _ => {}
    }
    push_line(out, name, value.as_bytes());
}

fn push_framing(
    out: &mut Vec<u8>,
    method: &Method,
    response: &Finished,
    content_length: Option<u64>,
) -> Framing {
    let has_no_body = response.status().is_informational()
        || matches!(
            response.status(),
            StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED
        );
    if has_no_body {
        return Framing::Length(0);
    }
    if *method == Method::HEAD {
        // The length of the response to GET, if it is known.
        if let Some(length) = content_length {
            push_length(out, length);
        }
        return Framing::Length(0);
    }
    if let Some(length) = response.body.size().or(content_length) {
        push_length(out, length);
        return Framing::Length(length);
    }
    out.extend_from_slice(b"transfer-encoding: chunked\r\n");
    Framing::Chunked
}

fn push_length(out: &mut Vec<u8>, length: u64) {
    out.extend_from_slice(b"content-length: ");
    out.extend_from_slice(itoa::Buffer::new().format(length).as_bytes());
    out.extend_from_slice(b"\r\n");
}

/// Writes the size line of a chunk.
pub(super) fn push_chunk_size(out: &mut Vec<u8>, size: u64) {
    push_hex(out, size);
    out.extend_from_slice(b"\r\n");
}

thread_local! {
    /// The second and its `Date` line, which many responses share.
    static DATE: RefCell<(u64, Vec<u8>)> = const { RefCell::new((0, Vec::new())) };
}

fn push_date(out: &mut Vec<u8>) {
    let second = coarse_clock::unix_seconds();
    DATE.with_borrow_mut(|(line_second, line)| {
        if *line_second != second || line.is_empty() {
            *line_second = second;
            let time = UNIX_EPOCH + Duration::from_secs(second);
            *line = format!("date: {}\r\n", HttpDate::from(time)).into_bytes();
        }
        out.extend_from_slice(line);
    });
}
