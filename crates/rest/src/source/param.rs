//! Arguments from the query.

use std::borrow::Cow;

use super::decode;
use super::input::{Input, InputValue};
use super::pairs::{QueryPairs, pairs};
use crate::rejection::Rejection;
use crate::resource::Call;
use crate::route::Source;

/// Reads the request parameter with this name: every occurrence in the query.
pub fn param<'r>(call: &'r Call<'_>, name: &'static str) -> Result<Input<'r>, Rejection> {
    let mut values = InputValue::Absent;
    if let Some(query) = call.request.head().query() {
        if call.pairs.count == QueryPairs::TOO_MANY {
            for (key, value) in pairs(query) {
                if is_name(key, name) {
                    values.push(decoded(value, name)?);
                }
            }
        } else {
            let QueryPairs {
                spans,
                count,
                escaped,
            } = &call.pairs;
            let mut bits = *escaped;
            for span in spans.iter().take(usize::from(*count)) {
                let is_escaped = bits & 1 == 1;
                bits >>= 1;
                let has_name =
                    span.has_key(query, name) || (is_escaped && is_name(span.key(query), name));
                if !has_name {
                    continue;
                }
                let value = span.value(query);
                let value = if is_escaped {
                    decoded(value, name)?
                } else {
                    Cow::Borrowed(value)
                };
                match values {
                    InputValue::Absent => values = InputValue::One(value),
                    _ => values.push(value),
                }
            }
        }
    }
    Ok(Input::new(Source::Param, name, values))
}

fn decoded<'q>(value: &'q str, name: &'static str) -> Result<Cow<'q, str>, Rejection> {
    decode::query(value).map_err(|problem| {
        Rejection::malformed_parameter(Source::Param.noun(), name, problem.as_str())
    })
}

/// Whether a key, which may be escaped, is this name. A key that cannot be decoded matches no name.
fn is_name(key: &str, name: &str) -> bool {
    // Escapes only make a key longer; a `+` for a space leaves its length unchanged.
    if key == name || key.len() < name.len() {
        return key == name;
    }
    key.bytes().any(|byte| byte == b'%' || byte == b'+')
        && decode::query(key).is_ok_and(|key| key == name)
}
