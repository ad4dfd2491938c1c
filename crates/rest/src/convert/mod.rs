//! Conversions: what happens to an argument between its source and its type.

mod matrix;
mod separated_by;

use serde_json::Value;

pub(crate) use matrix::matrix;
pub use separated_by::SeparatedBy;

use crate::rejection::Rejection;
use crate::source::{Found, Input, Invalid};

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
pub trait Conversion {
    /// The changed value.
    fn convert(&self, value: Value) -> Result<Value, Invalid>;
}

impl<C: Conversion + ?Sized> Conversion for &C {
    fn convert(&self, value: Value) -> Result<Value, Invalid> {
        (**self).convert(value)
    }
}

/// A function is a conversion.
impl Conversion for fn(Value) -> Result<Value, Invalid> {
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
    let (source, name, found) = input.into_parts();
    match conversion.convert(found.into_value()) {
        Ok(value) => Ok(Input::new(source, name, Found::Value(value))),
        Err(problem) => Err(Rejection::malformed_parameter(
            source.noun(),
            name,
            &problem.to_string(),
        )),
    }
}
