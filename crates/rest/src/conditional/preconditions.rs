//! The conditions of a request, in the order of RFC 9110, section 13.2.2.

use http::header::{HeaderName, IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_UNMODIFIED_SINCE};
use http::{Method, StatusCode};

use super::date::read_date;
use super::etag::{ETag, members, strong_match, weak_match};
use super::validators::Validators;
use crate::head::Head;
use crate::rejection::Rejection;
use crate::response::Response;

/// The conditions that a request makes: `If-Match`, `If-None-Match`, `If-Modified-Since` and
/// `If-Unmodified-Since`.
///
/// Answers to GET and HEAD with an entity tag or a date are compared by themselves. A handler that
/// changes something compares before it does: two clients that have read the same version cannot
/// both write then.
///
/// ```
/// use innkeeper_rest::{ETag, Rejection, Request, Response, resource};
///
/// struct Notes;
///
/// #[resource("/notes")]
/// impl Notes {
///     #[put("/{id}")]
///     fn replace(&self, id: u64, text: String, #[request] request: &Request) -> Result<Response, Rejection> {
///         let current = ETag::strong("v7");
///         // 428 without a condition, 412 if somebody else was faster.
///         request.preconditions().require(current)?;
///         Ok(Response::no_content().etag(ETag::strong("v8")))
///     }
/// }
/// ```
///
/// A member of a list that is no entity tag matches nothing, and a date that is none is no condition.
#[derive(Debug, Clone, Copy)]
pub struct Preconditions<'r> {
    head: &'r Head,
}

/// What the conditions of a request ask for.
///
/// ```
/// use innkeeper_rest::{ETag, Head, Method, Request, Verdict};
///
/// let request = Request::new(Head::new(Method::GET, "/"), "");
/// let verdict = request.preconditions().evaluate(ETag::strong("v7"));
/// assert_eq!(verdict, Verdict::Proceed);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The request is to be done.
    Proceed,
    /// The client has it already: 304.
    NotModified,
    /// It is not what the client thinks it is: 412.
    Failed,
}

/// What is known of the current version.
struct Current<'v> {
    etag: Option<&'v ETag>,
    modified: Option<std::time::SystemTime>,
    exists: bool,
}

impl<'r> Preconditions<'r> {
    pub(crate) fn of(head: &'r Head) -> Self {
        Self { head }
    }

    /// Compares with the current version.
    pub fn evaluate(self, current: impl Into<Validators>) -> Verdict {
        let current = current.into();
        self.compare(&Current {
            etag: current.etag.as_ref(),
            modified: current.modified,
            exists: current.exists,
        })
    }

    /// Compares with the current version when its entity tag is all there is, without a copy of it.
    ///
    /// ```
    /// use innkeeper_rest::{ETag, Head, HeaderName, HeaderValue, Method, Verdict};
    ///
    /// let tag = ETag::strong("v7");
    /// let known = HeaderValue::from_static("\"v7\"");
    /// let head = Head::new(Method::GET, "/").with_header(HeaderName::from_static("if-none-match"), known);
    /// assert_eq!(head.preconditions().evaluate_tag(&tag), Verdict::NotModified);
    /// ```
    pub fn evaluate_tag(self, current: &ETag) -> Verdict {
        self.compare(&Current {
            etag: Some(current),
            modified: None,
            exists: true,
        })
    }

    fn compare(self, current: &Current<'_>) -> Verdict {
        let reads = matches!(*self.head.method(), Method::GET | Method::HEAD);
        match self.any_tag(&IF_MATCH, current, strong_match) {
            Some(true) => {}
            Some(false) => return Verdict::Failed,
            None => {
                if let Some(modified) = current.modified
                    && let Some(date) = self.date(&IF_UNMODIFIED_SINCE)
                    && modified > date
                {
                    return Verdict::Failed;
                }
            }
        }
        match self.any_tag(&IF_NONE_MATCH, current, weak_match) {
            Some(false) => return Verdict::Proceed,
            Some(true) if reads => return Verdict::NotModified,
            Some(true) => return Verdict::Failed,
            None => {}
        }
        if reads
            && let Some(modified) = current.modified
            && let Some(date) = self.date(&IF_MODIFIED_SINCE)
            && modified <= date
        {
            return Verdict::NotModified;
        }
        Verdict::Proceed
    }

    /// Refuses with 412 what the conditions forbid. For handlers that change something.
    pub fn check(self, current: impl Into<Validators>) -> Result<(), Rejection> {
        match self.evaluate(current) {
            Verdict::Proceed | Verdict::NotModified => Ok(()),
            Verdict::Failed => Err(Rejection::precondition_failed()),
        }
    }

    /// The same, and refuses with 428 a request that makes no condition at all. For handlers that
    /// change nothing of which the client has not seen the current version.
    pub fn require(self, current: impl Into<Validators>) -> Result<(), Rejection> {
        let guarded = self.has(&IF_MATCH)
            || self.date(&IF_UNMODIFIED_SINCE).is_some()
            || self.has(&IF_NONE_MATCH);
        if !guarded {
            return Err(Rejection::precondition_required());
        }
        self.check(current)
    }

    /// The answer, if the conditions make another one needless: 304 or 412. For handlers that know
    /// the version before they have made what they send.
    ///
    /// ```
    /// use innkeeper_rest::{ETag, Request, Response, resource};
    ///
    /// struct Reports;
    ///
    /// #[resource("/reports")]
    /// impl Reports {
    ///     #[get]
    ///     fn latest(&self, #[request] request: &Request) -> Response {
    ///         let version = ETag::strong("2026-11");
    ///         if let Some(answer) = request.preconditions().answer(&version) {
    ///             return answer;
    ///         }
    ///         Response::ok().etag(version).body("a long report")
    ///     }
    /// }
    /// ```
    pub fn answer(self, current: impl Into<Validators>) -> Option<Response> {
        let current = current.into();
        match self.evaluate(&current) {
            Verdict::Proceed => None,
            Verdict::NotModified => {
                let mut response = Response::not_modified();
                if let Some(etag) = current.etag {
                    response = response.etag(etag);
                }
                if let Some(modified) = current.modified {
                    response = response.last_modified(modified);
                }
                Some(response)
            }
            Verdict::Failed => Some(Response::rejected(Rejection::precondition_failed())),
        }
    }

    fn has(self, name: &HeaderName) -> bool {
        self.head.has_header(name)
    }

    /// Whether one of the tags is that of the current version; `*` is that of any. None without the
    /// header.
    fn any_tag(
        self,
        name: &HeaderName,
        current: &Current<'_>,
        same: fn(&[u8], &ETag) -> bool,
    ) -> Option<bool> {
        let is_tag = |text: &[u8]| current.etag.is_some_and(|tag| same(text, tag));
        let mut lines = self.head.header_values(name);
        let first = lines.next()?;
        // Most clients send the one tag they have; only a list has to be taken apart.
        if is_tag(first) {
            return Some(true);
        }
        let mut members = std::iter::once(first).chain(lines).flat_map(members);
        Some(members.any(|member| (member == b"*" && current.exists) || is_tag(member)))
    }

    /// The date of a header, if it is there once and is one.
    fn date(self, name: &HeaderName) -> Option<std::time::SystemTime> {
        let mut lines = self.head.header_values(name);
        let date = read_date(lines.next()?)?;
        lines.next().is_none().then_some(date)
    }
}

impl Rejection {
    /// 412: a condition of the request does not hold.
    pub fn precondition_failed() -> Self {
        Self::new(
            StatusCode::PRECONDITION_FAILED,
            "precondition_failed",
            "it has changed since you have read it",
        )
    }

    /// 428: the request must say which version it is about.
    pub fn precondition_required() -> Self {
        Self::new(
            StatusCode::PRECONDITION_REQUIRED,
            "precondition_required",
            "say with `If-Match` which version you have read",
        )
    }
}
