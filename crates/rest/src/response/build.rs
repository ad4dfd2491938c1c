//! The constructors and modifiers of [`Response`].

use std::borrow::Cow;

use bytes::Bytes;
use futures_core::Stream;
use http::StatusCode;
use http::header::{CONTENT_TYPE, ETAG, HeaderName, HeaderValue, LAST_MODIFIED};
use serde::Serialize;

use super::{
    ByteStream, Content, Location, LocationArgs, MapChunks, ReadyHeaders, Response, ResponseHeaders,
};
use crate::box_error::BoxError;
use crate::rejection::Rejection;

/// A status given as a number or as a [`StatusCode`].
///
/// ```
/// use innkeeper_rest::{Response, StatusCode};
///
/// assert_eq!(Response::status(418).status_code(), 418);
/// assert_eq!(Response::status(StatusCode::CONFLICT).status_code(), 409);
/// ```
pub trait IntoStatus {
    /// Returns the status, or a number that is not one.
    fn into_status(self) -> Result<StatusCode, u16>;
}

impl IntoStatus for StatusCode {
    fn into_status(self) -> Result<StatusCode, u16> {
        // The type also holds numbers from 600 to 999.
        self.as_u16().into_status()
    }
}

impl IntoStatus for u16 {
    fn into_status(self) -> Result<StatusCode, u16> {
        match self {
            100..=599 => StatusCode::from_u16(self).map_err(|_| self),
            _ => Err(self),
        }
    }
}

/// Constructors, one for each row of the table above.
impl Response {
    /// 200.
    pub fn ok() -> Self {
        Self::with_status(StatusCode::OK)
    }

    /// 201 without a location.
    pub fn created() -> Self {
        Self::with_status(StatusCode::CREATED)
    }

    /// 201 with a location, whose `{placeholders}` are filled from the arguments, percent-encoded.
    ///
    /// A path is below the mount of the handler; see [`Location`] for other locations.
    ///
    /// Arguments are a single number or text, a tuple in the order of the placeholders, or an array
    /// of names with values. Use [`location!`](crate::location!) to have the count checked at compile
    /// time.
    ///
    /// ```
    /// # use innkeeper_rest::Response;
    /// let in_order = Response::created_at("/orgs/{org}/users/{id}", ("north/south", 7));
    /// assert_eq!(in_order.location(), Some("/orgs/north%2Fsouth/users/7"));
    /// let by_name = Response::created_at("/orgs/{org}/users/{id}", [("id", "7"), ("org", "n")]);
    /// assert_eq!(by_name.location(), Some("/orgs/n/users/7"));
    /// ```
    pub fn created_at(template: impl Into<Location>, args: impl LocationArgs) -> Self {
        Self::created().at(template.into(), args)
    }

    /// 202.
    pub fn accepted() -> Self {
        Self::with_status(StatusCode::ACCEPTED)
    }

    /// 204.
    pub fn no_content() -> Self {
        Self::with_status(StatusCode::NO_CONTENT)
    }

    /// 302 to a location: a path below the mount of the handler, or another [`Location`].
    pub fn see(location: impl Into<Location>) -> Self {
        Self::see_at(location, ())
    }

    /// 302 to a location with `{placeholders}`, filled as in [`created_at`](Self::created_at).
    pub fn see_at(template: impl Into<Location>, args: impl LocationArgs) -> Self {
        Self::with_status(StatusCode::FOUND).at(template.into(), args)
    }

    /// 304.
    pub fn not_modified() -> Self {
        Self::with_status(StatusCode::NOT_MODIFIED)
    }

    /// 404.
    pub fn not_found() -> Self {
        Self::rejected(Rejection::not_found())
    }

    /// 404 with a message for the client.
    pub fn not_found_with(message: impl Into<Cow<'static, str>>) -> Self {
        Self::rejected(Rejection::new(StatusCode::NOT_FOUND, "not_found", message))
    }

    /// 406.
    pub fn not_acceptable() -> Self {
        Self::not_acceptable_with("not acceptable")
    }

    /// 406 with a message for the client.
    pub fn not_acceptable_with(message: impl Into<Cow<'static, str>>) -> Self {
        Self::rejected(Rejection::new(
            StatusCode::NOT_ACCEPTABLE,
            "not_acceptable",
            message,
        ))
    }

    /// The given 4xx or 5xx status. Any other status is an error, logged and answered with 500.
    pub fn error(status: impl IntoStatus) -> Self {
        match error_status(status) {
            Ok(status) => {
                Self::rejected(Rejection::new(status, code_of(status), reason_of(status)))
            }
            Err(fault) => fault,
        }
    }

    /// The given 4xx or 5xx status with a message for the client.
    pub fn error_with(status: impl IntoStatus, message: impl Into<Cow<'static, str>>) -> Self {
        match error_status(status) {
            Ok(status) => Self::rejected(Rejection::new(status, code_of(status), message)),
            Err(fault) => fault,
        }
    }

    /// Any status between 200 and 599. Another number is an error, logged and answered with 500: a 1xx
    /// is not the final response to a request.
    pub fn status(status: impl IntoStatus) -> Self {
        match status.into_status() {
            Ok(status) if status.is_informational() => {
                Self::fault(format!("{} is not a final status", status.as_u16()))
            }
            Ok(status) => Self::with_status(status),
            Err(number) => Self::fault(format!("{number} is not an HTTP status")),
        }
    }

    fn fault(problem: String) -> Self {
        let rejection = Rejection::internal(problem);
        let mut response = Self::with_status(rejection.status());
        response.parts.content = Content::Fault(rejection);
        response
    }

    fn at(mut self, template: Location, args: impl LocationArgs) -> Self {
        match template.fill(&args.into_values()) {
            Ok(location) => {
                self.parts.location = Some(Box::new(location));
                self
            }
            Err(problem) => Self::fault(problem),
        }
    }
}

fn error_status(status: impl IntoStatus) -> Result<StatusCode, Response> {
    match status.into_status() {
        Ok(status) if status.is_client_error() || status.is_server_error() => Ok(status),
        Ok(status) => Err(Response::fault(format!("{status} is not an error status"))),
        Err(number) => Err(Response::fault(format!("{number} is not an HTTP status"))),
    }
}

fn reason_of(status: StatusCode) -> String {
    status.canonical_reason().unwrap_or("error").to_lowercase()
}

/// Returns the reason in snake case: `too_many_requests` for 429.
fn code_of(status: StatusCode) -> String {
    reason_of(status).replace([' ', '-'], "_").replace('\'', "")
}

/// Modifiers, which return the changed response.
impl Response {
    /// Sets the content type.
    #[must_use]
    pub fn content_type(self, media_type: impl AsRef<str>) -> Self {
        self.header("content-type", media_type)
    }

    /// Sets the content type, like [`content_type`](Self::content_type).
    #[must_use]
    pub fn type_(self, media_type: impl AsRef<str>) -> Self {
        self.content_type(media_type)
    }

    /// Sets a header, replacing an earlier one of the same name. A name or value that HTTP does not
    /// allow is an error, logged and answered with 500.
    #[must_use]
    pub fn header(mut self, name: impl AsRef<str>, value: impl AsRef<str>) -> Self {
        if matches!(self.parts.content, Content::Fault(_)) {
            return self;
        }
        let (name, value) = (name.as_ref(), value.as_ref());
        let Ok(known) = HeaderName::from_bytes(name.as_bytes()) else {
            return Self::fault(format!("`{name}` is not a header name"));
        };
        let Ok(checked) = HeaderValue::from_str(value) else {
            return Self::fault(format!(
                "the value of header `{name}` is not allowed in HTTP"
            ));
        };
        if known == CONTENT_TYPE {
            self.parts.content_type = Some(checked.into());
        } else {
            if known == ETAG || known == LAST_MODIFIED {
                self.parts.pending.conditions = true;
            }
            self.parts.fields.insert(known, checked);
        }
        self
    }

    /// Sets all headers at once, replacing those set so far. Headers that are encoded once cost less than
    /// headers that are set one by one.
    ///
    /// Conditions of the request are not compared with an entity tag or date among them: check
    /// [`Request::preconditions`](crate::Request::preconditions) before.
    #[must_use]
    pub fn with_headers(mut self, headers: &ReadyHeaders) -> Self {
        if !matches!(self.parts.content, Content::Fault(_)) {
            self.parts.content_type = None;
            self.parts.fields = ResponseHeaders::ready(headers);
        }
        self
    }

    /// Sends a value, serialized in the format that the client accepts. On an error response it replaces
    /// the body of the error format.
    #[must_use]
    pub fn entity<T: Serialize + Send + 'static>(self, value: T) -> Self {
        self.with_content(Content::Entity(Box::new(value)))
    }

    /// Streams chunks of unknown total size.
    #[must_use]
    pub fn stream<S, B, E>(self, chunks: S) -> Self
    where
        S: Stream<Item = Result<B, E>> + Send + 'static,
        B: Into<Bytes> + 'static,
        E: Into<BoxError> + 'static,
    {
        let chunks: ByteStream = Box::pin(MapChunks::new(chunks));
        self.with_content(Content::Stream(chunks, None))
    }

    /// Streams chunks whose total size is known and announced. A stream of another size ends the
    /// connection, so that the client notices.
    #[must_use]
    pub fn stream_sized<S, B, E>(self, chunks: S, size: u64) -> Self
    where
        S: Stream<Item = Result<B, E>> + Send + 'static,
        B: Into<Bytes> + 'static,
        E: Into<BoxError> + 'static,
    {
        let chunks: ByteStream = Box::pin(MapChunks::new(chunks));
        self.with_content(Content::Stream(chunks, Some(size)))
    }

    /// Sends bytes unchanged.
    #[must_use]
    pub fn body(self, bytes: impl Into<Bytes>) -> Self {
        self.with_content(Content::Bytes(bytes.into().into()))
    }

    pub(super) fn with_content(mut self, content: Content) -> Self {
        if !matches!(self.parts.content, Content::Fault(_)) {
            self.parts.content = content;
        }
        self
    }
}
