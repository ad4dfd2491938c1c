//! Conversions: changes to the value of an argument before it gets its type.

mod separated_by;

use serde_json::Value;

pub use separated_by::{HeaderList, SeparatedBy};

use crate::rejection::{Invalid, Rejection};
use crate::source::{Input, InputValue};

/// Changes the value of an argument before it gets its type; used as `#[convert(Expr)]`.
///
/// Text is passed as a string and repeated parameters as an array. Conversions run in the order in
/// which they are written, and only if the argument is present.
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
    message = "`{Self}` is not a conversion",
    label = "this does not implement `Conversion`",
    note = "write `fn(Value) -> Result<Value, Invalid>`, or implement `innkeeper_rest::Conversion`"
)]
pub trait Conversion {
    /// Returns the changed value.
    fn convert(&self, value: Value) -> Result<Value, Invalid>;

    /// Changes the input without first making a [`Value`] of it, for conversions that can.
    #[doc(hidden)]
    fn convert_input<'r>(
        &self,
        input: ConversionInput<'r>,
    ) -> Result<ConversionInput<'r>, Invalid> {
        self.convert(input.0.into_value())
            .map(|value| ConversionInput(InputValue::Json(value)))
    }
}

/// The value of an argument on its way through a conversion.
#[doc(hidden)]
#[derive(Debug)]
pub struct ConversionInput<'r>(pub(crate) InputValue<'r>);

/// Functions are conversions.
impl<F: Fn(Value) -> Result<Value, Invalid>> Conversion for F {
    fn convert(&self, value: Value) -> Result<Value, Invalid> {
        self(value)
    }
}

/// Applies a conversion to the value of an argument.
pub fn convert<'r>(
    input: Input<'r>,
    conversion: &(impl Conversion + ?Sized),
) -> Result<Input<'r>, Rejection> {
    if input.is_absent() {
        return Ok(input);
    }
    input.check_text()?;
    let (source, name, value) = input.into_parts();
    match conversion.convert_input(ConversionInput(value)) {
        Ok(input) => Ok(Input::new(source, name, input.0)),
        Err(problem) => Err(Rejection::malformed_parameter(
            source.noun(),
            name,
            &problem.to_string(),
        )),
    }
}
