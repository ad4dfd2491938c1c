//! Counters of the hashing pool, for metrics and tests.

use std::sync::atomic::{AtomicU64, Ordering};

use super::super::hash::StoredHash;

/// Hashes computed since start, by algorithm. Dummy hashes, computed for users who do not exist,
/// count too.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HashCounts {
    /// Argon2id and argon2i.
    pub argon2: u64,
    /// Bcrypt.
    pub bcrypt: u64,
    /// Firebase's scrypt.
    pub firebase: u64,
}

/// Jobs of the hashing pool, by what they do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PoolCounts {
    /// Jobs that hash a new password.
    pub hashes: QueueCounts,
    /// Jobs that compare a password with a stored hash.
    pub checks: QueueCounts,
}

/// Jobs handed to the pool and jobs finished, since start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QueueCounts {
    /// Jobs put into the queue.
    pub submitted: u64,
    /// Jobs run to their end.
    pub completed: u64,
}

/// The counters behind [`QueueCounts`].
#[derive(Default)]
pub(super) struct QueueCounters {
    submitted: AtomicU64,
    completed: AtomicU64,
}

impl QueueCounters {
    pub(super) fn count_submitted(&self) {
        self.submitted.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn count_completed(&self) {
        self.completed.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn read(&self) -> QueueCounts {
        QueueCounts {
            submitted: self.submitted.load(Ordering::Relaxed),
            completed: self.completed.load(Ordering::Relaxed),
        }
    }
}

/// The counters behind [`HashCounts`].
#[derive(Default)]
pub(super) struct HashCounters {
    argon2: AtomicU64,
    bcrypt: AtomicU64,
    firebase: AtomicU64,
}

impl HashCounters {
    /// Counts the computation of a stored hash, or of a new one if there is none.
    pub(super) fn count(&self, stored: Option<&StoredHash>) {
        let counter = match stored {
            None | Some(StoredHash::Argon2(_)) => &self.argon2,
            Some(StoredHash::Bcrypt(_)) => &self.bcrypt,
            Some(StoredHash::Firebase(_)) => &self.firebase,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn read(&self) -> HashCounts {
        HashCounts {
            argon2: self.argon2.load(Ordering::Relaxed),
            bcrypt: self.bcrypt.load(Ordering::Relaxed),
            firebase: self.firebase.load(Ordering::Relaxed),
        }
    }
}
