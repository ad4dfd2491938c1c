//! Tests of the public API, one module per subject. They use the in-process client unless sockets are
//! the subject.

#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a helper of a test may fail like the test"
)]

mod bad_input;
mod caching;
mod conversions;
mod declaring;
mod deferred;
mod errors;
mod events;
#[expect(
    unreachable_pub,
    reason = "the library of another crate exports what is in the file"
)]
#[path = "../../../service/src/testing/eventually.rs"]
mod eventually;
mod examples;
mod files;
mod filters;
mod formats;
mod fuzz;
mod guide;
mod metadata;
mod openapi;
mod paging;
mod properties;
mod responses;
mod routing;
mod server;
mod sources;
mod tower;
mod uploads;
mod validation;
mod websocket;
