//! The methods that a user signed in with.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Number;

/// An authentication method that a user signed in with, and the time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "AnyAmr")]
pub struct Amr {
    /// `password`, `otp`, `recovery`, …
    pub method: String,
    /// The time of the sign-in, in seconds since 1970.
    pub timestamp: i64,
    /// The identity provider, if the user signed in through one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
}

/// An entry of `amr` in either form: other issuers list bare method names, as RFC 8176 defines them.
#[derive(Deserialize)]
#[serde(untagged)]
enum AnyAmr {
    Name(String),
    Entry {
        method: String,
        #[serde(default, deserialize_with = "seconds")]
        timestamp: Option<i64>,
        #[serde(default)]
        provider: Option<String>,
    },
}

impl From<AnyAmr> for Amr {
    fn from(any: AnyAmr) -> Self {
        match any {
            AnyAmr::Name(method) => Self {
                method,
                timestamp: 0,
                provider: None,
            },
            AnyAmr::Entry {
                method,
                timestamp,
                provider,
            } => Self {
                method,
                timestamp: timestamp.unwrap_or_default(),
                provider,
            },
        }
    }
}

/// Deserializes a time in seconds, rounded down.
pub(crate) fn seconds<'de, D: Deserializer<'de>>(input: D) -> Result<Option<i64>, D::Error> {
    Ok(Option::<Number>::deserialize(input)?.map(|number| whole_seconds(&number)))
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a time past the end of i64 is the end of i64"
)]
fn whole_seconds(number: &Number) -> i64 {
    number
        .as_i64()
        .or_else(|| number.as_f64().map(|seconds| seconds.floor() as i64))
        .unwrap_or(i64::MAX)
}
