//! Tests of the crate with a real PostgreSQL.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may fail like the test"
)]

mod cluster;
mod connections;
mod crowded;
mod encryption;
mod pooler;
mod statements;
mod support;
mod template;
