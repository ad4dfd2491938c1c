//! The headers of a response: a list that is cheap to add to and to send, and a map for those who ask for
//! one.

use std::cell::OnceCell;
use std::fmt;
use std::sync::Arc;

use http::header::{
    CONNECTION, CONTENT_LENGTH, DATE, HeaderMap, HeaderName, HeaderValue, TRANSFER_ENCODING,
};

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
}

/// Which names there may be: most questions are about names that there are not.
#[derive(Default, Clone, Copy)]
struct Names(u64);

impl Names {
    fn bit(name: &HeaderName) -> u64 {
        let name = name.as_str().as_bytes();
        let middle = name.get(name.len() / 2).copied().unwrap_or_default();
        1 << ((name.len() ^ usize::from(middle) << 1) % 64)
    }

    fn add(&mut self, name: &HeaderName) {
        self.0 |= Self::bit(name);
    }

    fn may_have(self, name: &HeaderName) -> bool {
        self.0 & Self::bit(name) != 0
    }
}

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
                push_line(&mut lines, name, value);
            }
            lines
        });
        let mut names = Names::default();
        for (name, _) in &fields {
            names.add(name);
        }
        Self(Arc::new(Ready {
            fields,
            lines,
            names,
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
    /// All of the above for those who read a map, until something changes.
    view: OnceCell<Box<HeaderMap>>,
    /// Instead of all of the above, once somebody wants to change a map.
    map: Option<Box<HeaderMap>>,
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
            None => self.view.get_or_init(|| self.mapped()),
        }
    }

    /// All of them in a map, to be changed.
    pub(super) fn map_mut(&mut self) -> &mut HeaderMap {
        let map = match (self.map.take(), self.view.take()) {
            (Some(map), _) | (None, Some(map)) => map,
            (None, None) => self.mapped(),
        };
        self.ready = None;
        self.list.clear();
        self.map.insert(map)
    }

    pub(crate) fn into_map(mut self) -> HeaderMap {
        std::mem::take(self.map_mut())
    }

    fn mapped(&self) -> Box<HeaderMap> {
        let mut map = HeaderMap::with_capacity(2 * USUAL);
        for (name, value) in self.listed() {
            map.append(name.clone(), value.clone());
        }
        Box::new(map)
    }

    /// Those that are in no map.
    fn listed(&self) -> impl Iterator<Item = &Field> {
        let ready = self.ready.as_ref().map(|ready| ready.0.fields.as_slice());
        ready.unwrap_or_default().iter().chain(&self.list)
    }

    pub(crate) fn get(&self, name: &HeaderName) -> Option<&HeaderValue> {
        match &self.map {
            Some(map) => map.get(name),
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

    /// The values of a header, in their order.
    pub(crate) fn all<'a>(&'a self, name: &'a HeaderName) -> impl Iterator<Item = &'a HeaderValue> {
        let mapped = self.map.as_ref().map(|map| map.get_all(name).iter());
        // There is nothing in the list when there is a map.
        let has_some = self.names.may_have(name);
        let listed = self
            .listed()
            .filter(move |(known, _)| has_some && known == name);
        mapped
            .into_iter()
            .flatten()
            .chain(listed.map(|(_, value)| value))
    }

    /// Sets a header, replacing those of the same name.
    pub(crate) fn insert(&mut self, name: HeaderName, value: HeaderValue) {
        if self.map.is_some() || self.is_ready(&name) {
            self.map_mut().insert(name, value);
            return;
        }
        if self.contains(&name) {
            self.list.retain(|(known, _)| *known != name);
        }
        self.push(name, value);
    }

    /// Sets a header, keeping those of the same name.
    pub(crate) fn append(&mut self, name: HeaderName, value: HeaderValue) {
        match &mut self.map {
            Some(map) => {
                map.append(name, value);
            }
            None => self.push(name, value),
        }
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
        if self.map.is_some() || self.is_ready(name) {
            self.map_mut().remove(name);
        } else {
            self.list.retain(|(known, _)| known != name);
            self.view.take();
        }
    }

    fn is_ready(&self, name: &HeaderName) -> bool {
        self.ready.as_ref().is_some_and(|ready| ready.has(name))
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
    }
}

/// Writes one header as HTTP/1.1 has it.
pub(crate) fn push_line(out: &mut Vec<u8>, name: &HeaderName, value: &HeaderValue) {
    let (name, value) = (name.as_str().as_bytes(), value.as_bytes());
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
