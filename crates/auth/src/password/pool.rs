//! The threads that hash passwords, apart from those that answer requests.
//!
//! Hashing is meant to be slow. On threads of its own, few and of low priority, it slows nothing
//! else down; and when more of it is asked for than can be done, callers are told at once.

use std::collections::VecDeque;
use std::fmt;
use std::hint::black_box;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread;
use std::time::Duration;

use tokio::sync::oneshot;
use zeroize::Zeroizing;

use super::argon2id::{self, Argon2Hash, Memory};
use super::hash::{HashFormatError, StoredHash};
use super::policy::Policy;

/// How many hashes may wait for each thread: some seconds of work.
const QUEUE_PER_THREAD: usize = 128;

/// After this long without work, a thread gives its memory back.
const IDLE: Duration = Duration::from_secs(10);

/// A thread that has nothing to give back sleeps on.
const ASLEEP: Duration = Duration::from_hours(24);

/// Low, so that requests come first; not the lowest, so that hashing goes on beside other work.
const NICENESS: i32 = 10;

/// Why a password was neither hashed nor checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HashError {
    /// Too many are waiting already.
    #[error("too many passwords are waiting to be hashed")]
    Busy,
    /// There was not enough memory, or the threads have ended.
    #[error("the password could not be hashed")]
    Failed,
}

/// Whether a password is the right one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// It is.
    pub matches: bool,
    /// It is, and should be hashed anew, because the stored hash is of a weaker kind.
    pub needs_rehash: bool,
}

/// How many hashes were computed, by kind. Those that were computed for nobody count too.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HashCounts {
    /// Argon2id and argon2i.
    pub argon2: u64,
    /// Bcrypt.
    pub bcrypt: u64,
    /// Firebase's scrypt.
    pub firebase: u64,
}

/// How much the threads were asked for and have done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HashTraffic {
    /// Passwords to be hashed, and those that were.
    pub hashes: Passed,
    /// Passwords to be compared with a hash, and those that were.
    pub checks: Passed,
}

/// What came in and what went out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Passed {
    /// What came in.
    pub submitted: u64,
    /// What went out.
    pub completed: u64,
}

/// Threads that hash passwords; they end when this is dropped.
pub struct HashPool {
    shared: Arc<Shared>,
    threads: usize,
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
        self.shared.stop();
    }
}

impl HashPool {
    /// One thread less than there are cores, but at least one.
    pub fn default_threads() -> usize {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        cores.saturating_sub(1).max(1)
    }

    /// Starts that many threads.
    pub fn new(threads: usize) -> io::Result<Self> {
        let threads = threads.max(1);
        let shared = Arc::new(Shared::new(threads.saturating_mul(QUEUE_PER_THREAD)));
        for number in 0..threads {
            let shared = Arc::clone(&shared);
            thread::Builder::new()
                .name(format!("password-{number}"))
                .spawn(move || work(&shared))?;
        }
        Ok(Self { shared, threads })
    }

    /// Lets an unknown user cost what this hash costs.
    ///
    /// Without this it costs what a new hash costs. Where most users still have a hash of another
    /// kind, that would tell them from nobody.
    pub fn imitate(&self, stored: &str) -> Result<(), HashFormatError> {
        let hash = StoredHash::parse(stored)?;
        let mut dummy = self
            .shared
            .dummy
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        *dummy = Arc::new(hash);
        Ok(())
    }

    /// How many hashes were computed so far.
    pub fn counts(&self) -> HashCounts {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let computed = &self.shared.computed;
        HashCounts {
            argon2: count(&computed.argon2),
            bcrypt: count(&computed.bcrypt),
            firebase: count(&computed.firebase),
        }
    }

    /// How much was asked for and done so far.
    pub fn traffic(&self) -> HashTraffic {
        HashTraffic {
            hashes: self.shared.hashes.read(),
            checks: self.shared.checks.read(),
        }
    }

    /// The hash to keep for a new password.
    pub async fn hash(&self, password: &str) -> Result<String, HashError> {
        let (answer, hashed) = oneshot::channel();
        let password = Zeroizing::new(password.as_bytes().to_vec());
        self.shared.push(Job::Hash { password, answer })?;
        hashed.await.unwrap_or(Err(HashError::Failed))
    }

    /// Whether a password is the one whose hash is stored.
    ///
    /// Nobody, somebody without a password, and somebody whose hash cannot be read never match,
    /// but take as long as if there were something to compare.
    pub async fn verify(&self, password: &str, stored: Option<&str>) -> Result<Verdict, HashError> {
        let (answer, verdict) = oneshot::channel();
        let stored = stored.and_then(|stored| {
            let parsed = StoredHash::parse(stored);
            parsed
                .inspect_err(|error| tracing::warn!(%error, "a stored password hash is unusable"))
                .ok()
        });
        self.shared.push(Job::Verify {
            // A password that can never have been accepted is nobody's.
            stored: stored.filter(|_| password.len() <= Policy::MAX_BYTES),
            password: Zeroizing::new(password.as_bytes().to_vec()),
            answer,
        })?;
        verdict.await.unwrap_or(Err(HashError::Failed))
    }
}

enum Job {
    Hash {
        password: Zeroizing<Vec<u8>>,
        answer: oneshot::Sender<Result<String, HashError>>,
    },
    Verify {
        password: Zeroizing<Vec<u8>>,
        stored: Option<StoredHash>,
        answer: oneshot::Sender<Result<Verdict, HashError>>,
    },
}

impl Job {
    /// Whether nobody waits for the answer any more.
    fn is_abandoned(&self) -> bool {
        match self {
            Self::Hash { answer, .. } => answer.is_closed(),
            Self::Verify { answer, .. } => answer.is_closed(),
        }
    }

    /// The hash that decides how much work this is; `None` is a new one.
    fn model<'a>(&'a self, dummy: &'a StoredHash) -> Option<&'a StoredHash> {
        match self {
            Self::Hash { .. } => None,
            Self::Verify { stored, .. } => Some(stored.as_ref().unwrap_or(dummy)),
        }
    }

    fn run(self, dummy: &StoredHash, memory: &mut Memory) {
        // Whoever gave up waiting does not read the answer.
        match self {
            Self::Hash { password, answer } => {
                let hashed = argon2id::hash(&password, memory);
                let _ = answer.send(hashed.ok_or(HashError::Failed));
            }
            Self::Verify {
                password,
                stored: None,
                answer,
            } => {
                black_box(dummy.matches(black_box(&password), memory));
                let _ = answer.send(Ok(Verdict {
                    matches: false,
                    needs_rehash: false,
                }));
            }
            Self::Verify {
                password,
                stored: Some(stored),
                answer,
            } => {
                let verdict = stored.matches(&password, memory).map(|matches| Verdict {
                    matches,
                    needs_rehash: matches && stored.needs_rehash(),
                });
                let _ = answer.send(verdict.ok_or(HashError::Failed));
            }
        }
    }
}

/// What the pool and its threads share.
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    limit: usize,
    dummy: RwLock<Arc<StoredHash>>,
    computed: Computed,
    hashes: Passing,
    checks: Passing,
}

/// Counts what comes and goes.
#[derive(Default)]
struct Passing {
    submitted: AtomicU64,
    completed: AtomicU64,
}

impl Passing {
    fn read(&self) -> Passed {
        Passed {
            submitted: self.submitted.load(Ordering::Relaxed),
            completed: self.completed.load(Ordering::Relaxed),
        }
    }
}

/// Counts hashes.
#[derive(Default)]
struct Computed {
    argon2: AtomicU64,
    bcrypt: AtomicU64,
    firebase: AtomicU64,
}

impl Computed {
    fn count(&self, model: Option<&StoredHash>) {
        let counter = match model {
            None | Some(StoredHash::Argon2(_)) => &self.argon2,
            Some(StoredHash::Bcrypt(_)) => &self.bcrypt,
            Some(StoredHash::Firebase(_)) => &self.firebase,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    stopped: bool,
}

enum Next {
    Job(Job),
    Idle,
    Stopped,
}

impl Shared {
    fn new(limit: usize) -> Self {
        Self {
            state: Mutex::default(),
            changed: Condvar::new(),
            limit,
            dummy: RwLock::new(Arc::new(StoredHash::Argon2(Argon2Hash::dummy()))),
            computed: Computed::default(),
            hashes: Passing::default(),
            checks: Passing::default(),
        }
    }

    fn passing(&self, job: &Job) -> &Passing {
        match job {
            Job::Hash { .. } => &self.hashes,
            Job::Verify { .. } => &self.checks,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, job: Job) -> Result<(), HashError> {
        let mut state = self.state();
        if state.jobs.len() >= self.limit {
            state.jobs.retain(|job| !job.is_abandoned());
        }
        if state.jobs.len() >= self.limit {
            return Err(HashError::Busy);
        }
        self.passing(&job).submitted.fetch_add(1, Ordering::Relaxed);
        state.jobs.push_back(job);
        self.changed.notify_one();
        Ok(())
    }

    /// The oldest job that somebody still waits for; waits for one up to this long.
    fn next(&self, patience: Duration) -> Next {
        let mut state = self.state();
        loop {
            if state.stopped {
                return Next::Stopped;
            }
            while let Some(job) = state.jobs.pop_front() {
                if !job.is_abandoned() {
                    return Next::Job(job);
                }
            }
            let waited = self.changed.wait_timeout(state, patience);
            let (after, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            if timeout.timed_out() && after.jobs.is_empty() && !after.stopped {
                return Next::Idle;
            }
            state = after;
        }
    }

    fn stop(&self) {
        let mut state = self.state();
        state.stopped = true;
        state.jobs.clear();
        self.changed.notify_all();
    }

    fn dummy(&self) -> Arc<StoredHash> {
        let dummy = self.dummy.read();
        Arc::clone(&dummy.unwrap_or_else(PoisonError::into_inner))
    }
}

/// What each thread does until the pool is gone.
fn work(shared: &Shared) {
    // On Linux this is about the calling thread alone.
    if let Err(error) = rustix::process::nice(NICENESS) {
        tracing::debug!(%error, "hashing runs at normal priority");
    }
    let mut memory = Memory::default();
    loop {
        let patience = if memory.is_empty() { ASLEEP } else { IDLE };
        match shared.next(patience) {
            Next::Job(job) => {
                let dummy = shared.dummy();
                shared.computed.count(job.model(&dummy));
                let passing = shared.passing(&job);
                // A thread that ended would be missed by everybody who signs in later.
                let run = AssertUnwindSafe(|| job.run(&dummy, &mut memory));
                if catch_unwind(run).is_err() {
                    tracing::error!("hashing a password panicked");
                }
                passing.completed.fetch_add(1, Ordering::Relaxed);
                memory.trim();
            }
            Next::Idle => memory.release(),
            Next::Stopped => return,
        }
    }
}

#[cfg(test)]
mod tests;
