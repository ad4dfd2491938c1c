//! Filters at every level, and those that are shipped.

mod addresses;
mod levels;
mod request_ids;
mod simple;
mod trace;
mod values;
