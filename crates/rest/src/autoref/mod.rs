//! Autoref specialization: how generated code finds out which traits a type implements.
//!
//! An argument may have any type that implements [`FromParam`](crate::FromParam), `FromStr` or
//! `Deserialize`, or be an `Option` or `Vec` of one. Which trait a type implements does not show in how
//! it is spelled, and Rust cannot choose an implementation by it. Method lookup can: it tries `&&&T`
//! before `&&T` before `&T`.
//!
//! Each level below is a trait, implemented for a [`Probe`] behind one more reference than the next
//! level, with the condition as its bound. A macro such as `read!` calls the method on a probe behind
//! as many references as there are levels; the first level whose condition holds is used. The last
//! level has no condition, so that the lookup ends there and not in a list of all levels. Its method
//! requires a trait that nothing implements, whose message says what to do.

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
    /// The probe of a type that is named.
    pub const NEW: Self = Self(PhantomData);

    /// Returns the probe of the type of a value.
    pub fn of(_: &T) -> Self {
        Self::NEW
    }
}
