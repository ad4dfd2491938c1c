//! Range requests: `Range`, `If-Range`, and responses with 206 and 416 (RFC 9110, section 14).

mod parse;
mod pieces;

use std::fmt::Write as _;
use std::hash::{BuildHasher as _, RandomState};
use std::ops::Range;

use http::header::{
    CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue, IF_RANGE,
    LAST_MODIFIED, RANGE,
};
use http::{Method, StatusCode};

use crate::conditional::{ETag, parse_date, remove_content, strong_match};
use crate::head::Head;
use crate::rejection::Rejection;
use crate::response::{Content, Response};
use parse::RequestedRanges;
use pieces::{BodyPiece, ContentReader, PieceStream};

/// Reduces a response to the ranges that the request asks for, if it does.
pub(crate) fn apply(response: &mut Response, head: &Head) {
    let requested = match size(response.content()) {
        Some(size) if is_range_request(response, head) => {
            parse::requested_ranges(head, size).map(|ranges| (ranges, size))
        }
        _ => None,
    };
    match requested {
        None => send_whole(response),
        Some((RequestedRanges::Unsatisfiable, size)) => refuse(response, size),
        Some((RequestedRanges::Satisfiable(ranges), size)) => match ranges.as_slice() {
            [range] => send_one(response, range.clone(), size),
            _ => send_several(response, &ranges, size),
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

/// Whether the client asks for ranges of this version.
fn is_range_request(response: &Response, head: &Head) -> bool {
    *head.method() == Method::GET
        && head.has_header(RANGE)
        && response.status_code() == StatusCode::OK
        && !response.fields().contains(&CONTENT_RANGE)
        && if_range_matches(head.headers(), response.headers())
}

/// Whether `If-Range` is absent or names this version. A malformed value names none.
fn if_range_matches(request: &HeaderMap, response: &HeaderMap) -> bool {
    let mut lines = request.get_all(IF_RANGE).iter();
    let Some(version) = lines.next() else {
        return true;
    };
    if lines.next().is_some() {
        return false;
    }
    if let Some(date) = parse_date(version) {
        return response.get(LAST_MODIFIED).and_then(parse_date) == Some(date);
    }
    let tag = response.get(ETAG).and_then(ETag::from_value);
    tag.is_some_and(|tag| strong_match(version.as_bytes(), &tag))
}

fn send_whole(response: &mut Response) {
    if let Content::Seekable(..) = response.content()
        && let Content::Seekable(mut open, size) = response.take_content()
    {
        response.set_content(Content::Stream(open(0..size), Some(size)));
    }
}

fn refuse(response: &mut Response, size: u64) {
    remove_content(response);
    response.remove_validators();
    let rejection = Rejection::new(
        StatusCode::RANGE_NOT_SATISFIABLE,
        "range_not_satisfiable",
        format!("the range is beyond the {size} bytes of the content"),
    );
    let rejection = match HeaderValue::try_from(format!("bytes */{size}")) {
        Ok(value) => rejection.with_header(CONTENT_RANGE, value),
        Err(_) => rejection,
    };
    response.set_content(Content::Rejected(rejection));
}

/// Formats a `Content-Range`, such as `bytes 0-4/10`.
fn content_range(range: &Range<u64>, size: u64) -> String {
    format!(
        "bytes {}-{}/{size}",
        range.start,
        range.end.saturating_sub(1)
    )
}

/// Sends one range.
fn send_one(response: &mut Response, range: Range<u64>, size: u64) {
    if let Ok(value) = HeaderValue::try_from(content_range(&range, size)) {
        response.fields_mut().insert(CONTENT_RANGE, value);
    }
    let length = range.end - range.start;
    let content = match response.take_content() {
        Content::Bytes(payload) => {
            Content::Bytes(pieces::slice(&payload.into_bytes(), &range).into())
        }
        Content::Seekable(mut open, _) => Content::Stream(open(range), Some(length)),
        content => {
            let pieces = vec![BodyPiece::Range(range)];
            PieceStream::new(ContentReader::new(content), pieces).into_content(length)
        }
    };
    set_partial(response, content);
}

/// Sends several ranges as `multipart/byteranges`.
fn send_several(response: &mut Response, ranges: &[Range<u64>], size: u64) {
    let content = response.take_content();
    let reader = ContentReader::new(content);
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
        let content_range = content_range(&range, size);
        let _ = write!(head, "Content-Range: {content_range}\r\n\r\n");
        pieces.push(BodyPiece::Text(head.into()));
        pieces.push(BodyPiece::Range(range));
    }
    pieces.push(BodyPiece::Text(format!("\r\n--{boundary}--\r\n").into()));
    let length = pieces.iter().map(BodyPiece::length).sum();
    let multipart = format!("multipart/byteranges; boundary={boundary}");
    if let Ok(value) = HeaderValue::try_from(multipart) {
        response.fields_mut().remove(&CONTENT_TYPE);
        response.set_content_type(value);
    }
    set_partial(
        response,
        PieceStream::new(reader, pieces).into_content(length),
    );
}

fn set_partial(response: &mut Response, content: Content) {
    response.set_content(content);
    response.set_status(StatusCode::PARTIAL_CONTENT);
    response.fields_mut().remove(&CONTENT_LENGTH);
}

/// Makes a random boundary between parts, which content cannot anticipate.
fn boundary() -> String {
    let (one, other) = (RandomState::new(), RandomState::new());
    format!("{:016x}{:016x}", one.hash_one(0), other.hash_one(1))
}
