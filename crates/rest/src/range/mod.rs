//! Parts of content: `Range`, `If-Range`, and answers with 206 and 416 (RFC 9110, section 14).

mod parse;
mod parts;

use std::fmt::Write as _;
use std::hash::{BuildHasher as _, RandomState};
use std::ops::Range;

use http::header::{
    CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue, IF_RANGE,
    LAST_MODIFIED, RANGE,
};
use http::{Method, StatusCode};

use crate::conditional::{ETag, forget_content, parse_date, strong_match};
use crate::head::Head;
use crate::rejection::Rejection;
use crate::response::{Content, Response};
use parse::Asked;
use parts::{Parts, Piece, Reader};

/// Sends the parts that were asked for, or the whole.
pub(crate) fn apply(response: &mut Response, head: &Head) {
    let asked = match size(response.content()) {
        Some(size) if is_asked(response, head) => {
            parse::asked(head, size).map(|asked| (asked, size))
        }
        _ => None,
    };
    match asked {
        None => whole(response),
        Some((Asked::Nothing, size)) => refuse(response, size),
        Some((Asked::Parts(ranges), size)) => match ranges.as_slice() {
            [range] => one(response, range.clone(), size),
            _ => several(response, &ranges, size),
        },
    }
}

fn size(content: &Content) -> Option<u64> {
    match content {
        Content::Bytes(payload) => Some(payload.as_slice().len() as u64),
        Content::Stream(_, size) => *size,
        Content::Seekable(_, size) => Some(*size),
        _ => None,
    }
}

/// Whether the client asks for parts, and of this version.
fn is_asked(response: &Response, head: &Head) -> bool {
    *head.method() == Method::GET
        && head.has_header(RANGE)
        && response.status_code() == StatusCode::OK
        && !response.fields().contains(&CONTENT_RANGE)
        && is_version(head.headers(), response.headers())
}

/// Whether `If-Range` names this version; a condition that cannot be read names none.
fn is_version(asked: &HeaderMap, sent: &HeaderMap) -> bool {
    let mut lines = asked.get_all(IF_RANGE).iter();
    let Some(version) = lines.next() else {
        return true;
    };
    if lines.next().is_some() {
        return false;
    }
    if let Some(date) = parse_date(version) {
        return sent.get(LAST_MODIFIED).and_then(parse_date) == Some(date);
    }
    let tag = sent.get(ETAG).and_then(ETag::from_value);
    tag.is_some_and(|tag| strong_match(version.as_bytes(), &tag))
}

fn whole(response: &mut Response) {
    if let Content::Seekable(..) = response.content()
        && let Content::Seekable(mut open, size) = response.take_content()
    {
        response.set_content(Content::Stream(open(0..size), Some(size)));
    }
}

fn refuse(response: &mut Response, size: u64) {
    forget_content(response);
    response.remove_validators();
    let refusal = Rejection::new(
        StatusCode::RANGE_NOT_SATISFIABLE,
        "range_not_satisfiable",
        format!("there are {size} bytes"),
    );
    let refusal = match HeaderValue::try_from(format!("bytes */{size}")) {
        Ok(value) => refusal.with_header(CONTENT_RANGE, value),
        Err(_) => refusal,
    };
    response.set_content(Content::Rejected(refusal));
}

/// `bytes 0-4/10`
fn content_range(range: &Range<u64>, size: u64) -> String {
    format!(
        "bytes {}-{}/{size}",
        range.start,
        range.end.saturating_sub(1)
    )
}

/// One part: the bytes as they are.
fn one(response: &mut Response, range: Range<u64>, size: u64) {
    if let Ok(value) = HeaderValue::try_from(content_range(&range, size)) {
        response.fields_mut().insert(CONTENT_RANGE, value);
    }
    let length = range.end - range.start;
    let content = match response.take_content() {
        Content::Bytes(payload) => {
            Content::Bytes(parts::slice(&payload.into_bytes(), &range).into())
        }
        Content::Seekable(mut open, _) => Content::Stream(open(range), Some(length)),
        content => Parts::new(Reader::of(content), vec![Piece::Range(range)]).into_content(length),
    };
    partial(response, content);
}

/// Several parts, each with a head of its own.
fn several(response: &mut Response, ranges: &[Range<u64>], size: u64) {
    let content = response.take_content();
    let reader = Reader::of(content);
    let mut ranges = ranges.to_vec();
    if reader.is_forward_only() {
        ranges.sort_by_key(|range| range.start);
    }
    let boundary = boundary();
    let content_type = response.media_type().map(str::to_owned);
    let mut pieces = Vec::with_capacity(2 * ranges.len() + 1);
    for range in ranges {
        let mut head = format!("\r\n--{boundary}\r\n");
        if let Some(content_type) = &content_type {
            let _ = write!(head, "Content-Type: {content_type}\r\n");
        }
        let place = content_range(&range, size);
        let _ = write!(head, "Content-Range: {place}\r\n\r\n");
        pieces.push(Piece::Text(head.into()));
        pieces.push(Piece::Range(range));
    }
    pieces.push(Piece::Text(format!("\r\n--{boundary}--\r\n").into()));
    let length = pieces.iter().map(Piece::length).sum();
    let multipart = format!("multipart/byteranges; boundary={boundary}");
    if let Ok(value) = HeaderValue::try_from(multipart) {
        response.fields_mut().remove(&CONTENT_TYPE);
        response.set_content_type(value);
    }
    partial(response, Parts::new(reader, pieces).into_content(length));
}

fn partial(response: &mut Response, content: Content) {
    response.set_content(content);
    response.set_status(StatusCode::PARTIAL_CONTENT);
    response.fields_mut().remove(&CONTENT_LENGTH);
}

/// What stands between parts. Nobody can know it before, and put it into the content.
fn boundary() -> String {
    let (one, other) = (RandomState::new(), RandomState::new());
    format!("{:016x}{:016x}", one.hash_one(0), other.hash_one(1))
}
