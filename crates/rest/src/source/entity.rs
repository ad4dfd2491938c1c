//! Arguments from the body: deserialized, as text, or taken over as a whole.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::from_body::{FromBody, FromBodyText};
use super::input::{Input, InputValue};
use crate::body::Body;
use crate::format::Reader;
use crate::rejection::{FieldError, Rejection};
use crate::resource::Call;
use crate::route::Source;

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
    Ok(Input::new(
        Source::Body,
        "body",
        InputValue::One(text.into()),
    ))
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
    Ok(Input::new(Source::Entity, "body", InputValue::Json(value)))
}

impl EntityInput {
    /// Takes what the conversions have made.
    pub fn of(input: &Input<'_>) -> Self {
        let (_, _, value) = input.clone().into_parts();
        Self(value.into_value())
    }

    /// Gives it its type.
    pub fn read<T: DeserializeOwned>(self) -> Result<T, Rejection> {
        serde_path_to_error::deserialize(self.0).map_err(|error| {
            let pointer = crate::format::pointer(error.path());
            Rejection::unprocessable(vec![FieldError::new(pointer, error.inner().to_string())])
        })
    }
}
