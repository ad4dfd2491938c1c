//! What every part of the server may use.

pub(crate) mod client;
pub mod contact;
pub(crate) mod error;
pub(crate) mod error_code;
pub(crate) mod input;
pub(crate) mod raised;
pub(crate) mod time_text;
pub(crate) mod weakness;

/// The version of the server.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
