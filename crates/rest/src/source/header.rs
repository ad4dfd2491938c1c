//! Arguments from headers.

use std::borrow::Cow;

use http::header::HeaderName;

use super::input::Input;
use super::input_value::InputValue;
use crate::call::Call;
use crate::rejection::Rejection;
use crate::route::Source;

/// Reads all values of the header with this name. `shown` is the name as declared, for messages.
#[expect(
    clippy::needless_pass_by_value,
    reason = "generated code passes a constant"
)]
pub fn header<'r>(
    call: &'r Call<'_>,
    name: HeaderName,
    shown: &'static str,
) -> Result<Input<'r>, Rejection> {
    let mut values = InputValue::Absent;
    for value in call.request.head().header_values(&name) {
        let text = std::str::from_utf8(value).map_err(|_| {
            Rejection::malformed_parameter(Source::Header.noun(), shown, "expected text")
        })?;
        values.push(Cow::Borrowed(text));
    }
    Ok(Input::new(Source::Header, shown, values))
}
