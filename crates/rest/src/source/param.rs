//! Arguments from the query.

use std::borrow::Cow;

use super::input::Input;
use super::input_value::InputValue;
use crate::call::Call;
use crate::rejection::Rejection;
use crate::route::Source;
use crate::syntax::{QueryPairs, decode, pairs};

/// Reads the request parameter with this name: every occurrence in the query. An occurrence as `name[]`
/// is an item of a list.
pub fn param<'r>(call: &'r Call<'_>, name: &'static str) -> Result<Input<'r>, Rejection> {
    let mut values = InputValue::Absent;
    if let Some(query) = call.request.head().query() {
        if call.pairs.count == QueryPairs::TOO_MANY {
            for (key, value) in pairs(query) {
                match key_kind(key, name) {
                    KeyKind::Name => values.push(decoded(value, name)?),
                    KeyKind::Item => values.push_item(decoded(value, name)?),
                    KeyKind::Other => {}
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
                let kind = if span.has_key(query, name) {
                    KeyKind::Name
                } else if is_escaped || span.has_key_length(name.len() + ITEM.len()) {
                    key_kind(span.key(query), name)
                } else {
                    KeyKind::Other
                };
                if kind == KeyKind::Other {
                    continue;
                }
                let value = span.value(query);
                let value = if is_escaped {
                    decoded(value, name)?
                } else {
                    Cow::Borrowed(value)
                };
                match values {
                    _ if kind == KeyKind::Item => values.push_item(value),
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

/// Follows the name of a parameter whose value is an item of a list: `tag[]`.
const ITEM: &str = "[]";

/// What a key in a query or form is to a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyKind {
    /// Its name.
    Name,
    /// Its name with brackets.
    Item,
    /// The name of another parameter.
    Other,
}

impl KeyKind {
    /// Compares a key that is not escaped with a name.
    pub(super) fn of(key: &str, name: &str) -> Self {
        match key.strip_prefix(name) {
            Some("") => Self::Name,
            Some(ITEM) => Self::Item,
            _ => Self::Other,
        }
    }
}

/// Compares a key, which may be escaped, with a name. A key that cannot be decoded matches no name.
fn key_kind(key: &str, name: &str) -> KeyKind {
    // Escapes only make a key longer; a `+` for a space leaves its length unchanged.
    let is_escaped =
        || key.len() >= name.len() && key.bytes().any(|byte| byte == b'%' || byte == b'+');
    match KeyKind::of(key, name) {
        KeyKind::Other if is_escaped() => match decode::query(key) {
            Ok(key) => KeyKind::of(&key, name),
            Err(_) => KeyKind::Other,
        },
        kind => kind,
    }
}
