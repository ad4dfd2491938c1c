//! What attackers try, one file for each kind. Attacks on a single route are with the tests of the route: forged
//! signatures in `routes/bearer.rs`, spoilt input in `stories/bad_input.rs`, races in `stories/concurrency.rs`. Raw
//! HTTP is in `crates/rest/tests/it/fuzz`, and the time of responses is measured by `make bench-auth-timing`.

mod bombs;
mod enumeration;
mod limits;
mod mass_assignment;
mod redirects;
mod tokens;
