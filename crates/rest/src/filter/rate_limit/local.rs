//! Counts requests in memory.
//!
//! The generic cell rate algorithm needs one number per key: the time at which its quota is full again. A
//! key whose time has passed is equal to one that was never used, so it can be forgotten at no cost, and
//! memory stays bounded without a timer. That, and quotas that are arguments of each call, is why this is
//! not a crate: the existing crates keep every key until they are told to remove it, and have one quota
//! each.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::{Decision, LimitKey, Limiter, Quota};
use crate::box_error::BoxError;
use crate::runtime::coarse_clock;

/// Counts requests in the memory of this process.
///
/// It remembers keys only until their quota is full again, and by default at most a hundred thousand of
/// them, at about thirty bytes each. When there are more, it first forgets the keys whose quota is full
/// again soonest.
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
    /// Random for each process, so that nobody can choose keys that share a hash, and a memory dump shows
    /// no addresses. The chance that two of a hundred thousand keys share a hash is one in three thousand
    /// million.
    hasher: RandomState,
    /// A clock other than the system's, and its time at the start.
    clock: Option<(Instant, Box<ClockFn>)>,
}

type ClockFn = dyn Fn() -> Instant + Send + Sync;

/// A part of the keys, with a lock of its own.
struct Shard {
    /// When the quota of each key is full again, in nanoseconds of the clock.
    full_at: HashMap<u64, u64, BuildHasherDefault<IdentityHasher>>,
    /// The most keys that are remembered.
    capacity: usize,
    /// The number of keys at which expired ones are removed.
    sweep_at: usize,
}

/// Returns keys unchanged, because they are hashes already.
#[derive(Default)]
struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
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

/// Several, so that threads seldom wait for each other.
const SHARDS: usize = 16;
const CAPACITY: usize = 100_000;
/// Quotas that take at least this many nanoseconds to be full again need no exact time: many times a tick.
const COARSE_FROM: u64 = 1_000_000_000;
/// Shards with fewer keys are not swept.
const SWEEP_MINIMUM: usize = 64;

impl LocalLimiter {
    /// Makes a limiter with the default capacity.
    pub fn new() -> Self {
        Self {
            shards: shards(CAPACITY),
            hasher: RandomState::new(),
            clock: None,
        }
    }

    /// Sets the most keys that are remembered; the least is sixteen.
    #[must_use]
    pub fn with_capacity(mut self, keys: usize) -> Self {
        self.shards = shards(keys);
        self
    }

    /// Uses another clock, for tests that do not want to wait.
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

    /// Returns how many keys are remembered.
    pub fn keys(&self) -> usize {
        self.shards
            .iter()
            .map(|shard| locked(shard).full_at.len())
            .sum()
    }

    fn take(&self, key: impl Hash, quota: Quota) -> Decision {
        let hash = self.hasher.hash_one(key);
        // The hash map uses the first and the last bits.
        let number = (hash >> 32) as usize % SHARDS;
        let Some(shard) = self.shards.get(number) else {
            let now = self.now(quota);
            return decide(now, now, quota).0;
        };
        let mut shard = locked(shard);
        // Read the clock under the lock: an earlier time would be before that of the request just counted.
        shard.take(hash, self.now(quota), quota)
    }

    /// Returns the time of the clock in nanoseconds, exactly for a quota that may be used up and full again within a
    /// tick of the coarse clock.
    fn now(&self, quota: Quota) -> u64 {
        let Some((start, clock)) = &self.clock else {
            let full_in = quota
                .interval_nanos()
                .saturating_mul(u64::from(quota.burst()));
            return if full_in < COARSE_FROM {
                coarse_clock::exact_nanos()
            } else {
                coarse_clock::steady_nanos()
            };
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
        full_at: HashMap::default(),
        capacity,
        sweep_at: capacity.min(SWEEP_MINIMUM),
    };
    (0..SHARDS).map(|_| Mutex::new(shard())).collect()
}

fn locked(shard: &Mutex<Shard>) -> MutexGuard<'_, Shard> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shard {
    fn take(&mut self, hash: u64, now: u64, quota: Quota) -> Decision {
        if let Some(known) = self.full_at.get_mut(&hash) {
            let (decision, full_at) = decide(*known, now, quota);
            if decision.allowed {
                *known = full_at;
            }
            return decision;
        }
        let (decision, full_at) = decide(now, now, quota);
        if decision.allowed {
            if self.full_at.len() >= self.sweep_at {
                self.sweep(now);
            }
            self.full_at.insert(hash, full_at);
        }
        decision
    }

    /// Removes the keys whose quota is full and, if the shard is still full, at least a quarter of the
    /// others.
    fn sweep(&mut self, now: u64) {
        self.full_at.retain(|_, full_at| *full_at > now);
        if self.full_at.len() >= self.capacity {
            let mut times: Vec<u64> = self.full_at.values().copied().collect();
            let quarter = times.len() / 4;
            let (_, &mut latest, _) = times.select_nth_unstable(quarter);
            self.full_at.retain(|_, full_at| *full_at > latest);
        }
        // Keys are visited at most twice as often as they are added.
        self.sweep_at = (self.full_at.len() * 2)
            .max(SWEEP_MINIMUM)
            .min(self.capacity);
        self.full_at.shrink_to(self.sweep_at);
    }
}

/// Decides about a request at this time, and returns when the quota will be full again.
fn decide(full_at: u64, now: u64, quota: Quota) -> (Decision, u64) {
    let interval = quota.interval_nanos().max(1);
    let burst = interval.saturating_mul(u64::from(quota.burst()));
    // The time until the quota is full, before and after this request.
    let before = full_at.saturating_sub(now);
    let after = before.saturating_add(interval);
    let allowed = after <= burst;
    let full_in = if allowed { after } else { before };
    let decision = Decision::with_interval(interval, burst, allowed, full_in);
    (decision, now.saturating_add(full_in))
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
