//! The hosting server as its clients see it: over sockets, with folders of content of their own.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper of a test may fail like the test"
)]

mod queries; // the functions made from queries/*.sql
