//! What generated code notes while it checks arguments, and how it becomes one answer.

#[cfg(feature = "validation")]
mod checks;
#[cfg(feature = "validation")]
mod names;

#[cfg(feature = "validation")]
pub use checks::*;

use crate::rejection::{FieldError, Rejection};

/// The faults of all arguments of a call.
#[derive(Debug, Default)]
pub struct Faults(Vec<FieldError>);

impl Faults {
    /// None yet.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// 422 with all of them, if there are any.
    pub fn done(self) -> Result<(), Rejection> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(Rejection::invalid(self.0))
        }
    }
}

/// Checks an entity, if its type says how.
#[cfg(not(feature = "validation"))]
#[macro_export]
#[doc(hidden)]
macro_rules! __check {
    ($type:ty, $value:expr, $call:expr, $faults:expr) => {};
}

/// What `#[validate]` on an argument becomes.
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
