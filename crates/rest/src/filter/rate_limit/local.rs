//! Counting in memory.
//!
//! The generic cell rate algorithm needs one number per key, the time at which its quota is whole
//! again. A key whose time has passed is the same as one that was never seen, so forgetting it costs
//! nothing, and memory stays within a bound that no timer has to watch over. That, and quotas that come
//! with the question, is why this is no crate: the ones there are keep every key until they are told
//! otherwise, and one quota each.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::{Decision, LimitKey, Limiter, Quota};
use crate::body::BoxError;
use crate::tick;

/// Counts requests in the memory of this process.
///
/// It remembers keys only until their quota is whole again, and at most a hundred thousand of them
/// unless told otherwise, at about thirty bytes each. When there are more, those that are nearest to
/// having their quota back are forgotten first.
///
/// ```
/// use std::sync::Arc;
///
/// use innkeeper_rest::filter::{LocalLimiter, Quota, RateLimit};
///
/// // Filters that share a limiter count apart under different names, and together under the same.
/// let limiter = Arc::new(LocalLimiter::new().with_capacity(10_000));
/// let reading = RateLimit::builder(Quota::per_minute(120)).name("reading").limiter(limiter.clone());
/// let writing = RateLimit::builder(Quota::per_minute(10)).name("writing").limiter(limiter);
/// # assert!(reading.build().is_ok() && writing.build().is_ok());
/// ```
pub struct LocalLimiter {
    shards: Vec<Mutex<Shard>>,
    /// Different in each process, so that nobody can choose keys that share a hash, and memory shows
    /// no addresses. That two of a hundred thousand keys share one by chance is one in three thousand
    /// million.
    hasher: RandomState,
    /// Another clock than the system's, and what it said at the start.
    clock: Option<(Instant, Box<TellTime>)>,
}

type TellTime = dyn Fn() -> Instant + Send + Sync;

/// Some of the keys.
struct Shard {
    /// When the quota of each key is whole again, in nanoseconds of the clock.
    whole_at: HashMap<u64, u64, BuildHasherDefault<Hashed>>,
    /// How many keys there may be.
    capacity: usize,
    /// How many keys there may be before those that mean nothing any more are looked for.
    sweep_at: usize,
}

/// Takes keys as they are, because they are hashes already.
#[derive(Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// So that cores seldom wait for each other.
const SHARDS: usize = 16;
const CAPACITY: usize = 100_000;
/// Fewer keys than this in a shard are not worth a look.
const FEW: usize = 64;

impl LocalLimiter {
    /// A limiter that has counted nothing yet.
    pub fn new() -> Self {
        Self {
            shards: shards(CAPACITY),
            hasher: RandomState::new(),
            clock: None,
        }
    }

    /// Remembers at most so many keys, but no fewer than sixteen.
    #[must_use]
    pub fn with_capacity(mut self, keys: usize) -> Self {
        self.shards = shards(keys);
        self
    }

    /// Takes the time from here: for tests, which do not want to wait.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::sync::atomic::{AtomicU64, Ordering};
    /// use std::time::{Duration, Instant};
    ///
    /// use innkeeper_rest::filter::{Limiter, LocalLimiter, Quota};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let (start, passed) = (Instant::now(), Arc::new(AtomicU64::new(0)));
    /// let seconds = Arc::clone(&passed);
    /// let limiter = LocalLimiter::new()
    ///     .with_clock(move || start + Duration::from_secs(seconds.load(Ordering::Relaxed)));
    ///
    /// let hourly = Quota::per_hour(1);
    /// assert!(limiter.check("ada", hourly).await.unwrap().allowed);
    /// assert!(!limiter.check("ada", hourly).await.unwrap().allowed);
    /// passed.store(3600, Ordering::Relaxed);
    /// assert!(limiter.check("ada", hourly).await.unwrap().allowed);
    /// # });
    /// ```
    #[must_use]
    pub fn with_clock(mut self, clock: impl Fn() -> Instant + Send + Sync + 'static) -> Self {
        self.clock = Some((clock(), Box::new(clock)));
        self
    }

    /// How many keys are remembered now.
    pub fn keys(&self) -> usize {
        self.shards
            .iter()
            .map(|shard| locked(shard).whole_at.len())
            .sum()
    }

    /// Counts a request.
    fn take(&self, key: impl Hash, quota: Quota) -> Decision {
        let hash = self.hasher.hash_one(key);
        // The table looks at the first and the last bits.
        let number = (hash >> 32) as usize % SHARDS;
        let Some(shard) = self.shards.get(number) else {
            let now = self.now();
            return decide(now, now, quota).0;
        };
        let mut shard = locked(shard);
        // Only now: whoever waited for the others would count by a time at which theirs had not been.
        shard.take(hash, self.now(), quota)
    }

    /// Nanoseconds of the clock.
    fn now(&self) -> u64 {
        let Some((start, clock)) = &self.clock else {
            return tick::steady_nanos();
        };
        let passed = clock().saturating_duration_since(*start);
        u64::try_from(passed.as_nanos()).unwrap_or(u64::MAX)
    }
}

impl Default for LocalLimiter {
    fn default() -> Self {
        Self::new()
    }
}

fn shards(keys: usize) -> Vec<Mutex<Shard>> {
    let capacity = (keys / SHARDS).max(1);
    let shard = || Shard {
        whole_at: HashMap::default(),
        capacity,
        sweep_at: capacity.min(FEW),
    };
    (0..SHARDS).map(|_| Mutex::new(shard())).collect()
}

fn locked(shard: &Mutex<Shard>) -> MutexGuard<'_, Shard> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shard {
    fn take(&mut self, hash: u64, now: u64, quota: Quota) -> Decision {
        if let Some(known) = self.whole_at.get_mut(&hash) {
            let (decision, whole_at) = decide(*known, now, quota);
            if decision.allowed {
                *known = whole_at;
            }
            return decision;
        }
        let (decision, whole_at) = decide(now, now, quota);
        if decision.allowed {
            if self.whole_at.len() >= self.sweep_at {
                self.sweep(now);
            }
            self.whole_at.insert(hash, whole_at);
        }
        decision
    }

    /// Forgets the keys that mean nothing any more and, if it is still full, at least a quarter of the
    /// others.
    fn sweep(&mut self, now: u64) {
        self.whole_at.retain(|_, whole_at| *whole_at > now);
        if self.whole_at.len() >= self.capacity {
            let mut times: Vec<u64> = self.whole_at.values().copied().collect();
            let quarter = times.len() / 4;
            let (_, &mut latest, _) = times.select_nth_unstable(quarter);
            self.whole_at.retain(|_, whole_at| *whole_at > latest);
        }
        // Each key is looked at no more than twice as often as it is added.
        self.sweep_at = (self.whole_at.len() * 2).max(FEW).min(self.capacity);
        self.whole_at.shrink_to(self.sweep_at);
    }
}

/// What is said of a request at this time, and when the quota will be whole again.
fn decide(whole_at: u64, now: u64, quota: Quota) -> (Decision, u64) {
    let interval = quota.interval_nanos().max(1);
    let all = interval.saturating_mul(u64::from(quota.burst()));
    // The time that is owed, before and after this request.
    let owed = whole_at.saturating_sub(now);
    let after = owed.saturating_add(interval);
    let allowed = after <= all;
    let owed = if allowed { after } else { owed };
    let decision = Decision::with_interval(interval, all, allowed, owed);
    (decision, now.saturating_add(owed))
}

impl Limiter for LocalLimiter {
    async fn check(&self, key: &str, quota: Quota) -> Result<Decision, BoxError> {
        Ok(self.take(key, quota))
    }

    fn check_now(&self, key: &LimitKey<'_>, quota: Quota) -> Option<Decision> {
        Some(self.take(key, quota))
    }
}

impl fmt::Debug for LocalLimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalLimiter")
            .field("keys", &self.keys())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
