//! What the servers of Innkeeper share and the framework must not know.
//!
//! This crate will hold the settings reader, the clock, the source of randomness, the database pool,
//! telemetry and shutdown. Today it holds its version and nothing else.

/// The version of this crate.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
