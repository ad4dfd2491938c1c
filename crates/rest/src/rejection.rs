//! Rejections: the errors of the framework itself.
//!
//! A [`Rejection`] says what is wrong in words for the client. It has no body: the
//! [`ErrorFormat`](crate::ErrorFormat) of the mount writes one.

mod invalid;

use std::any::Any;
use std::borrow::Cow;
use std::fmt;

use http::StatusCode;
use http::header::{ACCEPT_ENCODING, ALLOW, HeaderMap, HeaderName, HeaderValue};
use serde::ser::{Serialize, SerializeStruct as _, Serializer};

pub use invalid::Invalid;

use crate::body::BodyError;
use crate::box_error::BoxError;
use crate::route::Source;

/// Why a request was refused: status, stable code, and a message for the client.
///
/// Filters and handlers return one to refuse a request in the shape the mount's clients expect.
///
/// ```
/// use innkeeper_rest::{Rejection, StatusCode};
///
/// let rejection = Rejection::new(StatusCode::FORBIDDEN, "not_yours", "this belongs to someone else");
/// assert_eq!(rejection.status(), StatusCode::FORBIDDEN);
/// assert_eq!(rejection.code(), "not_yours");
/// ```
#[derive(Debug)]
pub struct Rejection(Box<RejectionParts>);

#[derive(Debug)]
struct RejectionParts {
    kind: RejectionKind,
    status: StatusCode,
    code: Cow<'static, str>,
    message: Cow<'static, str>,
    parameter: Option<Cow<'static, str>>,
    errors: Vec<FieldError>,
    headers: HeaderMap,
    /// Logged, never sent.
    cause: Option<BoxError>,
    /// For the error format.
    details: Option<Box<dyn Any + Send + Sync>>,
}

/// The rule of the framework that a request violates, for error formats that have their own texts.
///
/// ```
/// use innkeeper_rest::{Rejection, RejectionKind, StatusCode};
///
/// let missing = Rejection::missing_parameter("query parameter", "limit");
/// assert_eq!(missing.kind(), RejectionKind::MissingParameter);
/// let own = Rejection::new(StatusCode::CONFLICT, "room_taken", "the room is taken");
/// assert_eq!(own.kind(), RejectionKind::Other);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RejectionKind {
    /// No route has the path.
    NotFound,
    /// The path has routes, but none for the method.
    MethodNotAllowed,
    /// A parameter is missing.
    MissingParameter,
    /// A parameter does not have the expected form.
    MalformedParameter,
    /// The body is not what its content type says.
    MalformedBody,
    /// The body is well-formed but does not have the expected shape.
    UnprocessableEntity,
    /// A value of the request is not allowed.
    Invalid,
    /// No format reads the content type of the body.
    UnsupportedMediaType,
    /// No format writes a content type that the client accepts.
    NotAcceptable,
    /// The body is larger than allowed.
    BodyTooLarge,
    /// The body did not arrive in time.
    SlowBody,
    /// The handler took too long.
    Timeout,
    /// An internal error of the server.
    Internal,
    /// Any other reason, of a filter or of the application.
    Other,
}

/// An error in a value of a request: in the entity, or in a parameter.
///
/// ```
/// use innkeeper_rest::{FieldError, Rejection, Source};
///
/// let age = FieldError::new("/age", "is negative");
/// assert_eq!(age.pointer, "/age");
/// let limit = FieldError::of_parameter(Source::Param, "limit", "", "greater than 100");
/// assert_eq!(
///     serde_json::to_string(&[age, limit]).unwrap(),
///     r#"[{"pointer":"/age","detail":"is negative"},{"parameter":"limit","in":"query","detail":"greater than 100"}]"#,
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldError {
    /// The JSON pointer (RFC 6901) to the value in the entity or parameter; empty for all of it.
    pub pointer: String,
    /// What is wrong with it.
    pub detail: String,
    /// The source and name of the parameter; `None` for an error in the entity.
    pub parameter: Option<(Source, Cow<'static, str>)>,
}

impl FieldError {
    /// Creates an error in the entity.
    pub fn new(pointer: impl Into<String>, detail: impl Into<String>) -> Self {
        Self {
            pointer: pointer.into(),
            detail: detail.into(),
            parameter: None,
        }
    }

    /// Creates an error in a parameter; the pointer is empty unless it is a list or a map.
    pub fn of_parameter(
        source: Source,
        name: impl Into<Cow<'static, str>>,
        pointer: impl Into<String>,
        detail: impl Into<String>,
    ) -> Self {
        Self {
            parameter: Some((source, name.into())),
            ..Self::new(pointer, detail)
        }
    }
}

impl Serialize for FieldError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let pointed = self.parameter.is_none() || !self.pointer.is_empty();
        let count = 1 + usize::from(pointed) + 2 * usize::from(self.parameter.is_some());
        let mut fields = serializer.serialize_struct("FieldError", count)?;
        if let Some((source, name)) = &self.parameter {
            fields.serialize_field("parameter", name)?;
            fields.serialize_field("in", source.location())?;
        }
        if pointed {
            fields.serialize_field("pointer", &self.pointer)?;
        }
        fields.serialize_field("detail", &self.detail)?;
        fields.end()
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((source, name)) = &self.parameter {
            write!(f, "{} `{name}`", source.noun())?;
        }
        if !self.pointer.is_empty() {
            let space = if self.parameter.is_some() { " " } else { "" };
            write!(f, "{space}`{}`", self.pointer)?;
        } else if self.parameter.is_none() {
            f.write_str("the body")?;
        }
        write!(f, ": {}", self.detail)
    }
}

/// How many errors the message of a 422 includes, for formats that send only the message.
const MAX_IN_MESSAGE: usize = 5;

/// The message of every 500: the cause is for the log.
pub(crate) const INTERNAL: &str = "internal server error";

impl Rejection {
    /// Creates a rejection with a status, a code for programs and a message for people.
    pub fn new(
        status: StatusCode,
        code: impl Into<Cow<'static, str>>,
        message: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self(Box::new(RejectionParts {
            kind: RejectionKind::Other,
            status,
            code: code.into(),
            message: message.into(),
            parameter: None,
            errors: Vec::new(),
            headers: HeaderMap::new(),
            cause: None,
            details: None,
        }))
    }

    fn of_kind(mut self, kind: RejectionKind) -> Self {
        self.0.kind = kind;
        self
    }

    /// Adds a header that is sent in every format, such as `Retry-After`.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.headers.insert(name, value);
        self
    }

    /// Adds an error in the entity.
    #[must_use]
    pub fn with_error(mut self, pointer: impl Into<String>, detail: impl Into<String>) -> Self {
        self.0.errors.push(FieldError::new(pointer, detail));
        self
    }

    /// Sets the cause, which is logged and never sent.
    #[must_use]
    pub fn with_cause(mut self, cause: impl Into<BoxError>) -> Self {
        self.0.cause = Some(cause.into());
        self
    }

    /// Adds a value for the error format, which reads it with [`details`](Self::details). A second value
    /// replaces the first.
    ///
    /// ```
    /// use innkeeper_rest::{Rejection, StatusCode};
    ///
    /// struct FreeFrom(u32);
    ///
    /// let taken = Rejection::new(StatusCode::CONFLICT, "room_taken", "the room is taken");
    /// let taken = taken.with_details(FreeFrom(7));
    /// assert_eq!(taken.details::<FreeFrom>().map(|from| from.0), Some(7));
    /// ```
    #[must_use]
    pub fn with_details(mut self, details: impl Any + Send + Sync) -> Self {
        self.0.details = Some(Box::new(details));
        self
    }

    /// Returns the rule of the framework that the request violates.
    pub fn kind(&self) -> RejectionKind {
        self.0.kind
    }

    /// Returns the value that was added for the error format, if it has this type.
    pub fn details<T: Any>(&self) -> Option<&T> {
        self.0.details.as_ref()?.downcast_ref()
    }

    /// Returns the status of the response.
    pub fn status(&self) -> StatusCode {
        self.0.status
    }

    /// Returns the stable code for programs, in `snake_case`.
    pub fn code(&self) -> &str {
        &self.0.code
    }

    /// Returns the message for the client.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns the name of the missing or malformed parameter, if it is about one.
    pub fn parameter(&self) -> Option<&str> {
        self.0.parameter.as_deref()
    }

    /// Returns the errors in the entity and in parameters, value by value.
    pub fn errors(&self) -> &[FieldError] {
        &self.0.errors
    }

    /// Returns the headers that are sent with it.
    pub fn headers(&self) -> &HeaderMap {
        &self.0.headers
    }

    /// Returns the internal cause, for the log.
    pub fn cause(&self) -> Option<&(dyn std::error::Error + Send + Sync)> {
        self.0.cause.as_deref()
    }
}

/// One constructor for each error of the framework.
impl Rejection {
    /// 404: nothing was found at this path.
    pub fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", "not found").of_kind(RejectionKind::NotFound)
    }

    pub(crate) fn method_not_allowed(allow: HeaderValue) -> Self {
        Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "method_not_allowed",
            "method not allowed",
        )
        .of_kind(RejectionKind::MethodNotAllowed)
        .with_header(ALLOW, allow)
    }

    /// 400: a parameter is missing.
    pub fn missing_parameter(source: &str, name: impl Into<Cow<'static, str>>) -> Self {
        let name = name.into();
        let message = format!("{source} `{name}` is missing");
        Self::new(StatusCode::BAD_REQUEST, "missing_parameter", message)
            .of_kind(RejectionKind::MissingParameter)
            .of_parameter(name)
    }

    /// 400: a parameter is present but not as expected.
    pub fn malformed_parameter(
        source: &str,
        name: impl Into<Cow<'static, str>>,
        problem: &str,
    ) -> Self {
        let name = name.into();
        let message = format!("{source} `{name}`: {problem}");
        Self::new(StatusCode::BAD_REQUEST, "malformed_parameter", message)
            .of_kind(RejectionKind::MalformedParameter)
            .of_parameter(name)
    }

    fn of_parameter(mut self, name: Cow<'static, str>) -> Self {
        self.0.parameter = Some(name);
        self
    }

    /// 400: the body is not what its content type says.
    pub fn malformed_body(problem: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "malformed_body", problem)
            .of_kind(RejectionKind::MalformedBody)
    }

    /// 422: the body is well-formed but has the wrong shape.
    pub fn unprocessable(errors: Vec<FieldError>) -> Self {
        let mut rejection = Self::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "unprocessable_entity",
            "the body does not have the expected shape",
        )
        .of_kind(RejectionKind::UnprocessableEntity);
        rejection.0.errors = errors;
        rejection
    }

    /// 422: the request was read, and some of its values are not allowed.
    ///
    /// ```
    /// use innkeeper_rest::{FieldError, Rejection};
    ///
    /// let rejection = Rejection::invalid(vec![FieldError::new("/age", "lower than 18")]);
    /// assert_eq!((rejection.status().as_u16(), rejection.code()), (422, "validation_failed"));
    /// assert_eq!(rejection.message(), "the request is not valid: `/age`: lower than 18");
    /// ```
    pub fn invalid(errors: Vec<FieldError>) -> Self {
        let mut details: Vec<String> = errors
            .iter()
            .take(MAX_IN_MESSAGE)
            .map(ToString::to_string)
            .collect();
        if errors.len() > details.len() {
            details.push(format!("and {} more", errors.len() - details.len()));
        }
        let message = format!("the request is not valid: {}", details.join("; "));
        let mut rejection = Self::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "validation_failed",
            message,
        )
        .of_kind(RejectionKind::Invalid);
        rejection.0.errors = errors;
        rejection
    }

    pub(crate) fn unsupported_media_type(given: &str, supported: &str) -> Self {
        let message = format!("content type `{given}` is not supported; send {supported}");
        Self::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "unsupported_media_type",
            message,
        )
        .of_kind(RejectionKind::UnsupportedMediaType)
    }

    /// Refuses a body with a content coding that nobody has decoded.
    pub(crate) fn unsupported_encoding(given: &str) -> Self {
        let message =
            format!("content encoding `{given}` is not supported; send the body without one");
        Self::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "unsupported_media_type",
            message,
        )
        .of_kind(RejectionKind::UnsupportedMediaType)
        .with_header(ACCEPT_ENCODING, HeaderValue::from_static("identity"))
    }

    pub(crate) fn not_acceptable(offered: &str) -> Self {
        let message =
            format!("none of the accepted media types is available; available: {offered}");
        Self::new(StatusCode::NOT_ACCEPTABLE, "not_acceptable", message)
            .of_kind(RejectionKind::NotAcceptable)
    }

    pub(crate) fn body_too_large(limit: u64) -> Self {
        let message = format!("the body is larger than {limit} bytes");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large", message)
            .of_kind(RejectionKind::BodyTooLarge)
    }

    pub(crate) fn slow_body() -> Self {
        Self::new(
            StatusCode::REQUEST_TIMEOUT,
            "slow_body",
            "the body did not arrive in time",
        )
        .of_kind(RejectionKind::SlowBody)
    }

    pub(crate) fn timeout() -> Self {
        Self::new(
            StatusCode::REQUEST_TIMEOUT,
            "timeout",
            "the request took too long",
        )
        .of_kind(RejectionKind::Timeout)
    }

    /// 500: an internal error. The cause is logged; the client gets a fixed message.
    pub fn internal(cause: impl Into<BoxError>) -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal_error",
            INTERNAL,
        )
        .of_kind(RejectionKind::Internal)
        .with_cause(cause)
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.status.as_u16(), self.0.message)
    }
}

impl std::error::Error for Rejection {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.cause.as_deref().map(|cause| cause as _)
    }
}

impl From<BodyError> for Rejection {
    fn from(error: BodyError) -> Self {
        match error {
            BodyError::TooLarge(limit) => Self::body_too_large(limit),
            BodyError::TooSlow => Self::slow_body(),
            // The source of the body may have its own rejection.
            BodyError::Broken(cause) => cause.downcast::<Self>().map_or_else(
                |_| Self::malformed_body("the body ended early"),
                |rejection| *rejection,
            ),
        }
    }
}

/// An error of a body that was read through [`AsyncRead`](tokio::io::AsyncRead) is the body's; any
/// other I/O error, such as a full disk, is internal.
impl From<std::io::Error> for Rejection {
    fn from(error: std::io::Error) -> Self {
        error
            .downcast::<BodyError>()
            .map_or_else(Self::internal, Self::from)
    }
}
