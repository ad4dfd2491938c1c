//! The tests of the `innkeeper` binary and of the repository as a whole.

mod command_line; // what people type
mod spec_coverage; // docs/spec-coverage.md names tests that exist
