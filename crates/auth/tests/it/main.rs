//! The server as its clients see it, with a real PostgreSQL and real SMTP.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper of a test may fail like the test"
)]

mod attacks;
mod error_codes;
mod factors;
mod migrate;
mod pages;
mod passkeys;
mod queries;
mod routes;
mod stories;
mod support;
