//! The authentication and user-management server of Innkeeper.
//!
//! This crate will hold sign-up and sign-in, the tokens, the mails and the admin endpoints, as a
//! library with one function that serves them. Today it holds its version and nothing else.

/// The version of this crate.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
