//! Responses: a status, headers, and an entity, a stream or bytes.

mod body;
mod build;
mod caching;
mod content_type;
mod header_names;
mod headers;
mod into_reply;
mod location;
mod payload;
mod reverse;
mod unnegotiated;

use std::fmt;
use std::future::Future;
use std::ops::Range;
use std::pin::Pin;

use http::StatusCode;
use http::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, VARY};

pub use body::ReplyBody;
pub(crate) use body::{ByteStream, MapChunks};
pub use build::IntoStatus;
pub(crate) use content_type::{BY_ACCEPT, ContentType, NO_CACHE, NOSNIFF};
pub use headers::ReadyHeaders;
pub(crate) use headers::{ResponseHeaders, VARY_NAME, push_line, read_lines};
pub use into_reply::{ApiError, IntoReply};
pub use location::{Location, LocationArgs, LocationPart, LocationValue};
pub use unnegotiated::Unnegotiated;

pub(crate) use header_names::{HeaderNameSet, IndexedName};
pub(crate) use payload::Payload;
pub use reverse::{LazyRegex, PathPart, PathValue, reverse_path};

use crate::events::EventStream;
use crate::rejection::Rejection;

/// A response: status, headers and content.
///
/// ```
/// use innkeeper_rest::Response;
///
/// let response = Response::created_at("/users/{id}", 7).header("x-shard", "3").entity("made");
/// assert_eq!(response.status_code(), 201);
/// assert_eq!(response.location(), Some("/users/7"));
/// ```
///
/// | Constructor | Status |
/// |---|---|
/// | [`ok`](Self::ok) | 200 |
/// | [`created`](Self::created), [`created_at`](Self::created_at) | 201 |
/// | [`accepted`](Self::accepted) | 202 |
/// | [`no_content`](Self::no_content) | 204 |
/// | [`see`](Self::see), [`see_at`](Self::see_at) | 302 |
/// | [`not_modified`](Self::not_modified) | 304 |
/// | [`not_found`](Self::not_found), [`not_found_with`](Self::not_found_with) | 404 |
/// | [`not_acceptable`](Self::not_acceptable), [`not_acceptable_with`](Self::not_acceptable_with) | 406 |
/// | [`error`](Self::error), [`error_with`](Self::error_with) | the given 4xx or 5xx |
/// | [`status`](Self::status) | the given code |
pub struct Response {
    /// Boxed, because a response is moved often.
    parts: Box<ResponseParts>,
}

struct ResponseParts {
    status: StatusCode,
    /// Kept apart from the other headers until a filter looks: nearly every response has one, and many
    /// have no other header.
    content_type: Option<ContentType>,
    fields: ResponseHeaders,
    location: Option<Box<Location>>,
    content: Content,
    /// Whether another `Accept` would have led to another response.
    vary: bool,
    /// Whether a tower service made it: it is sent without default headers.
    as_is: bool,
    pending: PendingChecks,
}

/// The checks against the request that are still to be done.
#[derive(Debug, Clone, Copy, Default)]
struct PendingChecks {
    /// Compare its conditions with the entity tag or date of the response.
    conditions: bool,
    /// Compare its ranges with the size of the content.
    ranges: bool,
}

/// The content of a response, before and after it is written.
pub(crate) enum Content {
    Empty,
    Bytes(Payload),
    Stream(ByteStream, Option<u64>),
    /// This many bytes, of which clients can ask for any range.
    Seekable(OpenRange, u64),
    /// A stream that must still learn when the server stops.
    Events(Pin<Box<EventStream>>),
    /// The body of a tower service.
    Foreign(ReplyBody),
    /// To be serialized in the negotiated format.
    Entity(Box<dyn erased_serde::Serialize + Send>),
    /// To be written by the mount's error format.
    Rejected(Rejection),
    /// An error made while building the response; no later content replaces it.
    Fault(Rejection),
    /// To be awaited.
    Deferred(Pin<Box<dyn Future<Output = Response> + Send>>),
}

/// Opens a range of seekable content.
pub(crate) type OpenRange = Box<dyn FnMut(Range<u64>) -> ByteStream + Send>;

impl Response {
    pub(crate) fn with_status(status: StatusCode) -> Self {
        Self {
            parts: Box::new(ResponseParts {
                status,
                content_type: None,
                fields: ResponseHeaders::default(),
                location: None,
                content: Content::Empty,
                vary: false,
                as_is: false,
                pending: PendingChecks::default(),
            }),
        }
    }

    /// Creates a response whose content is already written.
    pub(crate) fn written(
        content_type: impl Into<ContentType>,
        payload: impl Into<Payload>,
    ) -> Self {
        let mut response = Self::with_status(StatusCode::OK);
        response.parts.content_type = Some(content_type.into());
        response.parts.content = Content::Bytes(payload.into());
        response
    }

    pub(crate) fn rejected(rejection: Rejection) -> Self {
        let mut response = Self::with_status(rejection.status());
        response.parts.content = Content::Rejected(rejection);
        response
    }

    pub(crate) fn deferred(future: impl Future<Output = Self> + Send + 'static) -> Self {
        let mut response = Self::with_status(StatusCode::OK);
        response.parts.content = Content::Deferred(Box::pin(future));
        response
    }

    pub(crate) fn foreign(parts: http::response::Parts, body: ReplyBody) -> Self {
        let mut response = Self::with_status(parts.status);
        response.parts.fields = ResponseHeaders::from_map(parts.headers);
        response.parts.content = Content::Foreign(body);
        response
    }

    /// Returns the status.
    pub fn status_code(&self) -> StatusCode {
        self.parts.status
    }

    /// Returns the headers set so far. They include the content type once the response is written.
    pub fn headers(&self) -> &HeaderMap {
        self.parts.fields.map()
    }

    /// Returns the headers for changes.
    pub fn headers_mut(&mut self) -> &mut HeaderMap {
        self.parts.fields.map_mut()
    }

    /// Sets a header unless there is one with this name. Filters that run for every request should prefer this to
    /// [`headers_mut`](Self::headers_mut), which makes a map of all headers.
    ///
    /// ```
    /// use http::header::{CACHE_CONTROL, HeaderValue};
    /// use innkeeper_rest::Response;
    ///
    /// let mut response = Response::ok().header("cache-control", "max-age=60");
    /// response.set_header_if_absent(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    /// assert_eq!(response.headers()[CACHE_CONTROL], "max-age=60");
    /// ```
    pub fn set_header_if_absent(&mut self, name: HeaderName, value: HeaderValue) {
        self.parts.fields.insert_if_absent(name, value);
    }

    /// Returns the headers without making a map of them.
    pub(crate) fn fields(&self) -> &ResponseHeaders {
        &self.parts.fields
    }

    /// Returns the headers for changes without making a map of them.
    pub(crate) fn fields_mut(&mut self) -> &mut ResponseHeaders {
        &mut self.parts.fields
    }

    /// Returns the content type, if one is set.
    pub fn media_type(&self) -> Option<&str> {
        let value = match &self.parts.content_type {
            Some(content_type) => content_type.as_value(),
            None => self.parts.fields.get(&CONTENT_TYPE)?,
        };
        value.to_str().ok()
    }

    /// Returns the location, before the prefix of the mount is added.
    pub fn location(&self) -> Option<&str> {
        match &self.parts.location {
            Some(location) => Some(location.as_str()),
            None => self
                .parts
                .fields
                .get(&http::header::LOCATION)?
                .to_str()
                .ok(),
        }
    }

    /// Returns the content if it is bytes: a body set with [`body`](Self::body), or an entity after it
    /// was written.
    pub fn bytes(&self) -> Option<&[u8]> {
        match &self.parts.content {
            Content::Bytes(payload) => Some(payload.as_slice()),
            _ => None,
        }
    }

    /// Returns the rejection, until the error format has written it.
    pub fn rejection(&self) -> Option<&Rejection> {
        match &self.parts.content {
            Content::Rejected(rejection) | Content::Fault(rejection) => Some(rejection),
            _ => None,
        }
    }

    /// Returns the entity as JSON, for unit tests of handlers.
    pub fn entity_json(&self) -> Option<serde_json::Value> {
        match &self.parts.content {
            Content::Entity(entity) => serde_json::to_value(entity).ok(),
            Content::Bytes(payload) => serde_json::from_slice(payload.as_slice()).ok(),
            _ => None,
        }
    }

    pub(crate) fn content(&self) -> &Content {
        &self.parts.content
    }

    pub(crate) fn take_content(&mut self) -> Content {
        std::mem::replace(&mut self.parts.content, Content::Empty)
    }

    pub(crate) fn set_content(&mut self, content: Content) {
        self.parts.content = content;
    }

    pub(crate) fn set_status(&mut self, status: StatusCode) {
        self.parts.status = status;
    }

    pub(crate) fn set_content_type(&mut self, value: impl Into<ContentType>) {
        self.parts.content_type = Some(value.into());
    }

    pub(crate) fn take_content_type(&mut self) -> Option<ContentType> {
        self.parts.content_type.take()
    }

    pub(crate) fn has_content_type(&self) -> bool {
        self.parts.content_type.is_some() || self.parts.fields.contains(&CONTENT_TYPE)
    }

    pub(crate) fn take_fields(&mut self) -> ResponseHeaders {
        std::mem::take(&mut self.parts.fields)
    }

    pub(crate) fn take_location(&mut self) -> Option<Box<Location>> {
        self.parts.location.take()
    }

    pub(crate) fn set_vary_if(&mut self, vary: bool) {
        self.parts.vary |= vary;
    }

    pub(crate) fn set_as_is(&mut self) {
        self.parts.as_is = true;
    }

    pub(crate) fn is_as_is(&self) -> bool {
        self.parts.as_is
    }

    pub(crate) fn varies(&self) -> bool {
        self.parts.vary
    }

    /// Whether nothing is left to write, compare or add.
    #[inline]
    pub(crate) fn is_written(&self) -> bool {
        let is_bytes = matches!(self.parts.content, Content::Bytes(_) | Content::Empty);
        is_bytes
            && self.parts.location.is_none()
            && !self.parts.pending.conditions
            && !self.parts.pending.ranges
    }

    /// Moves the content type and `Vary` to the other headers, where filters look for them.
    #[inline]
    pub(crate) fn merge_headers(&mut self) {
        if self.parts.content_type.is_none() && !self.parts.vary {
            return;
        }
        let (content_type, vary) = (
            self.parts.content_type.take(),
            std::mem::take(&mut self.parts.vary),
        );
        if let Some(value) = content_type {
            self.parts.fields.insert(CONTENT_TYPE, value.into_value());
        }
        if vary {
            self.parts.fields.append(VARY, BY_ACCEPT);
        }
    }
}

impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response")
            .field("status", &self.parts.status)
            .field("media_type", &self.media_type())
            .field("headers", self.headers())
            .field("location", &self.location())
            .field("content", &self.parts.content)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("Empty"),
            Self::Bytes(bytes) => f.debug_tuple("Bytes").field(bytes).finish(),
            Self::Stream(_, size) => f.debug_tuple("Stream").field(size).finish(),
            Self::Seekable(_, size) => f.debug_tuple("Seekable").field(size).finish(),
            Self::Events(_) => f.write_str("Events"),
            Self::Foreign(_) => f.write_str("Foreign"),
            Self::Entity(_) => f.write_str("Entity"),
            Self::Rejected(rejection) => f.debug_tuple("Rejected").field(rejection).finish(),
            Self::Fault(rejection) => f.debug_tuple("Fault").field(rejection).finish(),
            Self::Deferred(_) => f.write_str("Deferred"),
        }
    }
}
