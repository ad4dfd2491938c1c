//! Ids in the API.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The longest id, in bytes.
const MAX_LENGTH: usize = 64;

/// The id of a machine in the API. Operators may choose it, so it is never used as the name of a file, a
/// container or a volume.
///
/// ```
/// use innkeeper_hosting::model::PublicId;
///
/// assert!(PublicId::parse("mc-eu.west~1").is_some());
/// assert!(PublicId::parse("-mc").is_none());
/// assert!(PublicId::parse(&"a".repeat(65)).is_none());
/// ```
#[derive(
    Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct PublicId(String);

impl PublicId {
    /// Returns the id if it is a letter or digit, followed by at most 63 of these and `.`, `_`, `~`, `-`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut bytes = text.bytes();
        let is_valid = text.len() <= MAX_LENGTH
            && bytes
                .next()
                .is_some_and(|first| first.is_ascii_alphanumeric())
            && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"._~-".contains(&byte));
        is_valid.then(|| Self(text.to_owned()))
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PublicId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns a new id: a prefix, `_`, and a UUID of version 7 in Crockford's base 32, so that ids sort by
/// time.
pub fn new_id(prefix: &str) -> String {
    const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let number = Uuid::now_v7().as_u128();
    let letters = (0..26).rev().map(|place| {
        let digit = usize::try_from(number >> (place * 5) & 31).unwrap_or_default();
        char::from(LETTERS.get(digit).copied().unwrap_or(b'0'))
    });
    format!("{prefix}_{}", letters.collect::<String>())
}
