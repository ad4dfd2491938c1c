//! A head as it came over the wire: its text, and where in it everything is.

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

/// A head that was found to be in order, all of it ASCII.
///
/// Most headers of a request are never looked at, so no map is made of them until one is asked for.
#[derive(Debug, Clone)]
pub(crate) struct Wire {
    pub(super) method: Method,
    text: Box<str>,
    /// The path.
    path: Place,
    /// The query, if there is one.
    query: Option<Place>,
    lines: Vec<Line>,
    /// The lines as a map, for those who read one.
    view: OnceLock<Box<HeaderMap>>,
    /// Instead of the lines, once somebody wants to change them.
    changed: Option<Box<HeaderMap>>,
}

impl Wire {
    pub(crate) fn new(method: Method, text: Box<str>, target: Place, lines: Vec<Line>) -> Self {
        let Place { start, end } = target;
        let sent = text.get(usize::from(start)..usize::from(end));
        let mut sent = sent.unwrap_or_default().bytes();
        let mark = sent.position(|byte| byte == b'?');
        // A target is no longer than its places say.
        let mark = mark.and_then(|mark| start.checked_add(u16::try_from(mark).ok()?));
        Self {
            method,
            text,
            path: Place {
                start,
                end: mark.unwrap_or(end),
            },
            query: mark.map(|mark| Place {
                start: mark + 1,
                end,
            }),
            lines,
            view: OnceLock::new(),
            changed: None,
        }
    }

    fn part(&self, place: Place) -> &str {
        let (start, end) = (usize::from(place.start), usize::from(place.end));
        self.text.get(start..end).unwrap_or_default()
    }

    #[inline]
    fn is_named(&self, line: Line, name: &str) -> bool {
        // Most differ in length already.
        usize::from(line.name.end - line.name.start) == name.len()
            && self.part(line.name).eq_ignore_ascii_case(name)
    }

    pub(super) fn path(&self) -> &str {
        self.part(self.path)
    }

    pub(super) fn query(&self) -> Option<&str> {
        self.query.map(|query| self.part(query))
    }

    /// Path and query.
    pub(super) fn target(&self) -> &str {
        let end = self.query.unwrap_or(self.path).end;
        let start = self.path.start;
        self.part(Place { start, end })
    }

    /// Whether the lines are the headers: nobody has changed them.
    pub(super) fn is_as_sent(&self) -> bool {
        self.changed.is_none()
    }

    /// The first value of a header, as it was sent.
    pub(super) fn first(&self, name: &str) -> Option<&str> {
        let line = self.lines.iter().find(|line| self.is_named(**line, name))?;
        Some(self.part(line.value))
    }

    /// The values of a header in their order, as they were sent.
    pub(super) fn values<'h>(&'h self, name: &str) -> impl DoubleEndedIterator<Item = &'h str> {
        let lines = self.lines.iter();
        lines
            .filter(move |line| self.is_named(**line, name))
            .map(|line| self.part(line.value))
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
        let mut map = HeaderMap::with_capacity(self.lines.len());
        for line in &self.lines {
            let name = HeaderName::from_bytes(self.part(line.name).as_bytes());
            let value = HeaderValue::from_str(self.part(line.value));
            // The parser takes no name and no value that these do not.
            if let (Ok(name), Ok(value)) = (name, value) {
                map.append(name, value);
            }
        }
        map
    }
}
