//! The boxed error of streams and bodies that others provide.

use std::error::Error;

/// A boxed error of any type.
pub type BoxError = Box<dyn Error + Send + Sync>;
