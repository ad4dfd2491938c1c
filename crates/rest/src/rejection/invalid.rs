//! The error of a single value, from which a rejection is made.

use std::borrow::Cow;
use std::fmt;

/// Why a value is not valid, in words for the client.
///
/// ```
/// use innkeeper_rest::Invalid;
///
/// assert_eq!(Invalid::expected("an even number").to_string(), "expected an even number");
/// assert_eq!(Invalid::because("7 is odd").to_string(), "7 is odd");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid(Cow<'static, str>);

impl Invalid {
    /// Creates an error that reads "expected …".
    pub fn expected(what: impl fmt::Display) -> Self {
        Self(format!("expected {what}").into())
    }

    /// Creates an error with this message.
    pub fn because(problem: impl fmt::Display) -> Self {
        Self(problem.to_string().into())
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Invalid {}
