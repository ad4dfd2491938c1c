//! From bytes to a request, if it is one of the plain ones.

use std::mem::MaybeUninit;

use bytes::Bytes;
use http::Method;
use httparse::{Header, ParserConfig, Status};

use crate::body::Body;
use crate::head::{Head, Line, Place, Room, Wire};
use crate::request::Request;

/// Room for headers; requests with more are rare.
const HEADERS: usize = 64;

/// What a head may measure.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) bytes: usize,
    pub(crate) headers: usize,
}

/// What the bytes that have come are.
pub(super) enum Parsed {
    /// A plain request, and how many bytes it takes. It is in memory that the last one has just left, and
    /// not in that of the connection, which nobody has looked at for a while.
    Request(Box<Request>, usize),
    /// The beginning of one.
    Part,
    /// Something that is left to hyper: it may be right or wrong.
    Other,
}

/// Looks for a request at the beginning.
pub(super) fn parse(bytes: &[u8], bounds: Bounds) -> Parsed {
    let mut room = [const { MaybeUninit::<Header<'_>>::uninit() }; HEADERS];
    let mut request = httparse::Request::new(&mut []);
    let parsed =
        ParserConfig::default().parse_request_with_uninit_headers(&mut request, bytes, &mut room);
    let length = match parsed {
        Ok(Status::Complete(length)) => length,
        Ok(Status::Partial) if bytes.len() < bounds.bytes => return Parsed::Part,
        Ok(Status::Partial) | Err(_) => return Parsed::Other,
    };
    plain(bytes, length, &request, bounds).unwrap_or(Parsed::Other)
}

/// The request, if nothing about it is unusual.
fn plain(
    bytes: &[u8],
    length: usize,
    request: &httparse::Request<'_, '_>,
    bounds: Bounds,
) -> Option<Parsed> {
    let target = request.path?;
    let is_usual = request.version == Some(1)
        && length <= bounds.bytes.min(usize::from(u16::MAX))
        && request.headers.len() <= bounds.headers
        && target.starts_with('/');
    if !is_usual {
        return None;
    }
    let path_length = path_length(target.as_bytes())?;
    let method = Method::from_bytes(request.method?.as_bytes()).ok()?;
    if method == Method::CONNECT {
        return None;
    }
    let size = body_size(request.headers)?;
    let end = length.checked_add(size)?;
    // A body that is still to come is read as it comes.
    let body = bytes.get(length..end)?;
    let body = if body.is_empty() {
        Body::empty()
    } else {
        Bytes::copy_from_slice(body).into()
    };
    let place = |part: &[u8]| {
        let start = part.as_ptr().addr().checked_sub(bytes.as_ptr().addr())?;
        Some(Place {
            start: u16::try_from(start).ok()?,
            end: u16::try_from(start + part.len()).ok()?,
        })
    };
    let text = std::str::from_utf8(bytes.get(..length)?).ok()?;
    let mut room = Room::new();
    room.text.push_str(text);
    for header in &*request.headers {
        let line = Line {
            name: place(header.name.as_bytes())?,
            value: place(header.value)?,
        };
        room.push(header.name, line);
    }
    let wire = Wire::new(method, room, place(target.as_bytes())?, path_length);
    let request = Request::new(Head::from_wire(wire), body);
    Some(Parsed::Request(Box::new(request), end))
}

/// How long the body is; none if a header makes the request one of the unusual.
fn body_size(headers: &[Header<'_>]) -> Option<usize> {
    let mut size = None;
    for header in headers {
        let is = |name: &str| header.name.eq_ignore_ascii_case(name);
        match header.name.len() {
            2 if is("te") => return None,
            6 if is("expect") => return None,
            7 if is("upgrade") => return None,
            10 if is("connection") && !header.value.eq_ignore_ascii_case(b"keep-alive") => {
                return None;
            }
            14 if is("content-length") => {
                // Which of two is meant is not for us to say.
                if size.is_some() {
                    return None;
                }
                size = Some(number(header.value)?);
            }
            17 if is("transfer-encoding") => return None,
            _ => {}
        }
    }
    Some(size.unwrap_or_default())
}

/// Digits, and not too many of them.
fn number(text: &[u8]) -> Option<usize> {
    if text.is_empty() || text.len() > 9 {
        return None;
    }
    text.iter().try_fold(0, |number: usize, digit| {
        let digit = digit.checked_sub(b'0').filter(|digit| *digit < 10)?;
        Some(number * 10 + usize::from(digit))
    })
}

/// How long the path in a target is; none if there is anything in it that RFC 3986 does not have in a path
/// or query, which is for hyper to judge.
fn path_length(target: &[u8]) -> Option<usize> {
    let mut length = target.len();
    for (place, byte) in target.iter().enumerate() {
        if !PLAIN.get(usize::from(*byte)).copied().unwrap_or_default() {
            return None;
        }
        if *byte == b'?' && length == target.len() {
            length = place;
        }
    }
    Some(length)
}

static PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let allowed =
        b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/?%";
    let mut place = 0;
    while place < allowed.len() {
        #[expect(clippy::indexing_slicing, reason = "checked when it is compiled")]
        {
            plain[allowed[place] as usize] = true;
        }
        place += 1;
    }
    plain
};
