//! The threads that hash passwords, separate from those that handle requests.
//!
//! Hashing is slow by design. On few threads of its own, at low priority, it slows nothing else down;
//! and when the queue is full, callers get an error at once.

mod counts;
mod job;
mod queue;

use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError, RwLock};
use std::thread;
use std::time::Duration;

use tokio::sync::oneshot;
use zeroize::Zeroizing;

use super::argon2id::{Argon2Hash, Memory};
use super::format::HashFormatError;
use super::hash::StoredHash;
use super::policy::PasswordPolicy;
use crate::config::HashCost;
use counts::HashCounters;
pub use counts::{HashCounts, PoolCounts, QueueCounts};
use job::Job;
pub use job::{HashError, PasswordCheck};
use queue::{JobQueue, NextJob};

/// How many jobs may wait for each thread: a few seconds of work.
const QUEUE_PER_THREAD: usize = 128;

/// How long a thread is idle before it frees its memory.
const IDLE: Duration = Duration::from_secs(10);

/// How long a thread waits for a job when it has no memory to free.
const ASLEEP: Duration = Duration::from_hours(24);

/// Low, so that requests come first; not the lowest, so that hashing still gets its turn on a busy
/// machine.
const NICENESS: i32 = 10;

/// A pool of threads that hash passwords. The threads end when the pool is dropped.
pub struct HashPool {
    inner: Arc<PoolInner>,
    threads: usize,
}

/// The part that the pool shares with its threads.
struct PoolInner {
    queue: JobQueue,
    /// Of new hashes.
    cost: HashCost,
    /// Computed for users who do not exist, so that they take as long as others.
    dummy: RwLock<Arc<StoredHash>>,
    computed: HashCounters,
}

impl fmt::Debug for HashPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HashPool")
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

impl Drop for HashPool {
    fn drop(&mut self) {
        self.inner.queue.stop();
    }
}

impl HashPool {
    /// Returns one thread less than there are cores, but at least one.
    pub fn default_threads() -> usize {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        cores.saturating_sub(1).max(1)
    }

    /// Starts a pool with this many threads, at least one, that makes new hashes of this cost.
    pub fn new(threads: usize, cost: HashCost) -> io::Result<Self> {
        let threads = threads.max(1);
        let dummy = Argon2Hash::dummy(cost)
            .ok_or_else(|| io::Error::other("no hash can have this cost"))?;
        let inner = Arc::new(PoolInner {
            queue: JobQueue::new(threads.saturating_mul(QUEUE_PER_THREAD)),
            cost,
            dummy: RwLock::new(Arc::new(StoredHash::Argon2(dummy))),
            computed: HashCounters::default(),
        });
        for number in 0..threads {
            let inner = Arc::clone(&inner);
            thread::Builder::new()
                .name(format!("password-{number}"))
                .spawn(move || run_jobs(&inner))?;
        }
        Ok(Self { inner, threads })
    }

    /// Makes the check for an unknown user take as long as one against this hash.
    ///
    /// By default it takes as long as a new hash. Where most users still have a hash of another format,
    /// the difference in time would tell existing users from unknown ones.
    pub fn set_dummy(&self, stored: &str) -> Result<(), HashFormatError> {
        let hash = StoredHash::parse(stored)?;
        let mut dummy = self
            .inner
            .dummy
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        *dummy = Arc::new(hash);
        Ok(())
    }

    /// Returns how many hashes were computed, by algorithm.
    pub fn hash_counts(&self) -> HashCounts {
        self.inner.computed.read()
    }

    /// Returns how many jobs were submitted and completed.
    pub fn job_counts(&self) -> PoolCounts {
        self.inner.queue.counts()
    }

    /// Hashes a new password, for storage.
    pub async fn hash(&self, password: &str) -> Result<String, HashError> {
        let (reply, hash) = oneshot::channel();
        let password = Zeroizing::new(password.as_bytes().to_vec());
        self.inner.queue.push(Job::Hash { password, reply })?;
        hash.await.unwrap_or(Err(HashError::Failed))
    }

    /// Compares a password with a stored hash.
    ///
    /// Without a stored hash, or with one that cannot be parsed, nothing matches, but the check takes as
    /// long as if there were something to compare.
    pub async fn verify(
        &self,
        password: &str,
        stored: Option<&str>,
    ) -> Result<PasswordCheck, HashError> {
        let (reply, check) = oneshot::channel();
        let stored = stored.and_then(|stored| {
            let parsed = StoredHash::parse(stored);
            parsed
                .inspect_err(|error| tracing::warn!(%error, "a stored password hash is unusable"))
                .ok()
        });
        self.inner.queue.push(Job::Verify {
            // No user can have a password that was never accepted.
            stored: stored.filter(|_| password.len() <= PasswordPolicy::MAX_BYTES),
            password: Zeroizing::new(password.as_bytes().to_vec()),
            reply,
        })?;
        check.await.unwrap_or(Err(HashError::Failed))
    }
}

impl HashPool {
    /// Returns how long a check against this hash takes, without the time in the queue.
    pub(crate) async fn measure(&self, stored: &str) -> Result<Duration, HashError> {
        let stored = StoredHash::parse(stored).map_err(|_| HashError::Failed)?;
        let (reply, measured) = oneshot::channel();
        self.inner.queue.push(Job::Measure { stored, reply })?;
        measured.await.map_err(|_| HashError::Failed)
    }
}

impl PoolInner {
    fn dummy(&self) -> Arc<StoredHash> {
        let dummy = self.dummy.read();
        Arc::clone(&dummy.unwrap_or_else(PoisonError::into_inner))
    }
}

/// Runs jobs on the calling thread until the pool is dropped.
fn run_jobs(pool: &PoolInner) {
    // On Linux this sets the priority of the calling thread only.
    if let Err(error) = rustix::process::nice(NICENESS) {
        tracing::debug!(%error, "hashing runs at normal priority");
    }
    let mut memory = Memory::default();
    loop {
        let timeout = if memory.is_empty() { ASLEEP } else { IDLE };
        match pool.queue.next(timeout) {
            NextJob::Job(job) => {
                let dummy = pool.dummy();
                pool.computed.count(job.computes(&dummy));
                let counters = pool.queue.counters(&job);
                // If a panic ended this thread, later sign-ins would have one thread less.
                let run = AssertUnwindSafe(|| job.run(pool.cost, &dummy, &mut memory));
                if catch_unwind(run).is_err() {
                    tracing::error!("hashing a password panicked");
                }
                counters.count_completed();
                memory.trim(pool.cost);
            }
            NextJob::Idle => memory.release(),
            NextJob::Stopped => return,
        }
    }
}

#[cfg(test)]
mod tests;
