//! The HTTP method of a route.

use std::fmt;

use http::Method;

/// An HTTP method.
///
/// ```
/// use innkeeper_rest::Verb;
///
/// assert_eq!(Verb::Get.as_str(), "GET");
/// assert_eq!(Verb::Other("QUERY").to_string(), "QUERY");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants are the methods")]
pub enum Verb {
    Get,
    Post,
    Put,
    Patch,
    Delete,
    Head,
    Options,
    /// Any other method, declared with `#[route(method = "…")]`.
    Other(&'static str),
}

impl Verb {
    /// The number of verbs that have an index.
    pub(crate) const COMMON: usize = 7;

    /// Returns the index of a common verb in a table of [`COMMON`](Self::COMMON) entries.
    pub(crate) fn index(self) -> Option<usize> {
        match self {
            Self::Get => Some(0),
            Self::Post => Some(1),
            Self::Put => Some(2),
            Self::Patch => Some(3),
            Self::Delete => Some(4),
            Self::Head => Some(5),
            Self::Options => Some(6),
            Self::Other(_) => None,
        }
    }

    /// Returns the index of a method in such a table.
    pub(crate) fn index_of(method: &Method) -> Option<usize> {
        Some(match *method {
            Method::GET => 0,
            Method::POST => 1,
            Method::PUT => 2,
            Method::PATCH => 3,
            Method::DELETE => 4,
            Method::HEAD => 5,
            Method::OPTIONS => 6,
            _ => return None,
        })
    }

    /// Returns the method as it is sent.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
            Self::Head => "HEAD",
            Self::Options => "OPTIONS",
            Self::Other(name) => name,
        }
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
