//! Values that clients send, checked one at a time.

use http::StatusCode;
use uuid::Uuid;

use crate::base::contact::Email;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;

/// Returns a text that is not empty: clients send `null` and the empty text for an absent one.
pub(crate) fn non_empty(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}

/// Parses an email address that must be given.
pub(crate) fn required_email(text: Option<&str>) -> Result<Email> {
    let text =
        non_empty(text).ok_or_else(|| AuthError::validation("An email address is required"))?;
    Ok(Email::parse(text)?)
}

/// Parses an id of a path; a malformed one is 404, as clients expect.
pub(crate) fn parse_id(text: &str, name: &str) -> Result<Uuid> {
    Uuid::parse_str(text).map_err(|_| {
        AuthError::refused_as(
            StatusCode::NOT_FOUND,
            ErrorCode::ValidationFailed,
            format!("{name} must be an UUID"),
        )
    })
}

/// Escapes the characters that have a meaning in SQL's `like`.
pub(crate) fn escape_like(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '%' | '_' | '\\') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}
