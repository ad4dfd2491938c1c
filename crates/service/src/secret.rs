//! Values that must not reach a log.

use std::fmt;

/// A value that is never shown: no `Display`, no `Serialize`, and `Debug` hides it.
///
/// ```
/// use innkeeper_service::secret::Secret;
///
/// let password = Secret::new("hunter2".to_owned());
/// assert_eq!(format!("{password:?}"), "Secret(…)");
/// assert_eq!(password.reveal(), "hunter2");
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret<T>(T);

impl<T> Secret<T> {
    /// Wraps a value.
    pub fn new(value: T) -> Self {
        Self(value)
    }

    /// Returns the value, which must not be printed.
    pub fn reveal(&self) -> &T {
        &self.0
    }
}

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}
