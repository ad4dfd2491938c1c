//! The preconditions of a request, in the order of RFC 9110, section 13.2.2.

use http::header::{HeaderName, IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_UNMODIFIED_SINCE};
use http::{Method, StatusCode};

use super::date::parse_date_bytes;
use super::etag::{ETag, list_items, strong_match, weak_match};
use super::validators::Validators;
use crate::head::Head;
use crate::rejection::Rejection;
use crate::request::Request;
use crate::response::Response;

/// The preconditions of a request: `If-Match`, `If-None-Match`, `If-Modified-Since` and
/// `If-Unmodified-Since`.
///
/// They are evaluated automatically for responses to GET and HEAD with an entity tag or a modification
/// date. A handler that changes something evaluates them before it does, so that of two clients that
/// have read the same version only one can write.
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
///         // 428 without a precondition, 412 if another client was faster.
///         request.preconditions().require(current)?;
///         Ok(Response::no_content().etag(ETag::strong("v8")))
///     }
/// }
/// ```
///
/// An item of a list that is not an entity tag matches nothing, and a malformed date is ignored.
#[derive(Debug, Clone, Copy)]
pub struct Preconditions<'r> {
    head: &'r Head,
}

/// The outcome of evaluating preconditions.
///
/// ```
/// use innkeeper_rest::{ETag, Head, Method, PreconditionOutcome, Request};
///
/// let request = Request::new(Head::new(Method::GET, "/"), "");
/// let outcome = request.preconditions().evaluate(ETag::strong("v7"));
/// assert_eq!(outcome, PreconditionOutcome::Proceed);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PreconditionOutcome {
    /// The request is handled as usual.
    Proceed,
    /// The client has the current version: 304.
    NotModified,
    /// A precondition does not hold: 412.
    Failed,
}

/// The validators of the current version, borrowed.
struct CurrentVersion<'v> {
    etag: Option<&'v ETag>,
    modified: Option<std::time::SystemTime>,
    exists: bool,
}

impl Head {
    /// Returns the preconditions of the request, as
    /// [`Request::preconditions`](crate::Request::preconditions) does.
    pub fn preconditions(&self) -> Preconditions<'_> {
        Preconditions::new(self)
    }
}

impl Request {
    /// Returns the conditions of the request, to be evaluated before something is changed.
    pub fn preconditions(&self) -> Preconditions<'_> {
        Preconditions::new(self.head())
    }
}

impl<'r> Preconditions<'r> {
    pub(super) fn new(head: &'r Head) -> Self {
        Self { head }
    }

    /// Evaluates the preconditions against the current version.
    pub fn evaluate(self, current: impl Into<Validators>) -> PreconditionOutcome {
        let current = current.into();
        self.compare(&CurrentVersion {
            etag: current.etag.as_ref(),
            modified: current.modified,
            exists: current.exists,
        })
    }

    /// Evaluates the preconditions against an entity tag, without cloning it.
    ///
    /// ```
    /// use innkeeper_rest::{ETag, Head, HeaderName, HeaderValue, Method, PreconditionOutcome};
    ///
    /// let tag = ETag::strong("v7");
    /// let known = HeaderValue::from_static("\"v7\"");
    /// let head = Head::new(Method::GET, "/").with_header(HeaderName::from_static("if-none-match"), known);
    /// let outcome = head.preconditions().evaluate_tag(&tag);
    /// assert_eq!(outcome, PreconditionOutcome::NotModified);
    /// ```
    pub fn evaluate_tag(self, current: &ETag) -> PreconditionOutcome {
        self.compare(&CurrentVersion {
            etag: Some(current),
            modified: None,
            exists: true,
        })
    }

    fn compare(self, current: &CurrentVersion<'_>) -> PreconditionOutcome {
        let is_read = matches!(*self.head.method(), Method::GET | Method::HEAD);
        match self.any_tag(&IF_MATCH, current, strong_match) {
            Some(true) => {}
            Some(false) => return PreconditionOutcome::Failed,
            None => {
                if let Some(modified) = current.modified
                    && let Some(date) = self.date(&IF_UNMODIFIED_SINCE)
                    && modified > date
                {
                    return PreconditionOutcome::Failed;
                }
            }
        }
        match self.any_tag(&IF_NONE_MATCH, current, weak_match) {
            Some(false) => return PreconditionOutcome::Proceed,
            Some(true) if is_read => return PreconditionOutcome::NotModified,
            Some(true) => return PreconditionOutcome::Failed,
            None => {}
        }
        if is_read
            && let Some(modified) = current.modified
            && let Some(date) = self.date(&IF_MODIFIED_SINCE)
            && modified <= date
        {
            return PreconditionOutcome::NotModified;
        }
        PreconditionOutcome::Proceed
    }

    /// Evaluates the preconditions, for handlers that change something.
    ///
    /// # Errors
    ///
    /// Fails with 412 if a precondition does not hold.
    pub fn check(self, current: impl Into<Validators>) -> Result<(), Rejection> {
        match self.evaluate(current) {
            PreconditionOutcome::Proceed | PreconditionOutcome::NotModified => Ok(()),
            PreconditionOutcome::Failed => Err(Rejection::precondition_failed()),
        }
    }

    /// Evaluates the preconditions, for handlers that change something only if the client has seen the
    /// current version.
    ///
    /// # Errors
    ///
    /// Fails with 412 if a precondition does not hold, and with 428 if the request has none.
    pub fn require(self, current: impl Into<Validators>) -> Result<(), Rejection> {
        let is_conditional = self.has(&IF_MATCH)
            || self.date(&IF_UNMODIFIED_SINCE).is_some()
            || self.has(&IF_NONE_MATCH);
        if !is_conditional {
            return Err(Rejection::precondition_required());
        }
        self.check(current)
    }

    /// Returns the response that the preconditions demand, 304 or 412; `None` to handle the request as
    /// usual. For handlers that know the version before they make the content.
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
            PreconditionOutcome::Proceed => None,
            PreconditionOutcome::NotModified => {
                let mut response = Response::not_modified();
                if let Some(etag) = current.etag {
                    response = response.etag(etag);
                }
                if let Some(modified) = current.modified {
                    response = response.last_modified(modified);
                }
                Some(response)
            }
            PreconditionOutcome::Failed => {
                Some(Response::rejected(Rejection::precondition_failed()))
            }
        }
    }

    fn has(self, name: &HeaderName) -> bool {
        self.head.has_header(name)
    }

    /// Whether a list of tags contains that of the current version; `*` matches any version. `None`
    /// without the header.
    fn any_tag(
        self,
        name: &HeaderName,
        current: &CurrentVersion<'_>,
        matches: fn(&[u8], &ETag) -> bool,
    ) -> Option<bool> {
        let is_tag = |text: &[u8]| current.etag.is_some_and(|tag| matches(text, tag));
        let mut lines = self.head.header_values(name);
        let first = lines.next()?;
        // Most clients send a single tag; only a list has to be split.
        if is_tag(first) {
            return Some(true);
        }
        let mut items = std::iter::once(first).chain(lines).flat_map(list_items);
        Some(items.any(|item| (item == b"*" && current.exists) || is_tag(item)))
    }

    /// Returns the date of a header that occurs exactly once.
    fn date(self, name: &HeaderName) -> Option<std::time::SystemTime> {
        let mut lines = self.head.header_values(name);
        let date = parse_date_bytes(lines.next()?)?;
        lines.next().is_none().then_some(date)
    }
}

impl Rejection {
    /// Makes a 412: a precondition of the request does not hold.
    pub fn precondition_failed() -> Self {
        Self::new(
            StatusCode::PRECONDITION_FAILED,
            "precondition_failed",
            "the resource has changed since you read it",
        )
    }

    /// Makes a 428: the request must have a precondition.
    pub fn precondition_required() -> Self {
        Self::new(
            StatusCode::PRECONDITION_REQUIRED,
            "precondition_required",
            "send `If-Match` with the version that you have read",
        )
    }
}
