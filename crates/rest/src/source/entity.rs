//! Arguments from the body: deserialized, as text, or the body itself.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::from_body::{FromBody, FromBodyText};
use super::input::Input;
use super::input_value::InputValue;
use crate::body::Body;
use crate::call::Call;
use crate::format::EntityReader;
use crate::rejection::{FieldError, Rejection};
use crate::route::Source;

/// Reads the body as text, for `#[body]` arguments of reference type.
pub async fn body_text(call: &Call<'_>, body: Body) -> Result<String, Rejection> {
    read_text(call, body).await
}

/// Reads the body, for `#[body]`.
pub(crate) async fn read_text<T: FromBodyText>(_: &Call<'_>, body: Body) -> Result<T, Rejection> {
    T::from_body_text(body.read_all().await?)
}

/// Reads the body as text, for conversions.
pub async fn body_input<'r>(call: &Call<'_>, body: Body) -> Result<Input<'r>, Rejection> {
    let text: String = read_text(call, body).await?;
    Ok(Input::new(
        Source::Body,
        "body",
        InputValue::One(text.into()),
    ))
}

/// Reads an entity whose type takes the body itself.
pub(crate) async fn read_from_body<T: FromBody>(
    call: &Call<'_>,
    body: Body,
) -> Result<T, Rejection> {
    T::from_body(call.request.head(), body).await
}

/// Returns the reader for the content type of the request, or 415.
fn reader_of<'c>(call: &'c Call<'_>) -> Result<EntityReader<'c>, Rejection> {
    EntityReader::choose(call.formats, call.route.consumes, call.request.head())
}

/// Reads an entity in the format of its content type.
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
        let reader = reader_of(call)?;
        reader.read(call.request.head(), &mut body).await
    }
}

/// Reads an optional entity: an empty body is `None`.
pub(crate) async fn read_optional<T>(call: &Call<'_>, body: Body) -> Result<Option<T>, Rejection>
where
    T: DeserializeOwned,
{
    if body.is_empty() {
        return Ok(None);
    }
    let reader = reader_of(call)?;
    // Whether a body of unknown size is empty shows when it is read.
    let bytes = body.read_all().await?;
    if bytes.is_empty() {
        return Ok(None);
    }
    let head = call.request.head();
    if reader.is_form() {
        // A form has no null, so nothing in it could tell `Some` from `None`.
        return reader.read(head, &mut bytes.into()).await.map(Some);
    }
    reader.read(head, &mut bytes.into()).await
}

/// An entity that conversions have changed, before it gets its type.
#[derive(Debug)]
pub struct EntityInput(Value);

/// Reads the entity as JSON of any shape, for conversions.
pub async fn entity_input<'r>(call: &Call<'_>, body: Body) -> Result<Input<'r>, Rejection> {
    let value: Value = read_deserialized(call, body).await?;
    Ok(Input::new(Source::Entity, "body", InputValue::Json(value)))
}

impl EntityInput {
    /// Takes the result of the conversions.
    pub fn of(input: &Input<'_>) -> Self {
        let (_, _, value) = input.clone().into_parts();
        Self(value.into_value())
    }

    /// Deserializes it.
    pub fn read<T: DeserializeOwned>(self) -> Result<T, Rejection> {
        serde_path_to_error::deserialize(self.0).map_err(|error| {
            let pointer = crate::format::pointer(error.path());
            Rejection::unprocessable(vec![FieldError::new(pointer, error.inner().to_string())])
        })
    }
}
