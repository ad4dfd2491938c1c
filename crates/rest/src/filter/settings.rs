//! The error of filters with invalid settings.

use std::fmt;

/// The error of a filter with invalid settings.
///
/// ```
/// use innkeeper_rest::filter::{Quota, RateLimit};
///
/// let error = RateLimit::builder(Quota::per_minute(0)).name("per page").build().unwrap_err();
/// assert_eq!(
///     error.problems(),
///     [
///         "`per page` is not a name: names have letters, digits, `-`, `_` and `.`",
///         "a quota must have at least one request",
///     ]
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterError(Vec<String>);

impl FilterError {
    pub(super) fn one(problem: impl Into<String>) -> Self {
        Self(vec![problem.into()])
    }

    /// Returns the value if there are no problems.
    pub(crate) fn unless<T>(problems: Vec<String>, value: T) -> Result<T, Self> {
        if problems.is_empty() {
            Ok(value)
        } else {
            Err(Self(problems))
        }
    }

    /// Returns the problems, one sentence each.
    pub fn problems(&self) -> &[String] {
        &self.0
    }
}

impl fmt::Display for FilterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl std::error::Error for FilterError {}
