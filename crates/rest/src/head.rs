//! The request head: the request line and the headers.
//!
//! Handlers, filters and generated code read the method, the path, the query and headers from a
//! [`Head`]. They do not see the type that a transport parses the request into, so each transport keeps
//! the head in the form that is cheapest for it.

mod raw;

use http::header::{AsHeaderName, HeaderMap, HeaderName, HeaderValue};
use http::{Method, Version};

pub(crate) use raw::{HeaderSpans, RawHead, RawHeadBuffer, Span};

/// The request line and the headers of a request.
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

/// One variant per transport. Only that of the fast path is not boxed: a head is moved a few times.
#[derive(Debug, Clone)]
enum Repr {
    /// Parsed by hyper.
    Hyper(Box<http::request::Parts>),
    /// Parsed by the fast path for HTTP/1.1.
    Raw(RawHead),
    /// Built by code: the in-process client, and tests of filters and formats.
    Built(Box<BuiltHead>),
}

#[derive(Debug, Clone)]
struct BuiltHead {
    method: Method,
    target: String,
    headers: HeaderMap,
}

impl Head {
    /// Makes a head with this method and target (path and query), and without headers.
    pub fn new(method: Method, target: impl Into<String>) -> Self {
        Self(Repr::Built(Box::new(BuiltHead {
            method,
            target: target.into(),
            headers: HeaderMap::new(),
        })))
    }

    pub(crate) fn from_hyper(parts: http::request::Parts) -> Self {
        Self(Repr::Hyper(Box::new(parts)))
    }

    pub(crate) fn from_raw(raw: RawHead) -> Self {
        Self(Repr::Raw(raw))
    }

    /// Adds a header. Headers of the same name stay.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers_mut().append(name, value);
        self
    }

    /// Returns the request method.
    pub fn method(&self) -> &Method {
        match &self.0 {
            Repr::Hyper(parts) => &parts.method,
            Repr::Raw(raw) => &raw.method,
            Repr::Built(built) => &built.method,
        }
    }

    /// Returns the path as it was sent, with percent-encoding.
    pub fn path(&self) -> &str {
        match &self.0 {
            Repr::Hyper(parts) => parts.uri.path(),
            Repr::Raw(raw) => raw.path(),
            Repr::Built(built) => path_of(&built.target),
        }
    }

    /// Returns the query as it was sent, without the question mark.
    pub fn query(&self) -> Option<&str> {
        match &self.0 {
            Repr::Hyper(parts) => parts.uri.query(),
            Repr::Raw(raw) => raw.query(),
            Repr::Built(built) => query_of(&built.target),
        }
    }

    /// Returns the first value of a header.
    pub fn header(&self, name: impl HeaderKey) -> Option<&HeaderValue> {
        if let Some(raw) = self.unchanged_raw() {
            raw.first(name.text())?;
        }
        self.headers().get(name)
    }

    /// Returns the first value of a header, if it is ASCII.
    pub fn header_text(&self, name: impl HeaderKey) -> Option<&str> {
        match self.unchanged_raw() {
            Some(raw) => raw.first(name.text()).filter(|text| text.is_ascii()),
            None => self.headers().get(name)?.to_str().ok(),
        }
    }

    /// Whether the request has a header with this name.
    pub fn has_header(&self, name: impl HeaderKey) -> bool {
        match self.unchanged_raw() {
            Some(raw) => raw.first(name.text()).is_some(),
            None => self.headers().contains_key(name),
        }
    }

    /// Returns the values of a header in their order. This is cheaper than reading them from
    /// [`headers`](Self::headers).
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
        if let Some(raw) = self.unchanged_raw() {
            return EitherValues::Raw(raw.values(name.as_str()).map(str::as_bytes));
        }
        let values = self.headers().get_all(name).iter();
        EitherValues::Map(values.map(HeaderValue::as_bytes))
    }

    /// Returns the head of the fast path while its headers are unchanged.
    fn unchanged_raw(&self) -> Option<&RawHead> {
        match &self.0 {
            Repr::Raw(raw) if raw.is_unchanged() => Some(raw),
            _ => None,
        }
    }

    /// Returns all headers.
    pub fn headers(&self) -> &HeaderMap {
        match &self.0 {
            Repr::Hyper(parts) => &parts.headers,
            Repr::Raw(raw) => raw.map(),
            Repr::Built(built) => &built.headers,
        }
    }

    /// Returns all headers, for a filter to change.
    pub fn headers_mut(&mut self) -> &mut HeaderMap {
        match &mut self.0 {
            Repr::Hyper(parts) => &mut parts.headers,
            Repr::Raw(raw) => raw.map_mut(),
            Repr::Built(built) => &mut built.headers,
        }
    }

    /// Returns the version of HTTP.
    pub fn version(&self) -> Version {
        match &self.0 {
            Repr::Hyper(parts) => parts.version,
            Repr::Raw(_) | Repr::Built(_) => Version::HTTP_11,
        }
    }

    /// Returns the host that the request is for, from the target or the `Host` header.
    pub fn host(&self) -> Option<&str> {
        if let Repr::Hyper(parts) = &self.0
            && let Some(authority) = parts.uri.authority()
        {
            return Some(authority.as_str());
        }
        self.header_text(http::header::HOST)
    }

    /// Converts to the type of the `http` crate, for tower services and layers.
    pub(crate) fn into_parts(self) -> http::request::Parts {
        match self.0 {
            Repr::Hyper(parts) => *parts,
            Repr::Raw(mut raw) => {
                let headers = std::mem::take(raw.map_mut());
                parts(raw.method.clone(), raw.target(), headers)
            }
            Repr::Built(built) => parts(built.method, &built.target, built.headers),
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

/// The values of a header, from the received text or from a map.
enum EitherValues<R, M> {
    Raw(R),
    Map(M),
}

impl<T, R: Iterator<Item = T>, M: Iterator<Item = T>> Iterator for EitherValues<R, M> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        match self {
            Self::Raw(values) => values.next(),
            Self::Map(values) => values.next(),
        }
    }
}

impl<T, R, M> DoubleEndedIterator for EitherValues<R, M>
where
    R: DoubleEndedIterator<Item = T>,
    M: DoubleEndedIterator<Item = T>,
{
    fn next_back(&mut self) -> Option<T> {
        match self {
            Self::Raw(values) => values.next_back(),
            Self::Map(values) => values.next_back(),
        }
    }
}

/// A header name to look up: a [`HeaderName`], or a `&str` in any case.
pub trait HeaderKey: AsHeaderName {
    /// Returns the name as text.
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
