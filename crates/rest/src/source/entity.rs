//! Arguments from the body: deserialized, as text, or taken over as a whole.

use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::input::{Found, Input};
use crate::body::Body;
use crate::format::Reader;
use crate::head::Head;
use crate::rejection::{FieldError, Rejection};
use crate::resource::Call;
use crate::route::Source;

/// A type that takes the body itself instead of being deserialized from it.
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
    label = "this type is no entity",
    note = "derive `Deserialize`, or implement `FromBody`; a stream is `Body` or `Multipart`"
)]
pub trait FromBody: Sized {
    /// The media types it is read from, for the description of routes.
    const MEDIA_TYPES: &'static [&'static str] = &["application/octet-stream"];

    /// Takes the body.
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

/// A type for `#[body]`: the body as text or bytes, whatever its content type.
///
/// ```
/// use bytes::Bytes;
/// use innkeeper_rest::{FromBodyText, Rejection};
///
/// /// Text without spaces at its ends.
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
    label = "`#[body]` wants text",
    note = "write `String`, `&str`, `Bytes` or `Vec<u8>`; for other types use `#[entity]`"
)]
pub trait FromBodyText: Sized {
    /// Takes the bytes of the body.
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

/// The body as text, for `#[body]` arguments of reference type.
pub async fn body_text(call: &Call<'_>, body: Body) -> Result<String, Rejection> {
    read_text(call, body).await
}

/// The body for `#[body]`.
pub(crate) async fn read_text<T: FromBodyText>(_: &Call<'_>, body: Body) -> Result<T, Rejection> {
    T::from_body_text(body.read_all().await?)
}

/// The body as text, for conversions.
pub async fn body_input<'r>(call: &Call<'_>, body: Body) -> Result<Input<'r>, Rejection> {
    let text: String = read_text(call, body).await?;
    Ok(Input::new(Source::Body, "body", Found::One(text.into())))
}

/// An entity that takes the body itself.
pub(crate) async fn read_from_body<T: FromBody>(
    call: &Call<'_>,
    body: Body,
) -> Result<T, Rejection> {
    T::from_body(call.request.head(), body).await
}

/// An entity in the format its content type says.
#[expect(
    clippy::manual_async_fn,
    reason = "an `async fn` would hold the body twice, as its argument and as its variable"
)]
pub(crate) fn read_deserialized<T>(
    call: &Call<'_>,
    mut body: Body,
) -> impl Future<Output = Result<T, Rejection>>
where
    T: DeserializeOwned,
{
    async move {
        let reader = Reader::choose(call)?;
        reader.read(call.request.head(), &mut body).await
    }
}

/// An entity that may be missing: an empty body is none.
pub(crate) async fn read_optional<T>(call: &Call<'_>, body: Body) -> Result<Option<T>, Rejection>
where
    T: DeserializeOwned,
{
    if body.is_empty() {
        return Ok(None);
    }
    let reader = Reader::choose(call)?;
    // Whether a body of unknown size is empty shows when it is read.
    let bytes = body.read_all().await?;
    if bytes.is_empty() {
        return Ok(None);
    }
    let head = call.request.head();
    if reader.is_form() {
        // A form knows no null, so there is nothing in it that tells some from none.
        return reader.read(head, &mut bytes.into()).await.map(Some);
    }
    reader.read(head, &mut bytes.into()).await
}

/// An entity before it has its type, for conversions.
#[derive(Debug)]
pub struct EntityInput(Value);

/// The entity as a value, to be converted.
pub async fn entity_input<'r>(call: &Call<'_>, body: Body) -> Result<Input<'r>, Rejection> {
    let value: Value = read_deserialized(call, body).await?;
    Ok(Input::new(Source::Entity, "body", Found::Value(value)))
}

impl EntityInput {
    /// Takes what the conversions have made.
    pub fn of(input: &Input<'_>) -> Self {
        let (_, _, found) = input.clone().into_parts();
        Self(found.into_value())
    }

    /// Gives it its type.
    pub fn read<T: DeserializeOwned>(self) -> Result<T, Rejection> {
        serde_path_to_error::deserialize(self.0).map_err(|error| {
            let pointer = crate::format::pointer(error.path());
            Rejection::unprocessable(vec![FieldError::new(pointer, error.inner().to_string())])
        })
    }
}
