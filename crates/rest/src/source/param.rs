//! Arguments from the query.

use std::borrow::Cow;

use memchr::memchr;

use super::decode;
use super::input::{Found, Input};
use crate::rejection::Rejection;
use crate::resource::Call;
use crate::route::Source;

/// The request parameter with this name: every occurrence in the query.
pub fn param<'r>(call: &'r Call<'_>, name: &'static str) -> Result<Input<'r>, Rejection> {
    let found = match call.request.head().query() {
        Some(query) => collect(query, name)?,
        None => Found::Absent,
    };
    Ok(Input::new(Source::Param, name, found))
}

/// Every value of a name in a query, or in a form, which is written the same way.
pub(crate) fn collect<'q>(query: &'q str, name: &'static str) -> Result<Found<'q>, Rejection> {
    let mut found = Found::Absent;
    for (key, value) in pairs(query) {
        if !is(key, name) {
            continue;
        }
        let value = decode::query(value).map_err(|problem| {
            Rejection::malformed_parameter(Source::Param.noun(), name, problem.as_str())
        })?;
        found.push(value);
    }
    Ok(found)
}

/// Whether a key, which may be escaped, is this name. A key that cannot be decoded is no name.
fn is(key: &str, name: &str) -> bool {
    match decode::query(key) {
        Ok(Cow::Borrowed(key)) => key == name,
        Ok(Cow::Owned(key)) => key == name,
        Err(_) => false,
    }
}

/// The pairs of a query, not decoded. A name without `=` has an empty value.
pub(crate) fn pairs(query: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = Some(query);
    std::iter::from_fn(move || {
        loop {
            let text = rest?;
            let pair = match memchr(b'&', text.as_bytes()) {
                Some(end) => {
                    let (pair, after) = text.split_at(end);
                    rest = after.get(1..);
                    pair
                }
                None => {
                    rest = None;
                    text
                }
            };
            if !pair.is_empty() {
                return Some(pair.split_once('=').unwrap_or((pair, "")));
            }
        }
    })
}
