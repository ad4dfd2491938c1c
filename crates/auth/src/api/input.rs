//! Reading bodies the way the clients write them.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};



use crate::contact::Email;
use crate::error::{AuthError, Result};

/// A body in which `null` counts as an empty object.
#[derive(Debug, Default)]
pub(crate) struct Lenient<T>(pub(crate) T);

impl<'de, T: Deserialize<'de> + Default> Deserialize<'de> for Lenient<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let body = Option::<T>::deserialize(deserializer)?;
        Ok(Self(body.unwrap_or_default()))
    }
}

/// Reads a body as JSON, whatever its content type; `null` is `None`.
pub(crate) fn read_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<Option<T>> {
    serde_json::from_slice(bytes).map_err(|error| {
        AuthError::refused(
            400,
            "bad_json",
            format!("Could not parse request body as JSON: {error}"),
        )
    })
}

/// A text that is there: null and the empty text count as absent.
pub(crate) fn given(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}

/// An address that must be there.
pub(crate) fn required_email(text: Option<&str>) -> Result<Email> {
    let text = given(text).ok_or_else(|| AuthError::validation("An email address is required"))?;
    Ok(Email::parse(text)?)
}
