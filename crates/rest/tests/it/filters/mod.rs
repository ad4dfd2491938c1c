//! Filters at every level, and the shipped filters.

mod addresses;
mod authenticate;
mod compress;
mod cors;
mod levels;
mod mounts;
mod nesting;
mod rate_limit;
mod request_ids;
mod route_of;
mod security_headers;
mod simple;
mod timing;
mod trace;
mod values;
