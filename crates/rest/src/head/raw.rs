//! A request head as it was received: its text, and the spans of its parts.

use std::cell::Cell;
use std::sync::OnceLock;

use http::Method;
use http::header::{HeaderMap, HeaderName, HeaderValue};

/// A range of bytes in the text of a head.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span {
    pub(crate) start: u16,
    pub(crate) end: u16,
}

/// The spans of a header's name, in the case the client wrote it, and of its value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HeaderSpans {
    pub(crate) name: Span,
    pub(crate) value: Span,
}

/// The text of a head and the spans of its headers, reused from request to request.
#[derive(Debug, Clone, Default)]
pub(crate) struct RawHeadBuffer {
    text: String,
    headers: Vec<HeaderSpans>,
    /// A bit set of the header names, in which some names share a bit: most lookups are for headers
    /// that the request does not have.
    names: u64,
}

/// A larger text is not kept for the next request.
const MAX_CAPACITY: usize = 4 * 1024;

thread_local! {
    /// The buffer of the thread's last request.
    static RECYCLED: Cell<Option<RawHeadBuffer>> = const { Cell::new(None) };
}

impl RawHeadBuffer {
    /// Takes the recycled buffer of this thread, or a new one, and copies the text of a head into it.
    pub(crate) fn take(text: &str) -> Self {
        let mut buffer = RECYCLED.take().unwrap_or_default();
        buffer.text.push_str(text);
        buffer
    }

    pub(crate) fn push(&mut self, name: &str, spans: HeaderSpans) {
        self.names |= name_bit(name);
        self.headers.push(spans);
    }

    fn slice(&self, span: Span) -> &str {
        let (start, end) = (usize::from(span.start), usize::from(span.end));
        self.text.get(start..end).unwrap_or_default()
    }

    #[inline]
    fn is_named(&self, header: HeaderSpans, name: &str) -> bool {
        // Most differ in length already.
        usize::from(header.name.end - header.name.start) == name.len()
            && eq_ignore_case(self.slice(header.name).as_bytes(), name.as_bytes())
    }
}

/// Whether two names of the same length differ only in the case of letters.
///
/// Compares eight bytes at a time: names are compared for every request, and most clients write some
/// of their letters in upper case.
fn eq_ignore_case(one: &[u8], other: &[u8]) -> bool {
    let (mut ones, mut others) = (one.chunks_exact(8), other.chunks_exact(8));
    let is_same = (&mut ones).zip(&mut others).all(|(one, other)| {
        let (Ok(one), Ok(other)) = (one.try_into(), other.try_into()) else {
            return false;
        };
        to_lowercase(u64::from_ne_bytes(one)) == to_lowercase(u64::from_ne_bytes(other))
    });
    is_same && ones.remainder().eq_ignore_ascii_case(others.remainder())
}

/// Makes the letters among eight ASCII bytes lower case.
fn to_lowercase(bytes: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // The highest bit of a byte is set if the byte is at least `A`, and here if it is past `Z`.
    let from_a = bytes.wrapping_add(ONES * u64::from(0x80 - b'A'));
    let past_z = bytes.wrapping_add(ONES * u64::from(0x80 - b'Z' - 1));
    bytes | ((from_a & !past_z & (ONES << 7)) >> 2)
}

/// The bit of a name in the bit set of names.
#[inline]
fn name_bit(name: &str) -> u64 {
    let first = name.as_bytes().first().map_or(0, |first| first | 0x20);
    1 << ((usize::from(first) ^ (7 * name.len())) % 64)
}

/// A well-formed request head. Everything but the values of headers is ASCII.
///
/// Most headers of a request are never read, so they become a map only when one is needed.
#[derive(Debug, Clone)]
pub(crate) struct RawHead {
    pub(crate) method: Method,
    buffer: RawHeadBuffer,
    path: Span,
    query: Option<Span>,
    /// The headers as a map, made on demand.
    view: OnceLock<Box<HeaderMap>>,
    /// Replaces the headers of the buffer once they are borrowed mutably.
    changed: Option<Box<HeaderMap>>,
}

impl RawHead {
    /// Makes a head whose target begins with a path of this length.
    pub(crate) fn new(
        method: Method,
        buffer: RawHeadBuffer,
        target: Span,
        path_length: usize,
    ) -> Self {
        let Span { start, end } = target;
        // A path is not longer than its target.
        let mark = u16::try_from(path_length).ok();
        let mark = mark.and_then(|mark| start.checked_add(mark));
        let mark = mark.filter(|mark| *mark < end);
        Self {
            method,
            buffer,
            path: Span {
                start,
                end: mark.unwrap_or(end),
            },
            query: mark.map(|mark| Span {
                start: mark + 1,
                end,
            }),
            view: OnceLock::new(),
            changed: None,
        }
    }

    pub(crate) fn path(&self) -> &str {
        self.buffer.slice(self.path)
    }

    pub(crate) fn query(&self) -> Option<&str> {
        self.query.map(|query| self.buffer.slice(query))
    }

    /// Returns the path and the query.
    pub(crate) fn target(&self) -> &str {
        let end = self.query.unwrap_or(self.path).end;
        let start = self.path.start;
        self.buffer.slice(Span { start, end })
    }

    /// Whether the headers are those that were received.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.changed.is_none()
    }

    /// Returns the first value of a header that was received.
    #[inline]
    pub(crate) fn first(&self, name: &str) -> Option<&str> {
        self.values(name).next()
    }

    /// Returns the values of a header that were received, in their order.
    #[inline]
    pub(crate) fn values<'h>(&'h self, name: &str) -> impl DoubleEndedIterator<Item = &'h str> {
        let buffer = &self.buffer;
        let headers = match buffer.names & name_bit(name) {
            0 => &[],
            _ => &*buffer.headers,
        };
        headers
            .iter()
            .filter(move |header| buffer.is_named(**header, name))
            .map(|header| buffer.slice(header.value))
    }

    pub(crate) fn map(&self) -> &HeaderMap {
        match &self.changed {
            Some(map) => map,
            None => self.view.get_or_init(|| Box::new(self.to_map())),
        }
    }

    pub(crate) fn map_mut(&mut self) -> &mut HeaderMap {
        let map = match (self.changed.take(), self.view.take()) {
            (Some(map), _) | (None, Some(map)) => map,
            (None, None) => Box::new(self.to_map()),
        };
        self.changed.insert(map)
    }

    fn to_map(&self) -> HeaderMap {
        let buffer = &self.buffer;
        let mut map = HeaderMap::with_capacity(buffer.headers.len());
        for header in &buffer.headers {
            let name = HeaderName::from_bytes(buffer.slice(header.name).as_bytes());
            let value = HeaderValue::from_bytes(buffer.slice(header.value).as_bytes());
            // The parser accepts no name and no value that these reject.
            if let (Ok(name), Ok(value)) = (name, value) {
                map.append(name, value);
            }
        }
        map
    }
}

impl Drop for RawHead {
    fn drop(&mut self) {
        let mut buffer = std::mem::take(&mut self.buffer);
        if buffer.text.capacity() <= MAX_CAPACITY {
            buffer.text.clear();
            buffer.headers.clear();
            buffer.names = 0;
            // A thread that ends has no next request.
            let _ = RECYCLED.try_with(|recycled| recycled.set(Some(buffer)));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn names_are_compared_as_the_standard_library_does(one in "[!-~]{0,20}", flip in 0_usize..20) {
            let mut other = one.clone().into_bytes();
            if let Some(byte) = other.get_mut(flip) {
                *byte ^= 0x20;
            }
            prop_assert_eq!(eq_ignore_case(one.as_bytes(), &other), one.as_bytes().eq_ignore_ascii_case(&other));
            prop_assert!(eq_ignore_case(one.as_bytes(), one.to_ascii_uppercase().as_bytes()));
        }
    }
}
