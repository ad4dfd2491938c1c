//! The request parameters of a page.

use std::borrow::Cow;

use crate::head::Head;
use crate::rejection::Rejection;
use crate::syntax::{decode, pairs};

/// The names of the request parameters that select a page.
#[derive(Debug, Clone)]
pub(super) struct ParameterNames {
    pub(super) page: Cow<'static, str>,
    pub(super) limit: Cow<'static, str>,
    pub(super) after: Cow<'static, str>,
}

/// How many items a page may have.
#[derive(Debug, Clone, Copy)]
pub(super) struct PageLimit {
    pub(super) items: usize,
    /// Whether the client asked for it, so that links repeat it.
    pub(super) is_requested: bool,
}

/// Returns the only parameter of this name in the query, decoded. The error says what is wrong with it.
pub(super) fn parameter(head: &Head, name: &str) -> Result<Option<String>, &'static str> {
    let mut found = None;
    for (key, value) in pairs(head.query().unwrap_or_default()) {
        if !decode::query(key).is_ok_and(|key| key == name) {
            continue;
        }
        let value = decode::query(value).map_err(decode::Malformed::as_str)?;
        if found.replace(value.into_owned()).is_some() {
            return Err("expected one value");
        }
    }
    Ok(found)
}

/// The 400 for a malformed parameter.
pub(super) fn malformed(name: &str, problem: &str) -> Rejection {
    Rejection::malformed_parameter("parameter", name.to_owned(), problem)
}
