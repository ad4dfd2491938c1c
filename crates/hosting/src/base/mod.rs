//! What every part of the server may use.

pub(crate) mod digest;
pub(crate) mod error_code;
pub(crate) mod parse;
pub(crate) mod prepared;
#[cfg(test)]
pub(crate) mod privileged_tests;
pub(crate) mod site;
pub(crate) mod timestamps;

/// The version of this crate.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
