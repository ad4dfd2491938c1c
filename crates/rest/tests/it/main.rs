//! The framework from outside: one module per subject, all through the in-process client unless a
//! socket is the subject.

mod bad_input;
mod compile_fail;
mod conversions;
mod declaring;
mod deferred;
mod errors;
mod filters;
mod formats;
mod metadata;
mod properties;
mod responses;
mod routing;
mod server;
mod sources;
mod tower;
mod uploads;
