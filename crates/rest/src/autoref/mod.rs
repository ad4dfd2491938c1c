//! How generated code finds out what a type can do.
//!
//! An argument may be any type that implements [`FromParam`](crate::FromParam), `FromStr` or `Deserialize`, and `Option`
//! and `Vec` of one. Which of these holds is a property of the type, not of how it is spelled, and
//! Rust has no "if it implements". Method lookup has: it tries `&&&T` before `&&T` before `&T`. Each
//! rung below is a trait implemented for one more reference than the next, with the condition as its
//! bound, and `read!` calls the method on a value behind as many references as there are rungs. The
//! first rung whose condition holds answers. The last one has no condition, so that the lookup ends
//! there and not in a list of all rungs; its method asks for a trait that nothing implements, whose
//! message says what to do.

mod body;
mod describe;
mod read;
mod reply;
mod value;

use std::marker::PhantomData;

pub use body::*;
#[cfg(feature = "openapi")]
pub use describe::*;
pub use read::*;
pub use reply::*;
pub use value::*;

/// Stands for a type on the autoref.
pub struct Probe<T: ?Sized>(PhantomData<fn() -> PhantomData<T>>);

impl<T: ?Sized> std::fmt::Debug for Probe<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Probe")
    }
}

impl<T> Probe<T> {
    /// The type, named.
    pub const NEW: Self = Self(PhantomData);

    /// The type of a value.
    pub fn of(_: &T) -> Self {
        Self::NEW
    }
}
