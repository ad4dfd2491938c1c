//! The headers of a response: a list that is cheap to append to and to send, and a map on demand.

use std::cell::OnceCell;
use std::fmt;
use std::sync::Arc;

use http::header::{
    CONNECTION, CONTENT_LENGTH, DATE, HeaderMap, HeaderName, HeaderValue, TRANSFER_ENCODING, VARY,
};

use super::header_names::{HeaderNameSet, IndexedName};
use crate::runtime::{recycle_buffer, take_buffer};

type Field = (HeaderName, HeaderValue);

/// Capacity for the headers that handlers and filters usually set: growing step by step costs more.
const USUAL_COUNT: usize = 12;

/// Headers that many responses share, encoded once.
///
/// ```
/// use innkeeper_rest::{HeaderValue, ReadyHeaders, Response};
///
/// let mut headers = http::HeaderMap::new();
/// headers.insert("x-shard", HeaderValue::from_static("3"));
/// let kept = ReadyHeaders::new(headers);
///
/// let response = Response::ok().with_headers(&kept).body("made before");
/// assert_eq!(response.headers()["x-shard"], "3");
/// ```
#[derive(Clone)]
pub struct ReadyHeaders(Arc<EncodedHeaders>);

struct EncodedHeaders {
    fields: Vec<Field>,
    /// The encoded lines, if they are the same for every response.
    lines: Option<Vec<u8>>,
    names: HeaderNameSet,
    /// The names in `Vary`.
    varies: HeaderNameSet,
}

pub(crate) static VARY_NAME: IndexedName = IndexedName::known("vary");

impl ReadyHeaders {
    /// Encodes these headers.
    pub fn new(headers: HeaderMap) -> Self {
        let fields = listed(headers);
        let fixed = !fields.iter().any(|(name, _)| is_variable(name));
        let lines = fixed.then(|| {
            let mut lines = Vec::new();
            for (name, value) in &fields {
                push_line(&mut lines, name, value.as_bytes());
            }
            lines
        });
        let names = HeaderNameSet::of(fields.iter().map(|(name, _)| name));
        let varying = fields.iter().filter(|(name, _)| *name == VARY);
        let varies = varying.map(|(_, value)| HeaderNameSet::listed(value.as_bytes()));
        let varies = varies.fold(HeaderNameSet::default(), HeaderNameSet::with);
        Self(Arc::new(EncodedHeaders {
            fields,
            lines,
            names,
            varies,
        }))
    }

    fn has(&self, name: &HeaderName) -> bool {
        self.0.names.may_have(name) && self.0.fields.iter().any(|(known, _)| known == name)
    }
}

impl fmt::Debug for ReadyHeaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map()
            .entries(self.0.fields.iter().map(|(name, value)| (name, value)))
            .finish()
    }
}

/// The headers of one response.
#[derive(Default)]
pub(crate) struct ResponseHeaders {
    ready: Option<ReadyHeaders>,
    list: Vec<Field>,
    /// The names in `ready` and `list`.
    names: HeaderNameSet,
    /// Encoded lines, and the names in them.
    lines: Lines,
    in_lines: HeaderNameSet,
    /// All of the above as a map, until something changes.
    view: OnceCell<Box<HeaderMap>>,
    /// Replaces all of the above once the headers are changed through a map.
    map: Option<Box<HeaderMap>>,
}

/// Encoded lines in a pooled buffer.
#[derive(Default)]
struct Lines(Vec<u8>);

impl Drop for Lines {
    fn drop(&mut self) {
        recycle_buffer(std::mem::take(&mut self.0));
    }
}

impl ResponseHeaders {
    pub(super) fn ready(headers: &ReadyHeaders) -> Self {
        Self {
            ready: Some(headers.clone()),
            names: headers.0.names,
            ..Self::default()
        }
    }

    pub(super) fn from_map(headers: HeaderMap) -> Self {
        Self {
            map: Some(Box::new(headers)),
            ..Self::default()
        }
    }

    /// Returns all headers in a map.
    pub(super) fn map(&self) -> &HeaderMap {
        match &self.map {
            Some(map) => map,
            None => self.view.get_or_init(|| Box::new(self.mapped())),
        }
    }

    /// Returns all headers in a map for changes.
    pub(super) fn map_mut(&mut self) -> &mut HeaderMap {
        let map = match (self.map.take(), self.view.take()) {
            (Some(map), _) | (None, Some(map)) => map,
            (None, None) => Box::new(self.mapped()),
        };
        self.ready = None;
        self.list.clear();
        self.names = HeaderNameSet::default();
        self.lines.0.clear();
        self.in_lines = HeaderNameSet::default();
        self.map.insert(map)
    }

    pub(crate) fn into_map(mut self) -> HeaderMap {
        std::mem::take(self.map_mut())
    }

    fn mapped(&self) -> HeaderMap {
        let mut map = HeaderMap::with_capacity(2 * USUAL_COUNT);
        for (name, value) in self.listed() {
            map.append(name.clone(), value.clone());
        }
        for (name, value) in read_lines(&self.lines.0) {
            map.append(name, value);
        }
        map
    }

    /// Whether a header may be among the encoded lines.
    fn may_be_line(&self, name: &HeaderName) -> bool {
        self.in_lines.may_have(name)
    }

    /// Returns the headers that are neither in a map nor encoded.
    fn listed(&self) -> impl Iterator<Item = &Field> {
        let ready = self.ready.as_ref().map(|ready| ready.0.fields.as_slice());
        ready.unwrap_or_default().iter().chain(&self.list)
    }

    pub(crate) fn get(&self, name: &HeaderName) -> Option<&HeaderValue> {
        match &self.map {
            Some(map) => map.get(name),
            None if self.may_be_line(name) => self.map().get(name),
            None if !self.names.may_have(name) => None,
            None => {
                let (_, value) = self.listed().find(|(known, _)| known == name)?;
                Some(value)
            }
        }
    }

    pub(crate) fn contains(&self, name: &HeaderName) -> bool {
        self.get(name).is_some()
    }

    /// Whether a header is set, for names that are looked up often.
    pub(crate) fn has(&self, name: &IndexedName) -> bool {
        if self.map.is_none()
            && let Some(known) = self.names.with(self.in_lines).knows(name)
        {
            return known;
        }
        self.contains(name.as_header())
    }

    /// Whether a header has a value that satisfies a condition.
    pub(crate) fn any(&self, name: &IndexedName, mut is: impl FnMut(&HeaderValue) -> bool) -> bool {
        if !self.has(name) {
            return false;
        }
        let name = name.as_header();
        if self.map.is_some() || self.may_be_line(name) {
            return self.map().get_all(name).iter().any(is);
        }
        let mut is = |(known, value): &Field| known == name && is(value);
        let ready = self.ready.as_ref();
        ready.is_some_and(|ready| ready.0.fields.iter().any(&mut is)) || self.list.iter().any(is)
    }

    /// Whether `Vary` contains a name, or the star that stands for all.
    pub(crate) fn varies_by(&self, name: &IndexedName) -> bool {
        if self.map.is_none()
            && self.list.is_empty()
            && self.in_lines.knows(&VARY_NAME) == Some(false)
            && let Some(ready) = &self.ready
            && let Some(known) = ready.0.varies.knows(name)
        {
            return known;
        }
        let name = name.as_header().as_str();
        self.any(&VARY_NAME, |line| {
            line.as_bytes().split(|byte| *byte == b',').any(|known| {
                let known = known.trim_ascii();
                known == b"*" || known.eq_ignore_ascii_case(name.as_bytes())
            })
        })
    }

    /// Sets a header, replacing those of the same name.
    pub(crate) fn insert(&mut self, name: HeaderName, value: HeaderValue) {
        if self.map.is_some() || self.is_fixed(&name) {
            self.map_mut().insert(name, value);
            return;
        }
        if self.names.may_have(&name) {
            self.list.retain(|(known, _)| *known != name);
        }
        self.push(name, value);
    }

    /// Sets a header, keeping those of the same name.
    pub(crate) fn append(&mut self, name: HeaderName, value: HeaderValue) {
        // Encoded lines are sent last, so this one would be out of order.
        if self.map.is_some() || self.may_be_line(&name) {
            self.map_mut().append(name, value);
        } else {
            self.push(name, value);
        }
    }

    /// Appends encoded lines, which have these names.
    pub(crate) fn append_lines(&mut self, names: HeaderNameSet, write: impl FnOnce(&mut Vec<u8>)) {
        if let Some(map) = &mut self.map {
            let mut lines = Vec::new();
            write(&mut lines);
            for (name, value) in read_lines(&lines) {
                map.append(name, value);
            }
            return;
        }
        if self.lines.0.capacity() == 0 {
            self.lines.0 = take_buffer();
        }
        write(&mut self.lines.0);
        self.in_lines = self.in_lines.with(names);
        self.view.take();
    }

    /// Sets a header unless it is already set.
    pub(crate) fn insert_if_absent(&mut self, name: HeaderName, value: HeaderValue) {
        if self.contains(&name) {
            return;
        }
        if self.can_be_line(&name, &value) {
            push_line(&mut self.lines.0, &name, value.as_bytes());
            self.in_lines.add(&name);
            self.view.take();
        } else {
            self.append(name, value);
        }
    }

    /// Whether a header can be encoded at once, which is cheapest where other lines are.
    fn can_be_line(&self, name: &HeaderName, value: &HeaderValue) -> bool {
        self.map.is_none() && !self.lines.0.is_empty() && !value.is_empty() && !is_variable(name)
    }

    pub(crate) fn remove(&mut self, name: &HeaderName) {
        if !self.contains(name) {
            return;
        }
        if self.map.is_some() || self.is_fixed(name) {
            self.map_mut().remove(name);
        } else {
            self.list.retain(|(known, _)| known != name);
            self.names = HeaderNameSet::of(self.list.iter().map(|(known, _)| known));
            if let Some(ready) = &self.ready {
                self.names = self.names.with(ready.0.names);
            }
            self.view.take();
        }
    }

    /// Whether a header is encoded, so that it cannot be changed alone.
    fn is_fixed(&self, name: &HeaderName) -> bool {
        self.may_be_line(name) || self.ready.as_ref().is_some_and(|ready| ready.has(name))
    }

    fn push(&mut self, name: HeaderName, value: HeaderValue) {
        if self.list.capacity() == 0 {
            self.list.reserve(USUAL_COUNT);
        }
        self.names.add(&name);
        self.list.push((name, value));
        self.view.take();
    }

    /// Writes all headers: encoded lines as they are, the others with a function.
    pub(crate) fn write(
        &self,
        out: &mut Vec<u8>,
        mut write: impl FnMut(&mut Vec<u8>, &HeaderName, &HeaderValue),
    ) {
        if let Some(map) = &self.map {
            for (name, value) in &**map {
                write(out, name, value);
            }
        }
        match self.ready.as_ref().map(|ready| &*ready.0) {
            Some(EncodedHeaders {
                lines: Some(lines), ..
            }) => out.extend_from_slice(lines),
            Some(EncodedHeaders { fields, .. }) => {
                for (name, value) in fields {
                    write(out, name, value);
                }
            }
            None => {}
        }
        for (name, value) in &self.list {
            write(out, name, value);
        }
        out.extend_from_slice(&self.lines.0);
    }
}

/// Whether a header depends on the body, the connection or the time, so that it is not encoded before it is sent.
fn is_variable(name: &HeaderName) -> bool {
    [CONTENT_LENGTH, TRANSFER_ENCODING, CONNECTION, DATE].contains(name)
}

/// Parses encoded lines, which were written here.
pub(crate) fn read_lines(lines: &[u8]) -> impl Iterator<Item = Field> {
    let lines = lines.split(|byte| *byte == b'\n');
    lines.filter_map(|line| read_line(line.trim_ascii_end()))
}

fn read_line(line: &[u8]) -> Option<(HeaderName, HeaderValue)> {
    let end = line.iter().position(|byte| *byte == b':')?;
    let (name, value) = line.split_at_checked(end)?;
    let name = HeaderName::from_bytes(name).ok()?;
    let value = HeaderValue::from_bytes(value.get(2..)?).ok()?;
    Some((name, value))
}

/// Writes a header as a line of HTTP/1.1.
pub(crate) fn push_line(out: &mut Vec<u8>, name: &HeaderName, value: &[u8]) {
    let name = name.as_str().as_bytes();
    out.reserve(name.len() + value.len() + 4);
    out.extend_from_slice(name);
    out.extend_from_slice(b": ");
    out.extend_from_slice(value);
    out.extend_from_slice(b"\r\n");
}

/// Returns the headers of a map one by one. The map names only the first of several values.
fn listed(headers: HeaderMap) -> Vec<Field> {
    let mut listed: Vec<Field> = Vec::with_capacity(headers.len());
    let mut last = None;
    for (name, value) in headers {
        if name.is_some() {
            last = name;
        }
        if let Some(name) = &last {
            listed.push((name.clone(), value));
        }
    }
    listed
}

#[cfg(test)]
mod tests;
