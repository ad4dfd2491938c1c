//! The fast path for HTTP/1.1: requests whose head is well-formed and without surprises, and whose
//! body is empty or has arrived with the head. Nearly all are.
//!
//! Everything else is left to hyper, from the first byte of the request on: bodies that are still to
//! come, upgrades, other versions, and whatever is malformed. So hyper alone decides what is wrong
//! with a request.

mod encode;
mod parse;
mod serve;

pub(super) use parse::HeadLimits;
pub(super) use serve::{FastPathOutcome, push_refusal, serve};
