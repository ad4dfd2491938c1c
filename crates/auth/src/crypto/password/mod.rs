//! Passwords: the policy for new ones, the formats of stored hashes, and the threads that hash.

mod argon2id;
mod breached;
mod firebase;
mod format;
mod guesses;
mod hash;
mod policy;
mod pool;
mod turns;

pub use crate::base::weakness::Weakness;
pub use breached::{BreachedError, BreachedList};
pub use format::HashFormatError;
pub(crate) use guesses::is_trivial;
pub use hash::check_import;
pub(crate) use hash::{check_import_cost, kind_of};
pub use policy::{PasswordPolicy, PasswordPolicyError};
pub use pool::{HashCounts, HashError, HashPool, PasswordCheck, PoolCounts, QueueCounts};
pub(crate) use turns::{CheckTurn, CheckTurns};
