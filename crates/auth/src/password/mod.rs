//! Passwords: which are good enough, how they are kept, and who computes that.

mod argon2id;
mod breached;
mod firebase;
mod hash;
mod policy;
mod pool;

pub use breached::{Breached, BreachedError};
pub use hash::{HashFormatError, check_import, needs_rehash};
pub use policy::{Policy, PolicyError, Weakness};
pub use pool::{HashCounts, HashError, HashPool, HashTraffic, Passed, Verdict};
