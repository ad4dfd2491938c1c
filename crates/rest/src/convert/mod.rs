//! Conversions: what happens to an argument between its source and its type.

mod matrix;
mod separated_by;

use serde_json::Value;

pub(crate) use matrix::matrix;
pub use separated_by::{HeaderList, SeparatedBy};

use crate::rejection::Rejection;
use crate::source::{Input, InputValue, Invalid};

/// Changes the value of an argument before it is given its type; used as `#[convert(Expr)]`.
///
/// A source gives text as a string and repeated parameters as an array. Conversions run in the order
/// they are written, and only when the argument is there.
///
/// ```
/// use innkeeper_rest::{Conversion, Invalid, Value};
///
/// struct Lowercase;
///
/// impl Conversion for Lowercase {
///     fn convert(&self, value: Value) -> Result<Value, Invalid> {
///         match value {
///             Value::String(text) => Ok(Value::String(text.to_lowercase())),
///             _ => Err(Invalid::expected("text")),
///         }
///     }
/// }
/// assert_eq!(Lowercase.convert("ABC".into()).unwrap(), "abc");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no conversion",
    label = "this does not implement `Conversion`",
    note = "write `fn(Value) -> Result<Value, Invalid>`, or implement `innkeeper_rest::Conversion`"
)]
pub trait Conversion {
    /// The changed value.
    fn convert(&self, value: Value) -> Result<Value, Invalid>;

    /// The changed value of text, for conversions that need not make a [`Value`] of it first.
    #[doc(hidden)]
    fn convert_texts<'r>(&self, texts: Texts<'r>) -> Result<Texts<'r>, Invalid> {
        self.convert(texts.0.into_value())
            .map(|value| Texts(InputValue::Json(value)))
    }
}

/// What a source found, on its way through a conversion.
#[doc(hidden)]
#[derive(Debug)]
pub struct Texts<'r>(pub(crate) InputValue<'r>);

/// A function is a conversion.
impl<F: Fn(Value) -> Result<Value, Invalid>> Conversion for F {
    fn convert(&self, value: Value) -> Result<Value, Invalid> {
        self(value)
    }
}

/// Applies a conversion to what a source found.
pub fn convert<'r>(
    input: Input<'r>,
    conversion: &(impl Conversion + ?Sized),
) -> Result<Input<'r>, Rejection> {
    if input.is_absent() {
        return Ok(input);
    }
    let (source, name, value) = input.into_parts();
    match conversion.convert_texts(Texts(value)) {
        Ok(texts) => Ok(Input::new(source, name, texts.0)),
        Err(problem) => Err(Rejection::malformed_parameter(
            source.noun(),
            name,
            &problem.to_string(),
        )),
    }
}
