//! A head as it came over the wire: its text, and where in it everything is.

use std::cell::Cell;
use std::sync::OnceLock;

use http::Method;
use http::header::{HeaderMap, HeaderName, HeaderValue};

/// Where a part of the text begins and ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) start: u16,
    pub(crate) end: u16,
}

/// A header: its name, in whatever case it came, and its value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    pub(crate) name: Place,
    pub(crate) value: Place,
}

/// What a head is kept in: its text and its headers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Room {
    pub(crate) text: String,
    lines: Vec<Line>,
    /// One bit for each name, and some names share one: most that are asked for are not there.
    names: u64,
}

/// More than this is not kept for the next request.
const KEEP: usize = 4 * 1024;

thread_local! {
    /// What the last request was kept in.
    static SPARE: Cell<Option<Room>> = const { Cell::new(None) };
}

impl Room {
    /// An empty one.
    pub(crate) fn new() -> Self {
        SPARE.take().unwrap_or_default()
    }

    /// Notes a header.
    pub(crate) fn push(&mut self, name: &str, line: Line) {
        self.names |= bit(name);
        self.lines.push(line);
    }

    fn part(&self, place: Place) -> &str {
        let (start, end) = (usize::from(place.start), usize::from(place.end));
        self.text.get(start..end).unwrap_or_default()
    }

    #[inline]
    fn is_named(&self, line: Line, name: &str) -> bool {
        // Most differ in length already.
        usize::from(line.name.end - line.name.start) == name.len()
            && is_same(self.part(line.name).as_bytes(), name.as_bytes())
    }
}

/// Whether two names of the same length differ only in the case of letters. Eight bytes at a time: names
/// are compared for every request, and most clients write some letters of theirs large.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let (mut ones, mut others) = (one.chunks_exact(8), other.chunks_exact(8));
    let is_same = (&mut ones).zip(&mut others).all(|(one, other)| {
        let (Ok(one), Ok(other)) = (one.try_into(), other.try_into()) else {
            return false;
        };
        lower(u64::from_ne_bytes(one)) == lower(u64::from_ne_bytes(other))
    });
    is_same && ones.remainder().eq_ignore_ascii_case(others.remainder())
}

/// Eight ASCII bytes, in small letters. Others stay others.
fn lower(bytes: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // The highest bit of a byte tells whether it reached that letter, and was not past this one.
    let from_a = bytes.wrapping_add(ONES * u64::from(0x80 - b'A'));
    let past_z = bytes.wrapping_add(ONES * u64::from(0x80 - b'Z' - 1));
    bytes | ((from_a & !past_z & (ONES << 7)) >> 2)
}

#[inline]
fn bit(name: &str) -> u64 {
    let first = name.as_bytes().first().map_or(0, |first| first | 0x20);
    1 << ((usize::from(first) ^ (7 * name.len())) % 64)
}

/// A head that was found to be in order. Everything but values of headers is ASCII.
///
/// Most headers of a request are never looked at, so no map is made of them until one is asked for.
#[derive(Debug, Clone)]
pub(crate) struct Wire {
    pub(super) method: Method,
    room: Room,
    /// The path.
    path: Place,
    /// The query, if there is one.
    query: Option<Place>,
    /// The lines as a map, for those who read one.
    view: OnceLock<Box<HeaderMap>>,
    /// Instead of the lines, once somebody wants to change them.
    changed: Option<Box<HeaderMap>>,
}

impl Wire {
    /// With a path of this length in the target.
    pub(crate) fn new(method: Method, room: Room, target: Place, path_length: usize) -> Self {
        let Place { start, end } = target;
        // A path is no longer than its target.
        let mark = u16::try_from(path_length).ok();
        let mark = mark.and_then(|mark| start.checked_add(mark));
        let mark = mark.filter(|mark| *mark < end);
        Self {
            method,
            room,
            path: Place {
                start,
                end: mark.unwrap_or(end),
            },
            query: mark.map(|mark| Place {
                start: mark + 1,
                end,
            }),
            view: OnceLock::new(),
            changed: None,
        }
    }

    pub(super) fn path(&self) -> &str {
        self.room.part(self.path)
    }

    pub(super) fn query(&self) -> Option<&str> {
        self.query.map(|query| self.room.part(query))
    }

    /// Path and query.
    pub(super) fn target(&self) -> &str {
        let end = self.query.unwrap_or(self.path).end;
        let start = self.path.start;
        self.room.part(Place { start, end })
    }

    /// Whether the lines are the headers: nobody has changed them.
    pub(super) fn is_as_sent(&self) -> bool {
        self.changed.is_none()
    }

    /// The first value of a header, as it was sent.
    #[inline]
    pub(super) fn first(&self, name: &str) -> Option<&str> {
        self.values(name).next()
    }

    /// The values of a header in their order, as they were sent.
    #[inline]
    pub(super) fn values<'h>(&'h self, name: &str) -> impl DoubleEndedIterator<Item = &'h str> {
        let room = &self.room;
        let lines = match room.names & bit(name) {
            0 => &[],
            _ => &*room.lines,
        };
        lines
            .iter()
            .filter(move |line| room.is_named(**line, name))
            .map(|line| room.part(line.value))
    }

    pub(super) fn map(&self) -> &HeaderMap {
        match &self.changed {
            Some(map) => map,
            None => self.view.get_or_init(|| Box::new(self.mapped())),
        }
    }

    pub(super) fn map_mut(&mut self) -> &mut HeaderMap {
        let map = match (self.changed.take(), self.view.take()) {
            (Some(map), _) | (None, Some(map)) => map,
            (None, None) => Box::new(self.mapped()),
        };
        self.changed.insert(map)
    }

    fn mapped(&self) -> HeaderMap {
        let mut map = HeaderMap::with_capacity(self.room.lines.len());
        for line in &self.room.lines {
            let name = HeaderName::from_bytes(self.room.part(line.name).as_bytes());
            let value = HeaderValue::from_bytes(self.room.part(line.value).as_bytes());
            // The parser takes no name and no value that these do not.
            if let (Ok(name), Ok(value)) = (name, value) {
                map.append(name, value);
            }
        }
        map
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        let mut room = std::mem::take(&mut self.room);
        if room.text.capacity() <= KEEP {
            room.text.clear();
            room.lines.clear();
            room.names = 0;
            // A thread that ends has no next request.
            let _ = SPARE.try_with(|spare| spare.set(Some(room)));
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
            prop_assert_eq!(is_same(one.as_bytes(), &other), one.as_bytes().eq_ignore_ascii_case(&other));
            prop_assert!(is_same(one.as_bytes(), one.to_ascii_uppercase().as_bytes()));
        }
    }
}
