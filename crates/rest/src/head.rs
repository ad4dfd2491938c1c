//! The request head: what a request says before its body.
//!
//! Handlers, filters and generated code ask a [`Head`] for the method, the path, the query and single
//! headers. They never see the type a transport parsed the request into, so a transport may keep the
//! head in whatever form is cheapest for it.

use http::header::{AsHeaderName, HeaderMap, HeaderName, HeaderValue};
use http::{Method, Version};

use crate::conditional::Preconditions;

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

/// One variant per transport.
#[derive(Debug, Clone)]
enum Repr {
    /// Parsed by hyper.
    Hyper(http::request::Parts),
    /// Written down by hand: the in-process client, and tests of filters and formats.
    Plain(Plain),
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
        Self(Repr::Plain(Plain {
            method,
            target: target.into(),
            headers: HeaderMap::new(),
        }))
    }

    pub(crate) fn from_hyper(parts: http::request::Parts) -> Self {
        Self(Repr::Hyper(parts))
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
            Repr::Plain(plain) => &plain.method,
        }
    }

    /// The path as it was sent: percent escapes are not decoded.
    pub fn path(&self) -> &str {
        match &self.0 {
            Repr::Hyper(parts) => parts.uri.path(),
            Repr::Plain(plain) => plain.target.split('?').next().unwrap_or_default(),
        }
    }

    /// The query without its question mark, as it was sent.
    pub fn query(&self) -> Option<&str> {
        match &self.0 {
            Repr::Hyper(parts) => parts.uri.query(),
            Repr::Plain(plain) => plain.target.split_once('?').map(|(_, query)| query),
        }
    }

    /// The first header with this name.
    pub fn header(&self, name: impl AsHeaderName) -> Option<&HeaderValue> {
        self.headers().get(name)
    }

    /// The first header with this name, if it is text.
    pub fn header_text(&self, name: impl AsHeaderName) -> Option<&str> {
        self.header(name)?.to_str().ok()
    }

    /// All headers.
    pub fn headers(&self) -> &HeaderMap {
        match &self.0 {
            Repr::Hyper(parts) => &parts.headers,
            Repr::Plain(plain) => &plain.headers,
        }
    }

    /// All headers, to be changed by a filter.
    pub fn headers_mut(&mut self) -> &mut HeaderMap {
        match &mut self.0 {
            Repr::Hyper(parts) => &mut parts.headers,
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
            Repr::Plain(_) => Version::HTTP_11,
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
            Repr::Hyper(parts) => parts,
            Repr::Plain(plain) => {
                let (mut parts, ()) = http::Request::new(()).into_parts();
                parts.method = plain.method;
                parts.uri = plain.target.parse().unwrap_or_default();
                parts.headers = plain.headers;
                parts
            }
        }
    }
}
