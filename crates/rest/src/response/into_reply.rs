//! The conversion of a handler's value to a response.

use std::borrow::Cow;
use std::fmt::Display;

use bytes::Bytes;
use http::StatusCode;
use http::header::{CACHE_CONTROL, HeaderName, HeaderValue};

use super::{Content, ContentType, Payload, Response};
use crate::events::Events;
use crate::rejection::{INTERNAL, Rejection};
use crate::route::{ReplyKind, Responds};

/// A value that is a response by itself, with its own status and content.
///
/// Handlers may return any type that implements this, any `Serialize` type, or a `Result` of either
/// with an error that implements this. `#[derive(ApiError)]` implements it for error types.
///
/// ```
/// use innkeeper_rest::{IntoReply, ReplyKind, Response};
///
/// struct Teapot;
///
/// impl IntoReply for Teapot {
///     const KIND: ReplyKind = ReplyKind::Any;
///
///     fn into_reply(self) -> Response {
///         Response::error_with(418, "short and stout")
///     }
/// }
/// assert_eq!(Teapot.into_reply().status_code(), 418);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be sent as a response",
    label = "this type is not a response",
    note = "derive `Serialize` for a value, `ApiError` for an error, or implement `IntoReply`"
)]
pub trait IntoReply {
    /// The kind of response it becomes.
    const KIND: ReplyKind;
    /// The status it always has unless it is an error, for OpenAPI documents.
    const STATUS: Option<u16> = None;
    /// The media type it always has, for OpenAPI documents; `None` if it is negotiated.
    const MEDIA_TYPE: Option<&'static str> = None;

    /// Converts the value to a response.
    fn into_reply(self) -> Response;
}

/// An error type with a status and a code for each case; derived with `#[derive(ApiError)]`.
///
/// ```
/// use innkeeper_rest::{ApiError, StatusCode};
///
/// #[derive(Debug, ApiError)]
/// enum UserError {
///     #[api(status = 404)]
///     NotFound,
///     #[api(status = 409, code = "email_taken")]
///     EmailTaken { email: String },
/// }
///
/// impl std::fmt::Display for UserError {
///     fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
///         match self {
///             Self::NotFound => f.write_str("no such user"),
///             Self::EmailTaken { email } => write!(f, "{email} is in use"),
///         }
///     }
/// }
///
/// assert_eq!(UserError::NotFound.status(), StatusCode::NOT_FOUND);
/// assert_eq!(UserError::NotFound.code(), "not_found");
/// ```
///
/// The message of a 4xx is what `Display` writes. That of a 5xx is logged, and the client gets a fixed
/// message.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no status and code to answer with",
    label = "this type is not an `ApiError`",
    note = "derive `innkeeper_rest::ApiError` for it, or give the variant an `#[api(status = …)]` of its own"
)]
pub trait ApiError: Display {
    /// The statuses of its own cases, for OpenAPI documents.
    const RESPONSES: &'static [Responds] = &[];

    /// Returns all statuses it can have: its own, and those of the errors in transparent cases.
    fn responses() -> Vec<Responds>
    where
        Self: Sized,
    {
        Self::RESPONSES.to_vec()
    }

    /// Returns the status of this case.
    fn status(&self) -> StatusCode;

    /// Returns the stable code for programs.
    fn code(&self) -> &str;

    /// Converts it to the rejection that the error format writes.
    fn rejection(&self) -> Rejection {
        let (status, code) = (self.status(), self.code().to_owned());
        if status.is_server_error() {
            return Rejection::new(status, code, INTERNAL).with_cause(self.to_string());
        }
        Rejection::new(status, code, self.to_string())
    }
}

impl IntoReply for Response {
    const KIND: ReplyKind = ReplyKind::Any;

    fn into_reply(self) -> Response {
        self
    }
}

impl IntoReply for Rejection {
    const KIND: ReplyKind = ReplyKind::Error;

    fn into_reply(self) -> Response {
        Response::rejected(self)
    }
}

impl IntoReply for () {
    const KIND: ReplyKind = ReplyKind::Empty;
    const STATUS: Option<u16> = Some(204);

    fn into_reply(self) -> Response {
        Response::no_content()
    }
}

impl IntoReply for std::convert::Infallible {
    const KIND: ReplyKind = ReplyKind::Error;

    fn into_reply(self) -> Response {
        match self {}
    }
}

impl IntoReply for StatusCode {
    const KIND: ReplyKind = ReplyKind::Empty;

    fn into_reply(self) -> Response {
        Response::status(self)
    }
}

impl<T: IntoReply, E: IntoReply> IntoReply for Result<T, E> {
    const KIND: ReplyKind = T::KIND;
    const STATUS: Option<u16> = T::STATUS;
    const MEDIA_TYPE: Option<&'static str> = T::MEDIA_TYPE;

    fn into_reply(self) -> Response {
        match self {
            Ok(value) => value.into_reply(),
            Err(error) => error.into_reply(),
        }
    }
}

macro_rules! text {
    ($($type:ty => |$text:ident| $payload:expr;)*) => {$(
        impl IntoReply for $type {
            const KIND: ReplyKind = ReplyKind::Text;

            fn into_reply(self) -> Response {
                let $text = self;
                Response::written(ContentType::Plain, $payload)
            }
        }
    )*};
}
text! {
    String => |text| text;
    &str => |text| Payload::copy(text.as_bytes());
    Cow<'_, str> => |text| text.into_owned();
    Box<str> => |text| String::from(text);
}

/// Bytes are sent as they are.
impl IntoReply for Bytes {
    const KIND: ReplyKind = ReplyKind::Octets;

    fn into_reply(self) -> Response {
        Response::written(HeaderValue::from_static("application/octet-stream"), self)
    }
}

/// Tells nginx not to buffer the response.
const X_ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

impl IntoReply for Events {
    const KIND: ReplyKind = ReplyKind::Events;

    fn into_reply(self) -> Response {
        let mut response = Response::ok();
        response.set_content_type(HeaderValue::from_static("text/event-stream"));
        let headers = response.fields_mut();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(X_ACCEL_BUFFERING, HeaderValue::from_static("no"));
        response.set_content(Content::Events(Box::pin(self.into_stream())));
        response
    }
}
