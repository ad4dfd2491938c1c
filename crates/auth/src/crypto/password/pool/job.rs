//! One job of the hashing pool: hash a password, or compare one with a stored hash.

use std::hint::black_box;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use tokio::sync::oneshot;
use zeroize::Zeroizing;

use super::super::argon2id::{self, Memory};
use super::super::hash::StoredHash;
use crate::base::error::AuthError;
use crate::config::HashCost;

/// A password was neither hashed nor compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HashError {
    /// The queue of the pool is full.
    #[error("too many passwords are waiting to be hashed")]
    Busy,
    /// Memory ran out, or the threads have ended.
    #[error("the password could not be hashed")]
    Failed,
}

impl From<HashError> for AuthError {
    fn from(error: HashError) -> Self {
        match error {
            HashError::Busy => Self::Busy,
            HashError::Failed => Self::internal(error),
        }
    }
}

/// The result of comparing a password with a stored hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PasswordCheck {
    /// The password is the one that was hashed.
    pub matches: bool,
    /// The password matches, and should be hashed again because the stored hash is weaker than a new
    /// one.
    pub needs_rehash: bool,
}

pub(super) enum Job {
    Hash {
        password: Zeroizing<Vec<u8>>,
        reply: oneshot::Sender<Result<String, HashError>>,
    },
    Verify {
        password: Zeroizing<Vec<u8>>,
        /// `None` if there is nothing to compare with; the job then only takes time.
        stored: Option<StoredHash>,
        reply: oneshot::Sender<Result<PasswordCheck, HashError>>,
    },
    /// Checks some password, only to see how long that takes.
    Measure {
        stored: StoredHash,
        reply: oneshot::Sender<Duration>,
    },
}

impl Job {
    /// Returns whether the caller no longer waits for the result.
    pub(super) fn is_abandoned(&self) -> bool {
        match self {
            Self::Hash { reply, .. } => reply.is_closed(),
            Self::Verify { reply, .. } => reply.is_closed(),
            Self::Measure { reply, .. } => reply.is_closed(),
        }
    }

    /// Returns the stored hash that this job computes, or `None` if it computes a new one.
    pub(super) fn computes<'a>(&'a self, dummy: &'a StoredHash) -> Option<&'a StoredHash> {
        match self {
            Self::Hash { .. } => None,
            Self::Verify { stored, .. } => Some(stored.as_ref().unwrap_or(dummy)),
            Self::Measure { stored, .. } => Some(stored),
        }
    }

    pub(super) fn run(self, cost: HashCost, dummy: &StoredHash, memory: &mut Memory) {
        // Sending fails if the caller gave up waiting; nobody needs the result then.
        match self {
            Self::Hash { password, reply } => {
                let hash = argon2id::hash(&password, cost, memory);
                let _ = reply.send(hash.ok_or(HashError::Failed));
            }
            Self::Verify {
                password,
                stored: None,
                reply,
            } => {
                black_box(dummy.matches(black_box(&password), memory));
                let _ = reply.send(Ok(PasswordCheck {
                    matches: false,
                    needs_rehash: false,
                }));
            }
            Self::Verify {
                password,
                stored: Some(stored),
                reply,
            } => {
                let check = stored
                    .matches(&password, memory)
                    .map(|matches| PasswordCheck {
                        matches,
                        needs_rehash: matches && stored.needs_rehash(cost),
                    });
                let _ = reply.send(check.ok_or(HashError::Failed));
            }
            Self::Measure { stored, reply } => {
                let start = thread_time();
                black_box(stored.matches(black_box(b"measured"), memory));
                let _ = reply.send(thread_time().saturating_sub(start));
            }
        }
    }
}

/// Returns the processor time of this thread. A busy computer does not make a measured hash look costlier.
fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}
