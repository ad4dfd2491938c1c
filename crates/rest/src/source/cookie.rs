//! Arguments from cookies.

use std::borrow::Cow;

use http::header::COOKIE;

use super::input::Input;
use super::input_value::InputValue;
use crate::call::Call;
use crate::rejection::Rejection;
use crate::route::Source;

/// Reads the cookie with this name. Of several, the first counts: it has the longest path.
pub fn cookie<'r>(call: &'r Call<'_>, name: &'static str) -> Result<Input<'r>, Rejection> {
    for header in call.request.head().header_values(&COOKIE) {
        let Ok(header) = std::str::from_utf8(header) else {
            continue;
        };
        let value = header
            .split(';')
            .filter_map(|pair| pair.split_once('='))
            .find_map(|(key, value)| (key.trim() == name).then(|| unquote(value.trim())));
        if let Some(value) = value {
            return Ok(Input::new(
                Source::Cookie,
                name,
                InputValue::One(Cow::Borrowed(value)),
            ));
        }
    }
    Ok(Input::new(Source::Cookie, name, InputValue::Absent))
}

fn unquote(value: &str) -> &str {
    value
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        .unwrap_or(value)
}
