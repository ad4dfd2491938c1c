//! What the attributes accept and refuse, compiled with the framework.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may fail like the test"
)]

mod compile_fail;
