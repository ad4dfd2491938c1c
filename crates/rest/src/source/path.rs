//! Arguments from the path: a segment, or the matrix parameters in a segment.

use super::input::Input;
use super::input_value::InputValue;
use super::matrix::split;
use crate::call::Call;
use crate::rejection::Rejection;
use crate::route::Source;
use crate::syntax::decode;

/// Reads the path parameter with this number and decodes it. The type of the argument decides about a segment
/// that cannot be decoded.
pub fn path<'r>(
    call: &'r Call<'_>,
    index: usize,
    name: &'static str,
) -> Result<Input<'r>, Rejection> {
    let raw = raw(call, index, Source::Path, name)?;
    let value = match decode::path(raw) {
        Ok(text) => InputValue::One(text),
        Err(problem) => InputValue::Undecodable(problem),
    };
    Ok(Input::new(Source::Path, name, value))
}

/// Reads the matrix parameters in the path parameter with this number: splits, then decodes.
pub fn matrix<'r>(
    call: &'r Call<'_>,
    index: usize,
    name: &'static str,
) -> Result<Input<'r>, Rejection> {
    let raw = raw(call, index, Source::Matrix, name)?;
    let entries = split(raw)
        .map_err(|problem| Rejection::malformed_parameter(Source::Matrix.noun(), name, &problem))?;
    Ok(Input::new(
        Source::Matrix,
        name,
        InputValue::Entries(entries),
    ))
}

fn raw<'r>(
    call: &'r Call<'_>,
    index: usize,
    source: Source,
    name: &'static str,
) -> Result<&'r str, Rejection> {
    call.request
        .raw_param(index)
        .ok_or_else(|| Rejection::missing_parameter(source.noun(), name))
}
