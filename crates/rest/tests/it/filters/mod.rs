//! Filters at every level, and those that are shipped.

mod addresses;
mod cors;
mod levels;
mod mounts;
mod request_ids;
mod simple;
mod trace;
mod values;
