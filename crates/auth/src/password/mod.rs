//! Passwords: the policy for new ones, the formats of stored hashes, and the threads that hash.

mod argon2id;
mod breached;
mod firebase;
mod format;
mod guesses;
mod hash;
mod policy;
mod pool;

pub use breached::{BreachedError, BreachedList};
pub use format::HashFormatError;
pub(crate) use guesses::is_trivial;
pub(crate) use hash::kind_of;
pub use hash::{check_import, needs_rehash};
pub use policy::{PasswordPolicy, PasswordPolicyError, Weakness};
pub use pool::{HashCounts, HashError, HashPool, PasswordCheck, PoolCounts, QueueCounts};
