//! The headers of a response: a list that is cheap to add to and to send, and a map for those who ask for
//! one.

use std::cell::OnceCell;
use std::fmt;
use std::sync::Arc;

use http::header::{
    CONNECTION, CONTENT_LENGTH, DATE, HeaderMap, HeaderName, HeaderValue, TRANSFER_ENCODING, VARY,
};

use super::names::{Name, Names};
use crate::spare;

type Field = (HeaderName, HeaderValue);

/// Room for what handlers and filters usually set: growing step by step costs more than room.
const USUAL: usize = 12;

/// Headers that many responses share, written once.
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
pub struct ReadyHeaders(Arc<Ready>);

struct Ready {
    fields: Vec<Field>,
    /// The same as they are sent, if that is the same for every response.
    lines: Option<Vec<u8>>,
    names: Names,
    /// The names in `Vary`.
    varies: Names,
}

pub(crate) static VARYING: Name = Name::known("vary");

impl ReadyHeaders {
    /// Keeps these headers.
    pub fn new(headers: HeaderMap) -> Self {
        let fields = listed(headers);
        // These depend on the body, the connection or the time.
        let depends = |name: &HeaderName| {
            [CONTENT_LENGTH, TRANSFER_ENCODING, CONNECTION, DATE].contains(name)
        };
        let fixed = !fields.iter().any(|(name, _)| depends(name));
        let lines = fixed.then(|| {
            let mut lines = Vec::new();
            for (name, value) in &fields {
                push_line(&mut lines, name, value.as_bytes());
            }
            lines
        });
        let names = Names::of(fields.iter().map(|(name, _)| name));
        let varying = fields.iter().filter(|(name, _)| *name == VARY);
        let varies = varying.map(|(_, value)| Names::listed(value.as_bytes()));
        let varies = varies.fold(Names::default(), Names::with);
        Self(Arc::new(Ready {
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
pub(crate) struct Fields {
    ready: Option<ReadyHeaders>,
    list: Vec<Field>,
    /// The names of both.
    names: Names,
    /// Lines as they are sent, and the names in them.
    lines: Lines,
    in_lines: Names,
    /// All of the above for those who read a map, until something changes.
    view: OnceCell<Box<HeaderMap>>,
    /// Instead of all of the above, once somebody wants to change a map.
    map: Option<Box<HeaderMap>>,
}

/// Lines, in room that is lent.
#[derive(Default)]
struct Lines(Vec<u8>);

impl Drop for Lines {
    fn drop(&mut self) {
        spare::give_back(std::mem::take(&mut self.0));
    }
}

impl Fields {
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

    /// All of them in a map.
    pub(super) fn map(&self) -> &HeaderMap {
        match &self.map {
            Some(map) => map,
            None => self.view.get_or_init(|| Box::new(self.mapped())),
        }
    }

    /// All of them in a map, to be changed.
    pub(super) fn map_mut(&mut self) -> &mut HeaderMap {
        let map = match (self.map.take(), self.view.take()) {
            (Some(map), _) | (None, Some(map)) => map,
            (None, None) => Box::new(self.mapped()),
        };
        self.ready = None;
        self.list.clear();
        self.names = Names::default();
        self.lines.0.clear();
        self.in_lines = Names::default();
        self.map.insert(map)
    }

    pub(crate) fn into_map(mut self) -> HeaderMap {
        std::mem::take(self.map_mut())
    }

    fn mapped(&self) -> HeaderMap {
        let mut map = HeaderMap::with_capacity(2 * USUAL);
        for (name, value) in self.listed() {
            map.append(name.clone(), value.clone());
        }
        for (name, value) in read_lines(&self.lines.0) {
            map.append(name, value);
        }
        map
    }

    /// Whether a header may be among those that are only lines.
    fn may_be_line(&self, name: &HeaderName) -> bool {
        self.in_lines.may_have(name)
    }

    /// Those that are in no map, and no lines.
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

    /// The same for a name that is asked for often.
    pub(crate) fn has(&self, name: &Name) -> bool {
        if self.map.is_none()
            && let Some(known) = self.names.with(self.in_lines).know(name)
        {
            return known;
        }
        self.contains(name.as_header())
    }

    /// Whether a header has a value of some kind.
    pub(crate) fn any(&self, name: &Name, mut is: impl FnMut(&HeaderValue) -> bool) -> bool {
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

    /// Whether `Vary` has a name, or the star that stands for all.
    pub(crate) fn varies_by(&self, name: &Name) -> bool {
        if self.map.is_none()
            && self.list.is_empty()
            && self.in_lines.know(&VARYING) == Some(false)
            && let Some(ready) = &self.ready
            && let Some(known) = ready.0.varies.know(name)
        {
            return known;
        }
        let name = name.as_header().as_str();
        self.any(&VARYING, |line| {
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
        // Lines come last, so one of the same name would be out of order.
        if self.map.is_some() || self.may_be_line(&name) {
            self.map_mut().append(name, value);
        } else {
            self.push(name, value);
        }
    }

    /// Adds lines as they are sent; the names are those of the lines.
    pub(crate) fn append_lines(&mut self, names: Names, write: impl FnOnce(&mut Vec<u8>)) {
        if let Some(map) = &mut self.map {
            let mut lines = Vec::new();
            write(&mut lines);
            for (name, value) in read_lines(&lines) {
                map.append(name, value);
            }
            return;
        }
        if self.lines.0.capacity() == 0 {
            self.lines.0 = spare::take();
        }
        write(&mut self.lines.0);
        self.in_lines = self.in_lines.with(names);
        self.view.take();
    }

    /// Sets a header unless it is set.
    pub(crate) fn insert_if_absent(&mut self, name: HeaderName, value: HeaderValue) {
        if !self.contains(&name) {
            self.append(name, value);
        }
    }

    pub(crate) fn remove(&mut self, name: &HeaderName) {
        if !self.contains(name) {
            return;
        }
        if self.map.is_some() || self.is_fixed(name) {
            self.map_mut().remove(name);
        } else {
            self.list.retain(|(known, _)| known != name);
            self.names = Names::of(self.list.iter().map(|(known, _)| known));
            if let Some(ready) = &self.ready {
                self.names = self.names.with(ready.0.names);
            }
            self.view.take();
        }
    }

    /// Whether a header is among those that cannot be changed one by one.
    fn is_fixed(&self, name: &HeaderName) -> bool {
        self.may_be_line(name) || self.ready.as_ref().is_some_and(|ready| ready.has(name))
    }

    fn push(&mut self, name: HeaderName, value: HeaderValue) {
        if self.list.capacity() == 0 {
            self.list.reserve(USUAL);
        }
        self.names.add(&name);
        self.list.push((name, value));
        self.view.take();
    }

    /// Writes the lines that are the same for every response, and has the others written one by one.
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
            Some(Ready {
                lines: Some(lines), ..
            }) => out.extend_from_slice(lines),
            Some(Ready { fields, .. }) => {
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

/// The headers of lines that were written here.
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

/// Writes one header as HTTP/1.1 has it.
pub(crate) fn push_line(out: &mut Vec<u8>, name: &HeaderName, value: &[u8]) {
    let name = name.as_str().as_bytes();
    out.reserve(name.len() + value.len() + 4);
    out.extend_from_slice(name);
    out.extend_from_slice(b": ");
    out.extend_from_slice(value);
    out.extend_from_slice(b"\r\n");
}

/// The headers of a map one by one; of several with one name only the first is given it.
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
