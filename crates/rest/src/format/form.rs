//! URL-encoded forms.

use std::borrow::Cow;

use crate::rejection::Rejection;
use crate::syntax::{decode, pairs};

/// Splits a form into its pairs and decodes them.
pub(crate) fn form_pairs(text: &str) -> Result<Vec<(String, String)>, Rejection> {
    let decode = |text| {
        decode::query(text).map(Cow::into_owned).map_err(|problem| {
            Rejection::malformed_body(format!("malformed form: {}", problem.as_str()))
        })
    };
    pairs(text)
        .map(|(name, value)| Ok((decode(name)?, decode(value)?)))
        .collect()
}
