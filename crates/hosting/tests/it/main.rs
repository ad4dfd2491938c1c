//! The hosting server as its clients see it: over sockets, with a folder of content for each test.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper of a test may fail like the test"
)]

mod actions; // actions on machines, on engines in memory
mod control; // what customers do with their machines
mod error_codes;
mod queries; // the statements of the store
mod routes; // one file for each route, and the rules that hold for all of them
mod stories; // actions of authors and operators, and their effects
mod support;
