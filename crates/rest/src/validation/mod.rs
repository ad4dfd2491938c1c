//! Validation of arguments: generated code collects all violations and rejects the request once.

#[cfg(feature = "validation")]
mod checks;
#[cfg(feature = "validation")]
mod names;

#[cfg(feature = "validation")]
pub use checks::*;

use crate::rejection::{FieldError, Rejection};

/// The violations in all arguments of a call.
#[derive(Debug, Default)]
pub struct Violations(Vec<FieldError>);

impl Violations {
    /// Creates an empty list.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Returns 422 with all violations, if there are any.
    pub fn into_result(self) -> Result<(), Rejection> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(Rejection::invalid(self.0))
        }
    }
}

/// Validates an entity whose type implements `garde::Validate`.
#[cfg(not(feature = "validation"))]
#[macro_export]
#[doc(hidden)]
macro_rules! __check {
    ($type:ty, $value:expr, $call:expr, $violations:expr) => {};
}

/// Wraps the checks of a `#[validate]`, which need the feature `validation`.
#[cfg(not(feature = "validation"))]
#[macro_export]
#[doc(hidden)]
macro_rules! __validate {
    ($($statement:tt)*) => {
        ::core::compile_error!(
            "`#[validate]` needs the feature `validation` of `innkeeper-rest`; add it in `Cargo.toml`"
        )
    };
}
