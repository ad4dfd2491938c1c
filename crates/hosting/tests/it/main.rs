//! The hosting server as its clients see it: over sockets, with folders of content of their own.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper of a test may fail like the test"
)]

mod queries; // the functions made from queries/*.sql
mod routes; // one file for each route, and the rules that hold for all of them
mod stories; // what an author or an operator does, and what becomes of it
mod support;
