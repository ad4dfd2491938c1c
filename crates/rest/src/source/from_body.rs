//! Types that are made from a request body without a format.

use bytes::Bytes;

use crate::body::Body;
use crate::head::Head;
use crate::multipart::Multipart;
use crate::rejection::Rejection;

/// A type that takes the request body itself instead of being deserialized from it.
///
/// ```
/// use innkeeper_rest::{Body, FromBody, Head, Rejection};
///
/// /// The number of bytes the client sent.
/// struct Size(u64);
///
/// impl FromBody for Size {
///     async fn from_body(_: &Head, mut body: Body) -> Result<Self, Rejection> {
///         let mut size = 0;
///         while let Some(chunk) = body.next_chunk().await? {
///             size += chunk.len() as u64;
///         }
///         Ok(Self(size))
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from a request body",
    label = "this type is not an entity",
    note = "derive `Deserialize`, or implement `FromBody`; a stream is `Body` or `Multipart`"
)]
pub trait FromBody: Sized {
    /// The media types it is read from, for OpenAPI documents.
    const MEDIA_TYPES: &'static [&'static str] = &["application/octet-stream"];

    /// Reads the body.
    fn from_body(head: &Head, body: Body) -> impl Future<Output = Result<Self, Rejection>> + Send;
}

impl FromBody for Body {
    async fn from_body(_: &Head, body: Body) -> Result<Self, Rejection> {
        Ok(body)
    }
}

impl FromBody for Bytes {
    async fn from_body(_: &Head, body: Body) -> Result<Self, Rejection> {
        Ok(body.read_all().await?)
    }
}

impl FromBody for Multipart {
    const MEDIA_TYPES: &'static [&'static str] = &["multipart/form-data"];

    async fn from_body(head: &Head, body: Body) -> Result<Self, Rejection> {
        Self::new(head, body)
    }
}

/// A type for `#[body]`: the request body as text or bytes, whatever its content type.
///
/// ```
/// use bytes::Bytes;
/// use innkeeper_rest::{FromBodyText, Rejection};
///
/// /// Text without leading or trailing spaces.
/// struct Trimmed(String);
///
/// impl FromBodyText for Trimmed {
///     fn from_body_text(bytes: Bytes) -> Result<Self, Rejection> {
///         String::from_body_text(bytes).map(|text| Self(text.trim().to_owned()))
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot hold a request body as text",
    label = "`#[body]` needs text",
    note = "write `String`, `&str`, `Bytes` or `Vec<u8>`; for other types use `#[entity]`"
)]
pub trait FromBodyText: Sized {
    /// Converts the bytes of the body.
    fn from_body_text(bytes: Bytes) -> Result<Self, Rejection>;
}

impl FromBodyText for Bytes {
    fn from_body_text(bytes: Bytes) -> Result<Self, Rejection> {
        Ok(bytes)
    }
}

impl FromBodyText for Vec<u8> {
    fn from_body_text(bytes: Bytes) -> Result<Self, Rejection> {
        Ok(bytes.into())
    }
}

impl FromBodyText for String {
    fn from_body_text(bytes: Bytes) -> Result<Self, Rejection> {
        Self::from_utf8(bytes.into()).map_err(|_| Rejection::malformed_body("expected UTF-8 text"))
    }
}

impl FromBodyText for Box<str> {
    fn from_body_text(bytes: Bytes) -> Result<Self, Rejection> {
        String::from_body_text(bytes).map(Into::into)
    }
}
