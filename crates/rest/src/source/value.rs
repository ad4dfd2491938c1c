//! Arguments from the values that filters set.

use std::any::type_name;
use std::borrow::Cow;

use serde_json::Value;

use super::input::Input;
use super::input_value::InputValue;
use crate::call::Call;
use crate::rejection::Rejection;
use crate::route::Source;

/// Returns the value of this type. A value that no filter has set is an error of the application:
/// logged, and answered with 500.
pub(crate) fn value_typed<T>(call: &Call<'_>) -> Result<T, Rejection>
where
    T: Clone + Send + Sync + 'static,
{
    call.request.values().get::<T>().cloned().ok_or_else(|| {
        Rejection::internal(format!(
            "no filter has set a value of type {}",
            type_name::<T>()
        ))
    })
}

/// Returns the value of this name and type.
pub(crate) fn value_named<T>(call: &Call<'_>, name: &str) -> Result<T, Rejection>
where
    T: Clone + Send + Sync + 'static,
{
    call.request
        .values()
        .get_named::<T>(name)
        .cloned()
        .ok_or_else(|| {
            Rejection::internal(format!(
                "no filter has set a value `{name}` of type {}",
                type_name::<T>()
            ))
        })
}

/// Reads text or JSON that a filter has set, for conversions.
pub fn value_input<'r>(
    call: &'r Call<'_>,
    name: Option<&str>,
    argument: &'static str,
) -> Result<Input<'r>, Rejection> {
    let values = call.request.values();
    let value = match name {
        Some(name) => values
            .get_named::<String>(name)
            .map(|text| InputValue::One(Cow::Borrowed(text.as_str())))
            .or_else(|| {
                values
                    .get_named::<&'static str>(name)
                    .map(|&text| InputValue::One(text.into()))
            })
            .or_else(|| {
                values
                    .get_named::<Value>(name)
                    .map(|value| InputValue::Json(value.clone()))
            }),
        None => values
            .get::<String>()
            .map(|text| InputValue::One(Cow::Borrowed(text.as_str())))
            .or_else(|| {
                values
                    .get::<&'static str>()
                    .map(|&text| InputValue::One(text.into()))
            })
            .or_else(|| {
                values
                    .get::<Value>()
                    .map(|value| InputValue::Json(value.clone()))
            }),
    };
    // The type of the argument decides whether it may be absent.
    let value = value.unwrap_or(InputValue::Absent);
    Ok(Input::new(Source::Value, argument, value))
}
