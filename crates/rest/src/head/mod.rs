//! The request head: what a request says before its body.
//!
//! Handlers, filters and generated code ask a [`Head`] for the method, the path, the query and single
//! headers. They never see the type a transport parsed the request into, so a transport may keep the
//! head in whatever form is cheapest for it.

mod wire;

use http::header::{AsHeaderName, HeaderMap, HeaderName, HeaderValue};
use http::{Method, Version};

use crate::conditional::Preconditions;
pub(crate) use wire::{Line, Place, Room, Wire};

/// A view of the request line and the headers.
///
/// ```
/// use innkeeper_rest::{Head, Method};
///
/// let head = Head::new(Method::GET, "/users/7?page=2");
/// assert_eq!(head.path(), "/users/7");
/// assert_eq!(head.query(), Some("page=2"));
/// assert!(head.header("accept").is_none());
/// ```
#[derive(Debug, Clone)]
pub struct Head(Repr);

/// One variant per transport. Only ours is not in memory of its own: a head is moved a few times.
#[derive(Debug, Clone)]
enum Repr {
    /// Parsed by hyper.
    Hyper(Box<http::request::Parts>),
    /// Parsed by our own transport.
    Wire(Wire),
    /// Written down by hand: the in-process client, and tests of filters and formats.
    Plain(Box<Plain>),
}

#[derive(Debug, Clone)]
struct Plain {
    method: Method,
    target: String,
    headers: HeaderMap,
}

impl Head {
    /// A head with this method and target (path and query) and no headers.
    pub fn new(method: Method, target: impl Into<String>) -> Self {
        Self(Repr::Plain(Box::new(Plain {
            method,
            target: target.into(),
            headers: HeaderMap::new(),
        })))
    }

    pub(crate) fn from_hyper(parts: http::request::Parts) -> Self {
        Self(Repr::Hyper(Box::new(parts)))
    }

    pub(crate) fn from_wire(wire: Wire) -> Self {
        Self(Repr::Wire(wire))
    }

    /// Adds a header, keeping those of the same name.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers_mut().append(name, value);
        self
    }

    /// The request method.
    pub fn method(&self) -> &Method {
        match &self.0 {
            Repr::Hyper(parts) => &parts.method,
            Repr::Wire(wire) => &wire.method,
            Repr::Plain(plain) => &plain.method,
        }
    }

    /// The path as it was sent: percent escapes are not decoded.
    pub fn path(&self) -> &str {
        match &self.0 {
            Repr::Hyper(parts) => parts.uri.path(),
            Repr::Wire(wire) => wire.path(),
            Repr::Plain(plain) => path_of(&plain.target),
        }
    }

    /// The query without its question mark, as it was sent.
    pub fn query(&self) -> Option<&str> {
        match &self.0 {
            Repr::Hyper(parts) => parts.uri.query(),
            Repr::Wire(wire) => wire.query(),
            Repr::Plain(plain) => query_of(&plain.target),
        }
    }

    /// The first header with this name.
    pub fn header(&self, name: impl HeaderKey) -> Option<&HeaderValue> {
        if let Some(wire) = self.as_sent() {
            wire.first(name.text())?;
        }
        self.headers().get(name)
    }

    /// The first header with this name, if it is text.
    pub fn header_text(&self, name: impl HeaderKey) -> Option<&str> {
        match self.as_sent() {
            Some(wire) => wire.first(name.text()).filter(|text| text.is_ascii()),
            None => self.headers().get(name)?.to_str().ok(),
        }
    }

    /// Whether there is a header with this name.
    pub fn has_header(&self, name: impl HeaderKey) -> bool {
        match self.as_sent() {
            Some(wire) => wire.first(name.text()).is_some(),
            None => self.headers().contains_key(name),
        }
    }

    /// The values of a header in their order, as they were sent. Reading them here costs less than
    /// reading them from [`headers`](Self::headers).
    ///
    /// ```
    /// use innkeeper_rest::{Head, HeaderValue, Method};
    /// use http::header::TE;
    ///
    /// let head = Head::new(Method::GET, "/").with_header(TE, HeaderValue::from_static("gzip"));
    /// assert!(head.header_values(&TE).eq([b"gzip"]));
    /// ```
    pub fn header_values<'h>(
        &'h self,
        name: &HeaderName,
    ) -> impl DoubleEndedIterator<Item = &'h [u8]> {
        if let Some(wire) = self.as_sent() {
            return OneOf::Sent(wire.values(name.as_str()).map(str::as_bytes));
        }
        let kept = self.headers().get_all(name).iter();
        OneOf::Kept(kept.map(HeaderValue::as_bytes))
    }

    fn as_sent(&self) -> Option<&Wire> {
        match &self.0 {
            Repr::Wire(wire) if wire.is_as_sent() => Some(wire),
            _ => None,
        }
    }

    /// All headers.
    pub fn headers(&self) -> &HeaderMap {
        match &self.0 {
            Repr::Hyper(parts) => &parts.headers,
            Repr::Wire(wire) => wire.map(),
            Repr::Plain(plain) => &plain.headers,
        }
    }

    /// All headers, to be changed by a filter.
    pub fn headers_mut(&mut self) -> &mut HeaderMap {
        match &mut self.0 {
            Repr::Hyper(parts) => &mut parts.headers,
            Repr::Wire(wire) => wire.map_mut(),
            Repr::Plain(plain) => &mut plain.headers,
        }
    }

    /// The conditions that the request makes: see [`Request::preconditions`](crate::Request::preconditions).
    pub fn preconditions(&self) -> Preconditions<'_> {
        Preconditions::of(self)
    }

    /// The protocol version the request arrived with.
    pub fn version(&self) -> Version {
        match &self.0 {
            Repr::Hyper(parts) => parts.version,
            Repr::Wire(_) | Repr::Plain(_) => Version::HTTP_11,
        }
    }

    /// The host the client asked for, from the target or the `Host` header.
    pub fn host(&self) -> Option<&str> {
        if let Repr::Hyper(parts) = &self.0
            && let Some(authority) = parts.uri.authority()
        {
            return Some(authority.as_str());
        }
        self.header_text(http::header::HOST)
    }

    /// The head in the vocabulary of the `http` crate, for tower services and layers.
    pub(crate) fn into_parts(self) -> http::request::Parts {
        match self.0 {
            Repr::Hyper(parts) => *parts,
            Repr::Wire(mut wire) => {
                let headers = std::mem::take(wire.map_mut());
                parts(wire.method.clone(), wire.target(), headers)
            }
            Repr::Plain(plain) => parts(plain.method, &plain.target, plain.headers),
        }
    }
}

fn path_of(target: &str) -> &str {
    target.split_once('?').map_or(target, |(path, _)| path)
}

fn query_of(target: &str) -> Option<&str> {
    target.split_once('?').map(|(_, query)| query)
}

fn parts(method: Method, target: &str, headers: HeaderMap) -> http::request::Parts {
    let (mut parts, ()) = http::Request::new(()).into_parts();
    parts.method = method;
    parts.uri = target.parse().unwrap_or_default();
    parts.headers = headers;
    parts
}

/// The values of a header, from one place or the other.
enum OneOf<S, K> {
    Sent(S),
    Kept(K),
}

impl<T, S: Iterator<Item = T>, K: Iterator<Item = T>> Iterator for OneOf<S, K> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        match self {
            Self::Sent(values) => values.next(),
            Self::Kept(values) => values.next(),
        }
    }
}

impl<T, S, K> DoubleEndedIterator for OneOf<S, K>
where
    S: DoubleEndedIterator<Item = T>,
    K: DoubleEndedIterator<Item = T>,
{
    fn next_back(&mut self) -> Option<T> {
        match self {
            Self::Sent(values) => values.next_back(),
            Self::Kept(values) => values.next_back(),
        }
    }
}

/// The name of a header, to look it up by: a [`HeaderName`], or text in any case.
pub trait HeaderKey: AsHeaderName {
    /// The name as text.
    fn text(&self) -> &str;
}

impl HeaderKey for HeaderName {
    fn text(&self) -> &str {
        self.as_str()
    }
}

impl HeaderKey for &HeaderName {
    fn text(&self) -> &str {
        self.as_str()
    }
}

impl HeaderKey for &str {
    fn text(&self) -> &str {
        self
    }
}
