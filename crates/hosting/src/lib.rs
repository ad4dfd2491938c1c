//! The hosting and content API of Innkeeper.
//!
//! This crate will hold status, plans, articles and feedback for everyone, and power, console and
//! log actions for customers, as a library with one function that serves them. Today it holds its
//! version and nothing else.

/// The version of this crate.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
