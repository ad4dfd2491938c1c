//! From a response to bytes.

use std::cell::RefCell;
use std::time::{Duration, UNIX_EPOCH};

use http::header::{HeaderName, HeaderValue};
use http::{Method, StatusCode};
use httpdate::HttpDate;

use crate::app::Finished;
use crate::digits::{push_decimal, push_hexadecimal};
use crate::response::push_line;
use crate::tick;

/// How a client finds the end of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// So many bytes.
    Length(u64),
    /// In chunks, each with its size.
    Chunked,
}

/// What the head of a response has said.
pub(super) struct Said {
    pub(super) framing: Framing,
    /// Whether this is the last response of the connection.
    pub(super) closes: bool,
}

/// What headers decide while they are written.
#[derive(Default)]
struct Seen {
    length: Option<u64>,
    closes: bool,
    date: bool,
}

/// Writes the head of a response; `last` asks for the connection to end with it.
pub(super) fn head(out: &mut Vec<u8>, method: &Method, reply: &Finished, last: bool) -> Said {
    out.reserve(512);
    push_status(out, reply.status());
    let mut seen = Seen::default();
    reply.fields().write(out, |out, name, value| {
        push_field(out, &mut seen, name, value);
    });
    let framing = push_framing(out, method, reply, seen.length);
    if last && !seen.closes {
        out.extend_from_slice(b"connection: close\r\n");
    }
    if !seen.date {
        push_date(out);
    }
    out.extend_from_slice(b"\r\n");
    Said {
        framing,
        closes: last || seen.closes,
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

/// Writes a header, unless the framing of the body is for us to say.
fn push_field(out: &mut Vec<u8>, seen: &mut Seen, name: &HeaderName, value: &HeaderValue) {
    match name.as_str() {
        "content-length" => {
            seen.length = value.to_str().ok().and_then(|text| text.parse().ok());
            return;
        }
        "transfer-encoding" => return,
        "connection" => {
            let mut tokens = value.as_bytes().split(|byte| *byte == b',');
            seen.closes |= tokens.any(|token| token.trim_ascii().eq_ignore_ascii_case(b"close"));
        }
        "date" => seen.date = true,
        _ => {}
    }
    push_line(out, name, value.as_bytes());
}

fn push_framing(
    out: &mut Vec<u8>,
    method: &Method,
    reply: &Finished,
    given: Option<u64>,
) -> Framing {
    let bodiless = reply.status().is_informational()
        || matches!(
            reply.status(),
            StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED
        );
    if bodiless {
        return Framing::Length(0);
    }
    if *method == Method::HEAD {
        // What the answer to GET would say, if that is known.
        if let Some(length) = given {
            push_length(out, length);
        }
        return Framing::Length(0);
    }
    if let Some(length) = reply.body.size().or(given) {
        push_length(out, length);
        return Framing::Length(length);
    }
    out.extend_from_slice(b"transfer-encoding: chunked\r\n");
    Framing::Chunked
}

fn push_length(out: &mut Vec<u8>, length: u64) {
    out.extend_from_slice(b"content-length: ");
    push_decimal(out, length);
    out.extend_from_slice(b"\r\n");
}

/// Writes the size of a chunk, which goes before it.
pub(super) fn push_chunk_size(out: &mut Vec<u8>, size: u64) {
    push_hexadecimal(out, size);
    out.extend_from_slice(b"\r\n");
}

thread_local! {
    /// The line of this second: it is the same for many responses.
    static DATE: RefCell<(u64, Vec<u8>)> = const { RefCell::new((0, Vec::new())) };
}

fn push_date(out: &mut Vec<u8>) {
    let second = tick::unix_seconds();
    DATE.with_borrow_mut(|(known, line)| {
        if *known != second || line.is_empty() {
            *known = second;
            let time = UNIX_EPOCH + Duration::from_secs(second);
            *line = format!("date: {}\r\n", HttpDate::from(time)).into_bytes();
        }
        out.extend_from_slice(line);
    });
}
