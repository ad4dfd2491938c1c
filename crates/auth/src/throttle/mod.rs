//! Slows down password guessing, without a lock that an attacker could hold over somebody.
//!
//! Failures are counted per identifier, known or not. From the tenth within ten minutes on, every
//! further failure makes its client wait: 1 s, 2 s, 4 s, up to a minute. The wait belongs to
//! the identifier *and* the client's address, so guesses from elsewhere never keep the owner out.
//!
//! A flood of guesses sent at once would pass [`Throttle::check`] before the first of them has
//! failed. [`Throttle::failed`] and [`Throttle::succeeded`] therefore refuse too when the client
//! was told to wait in the meantime, and right and wrong guesses of the flood look the same.

use std::collections::{HashMap, VecDeque};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, MutexGuard, PoisonError};

use aws_lc_rs::hmac;
use innkeeper_service::random;
use jiff::{SignedDuration, Timestamp};

/// How many identifiers, and how many pairs of identifier and client, are remembered. Each entry
/// costs its maker a password hash, so the table cannot be flooded within the window.
const CAPACITY: usize = 50_000;

/// When throttling starts and how it grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The failure from which on clients have to wait; 0 turns throttling off.
    pub failures: usize,
    /// The time within which failures count.
    pub window: SignedDuration,
    /// The first wait; every further failure doubles it.
    pub shortest: SignedDuration,
    /// The longest wait.
    pub longest: SignedDuration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            failures: 10,
            window: SignedDuration::from_mins(10),
            shortest: SignedDuration::from_secs(1),
            longest: SignedDuration::from_secs(60),
        }
    }
}

/// The client has to wait that many seconds, at least one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many failed attempts; try again in {0} s")]
pub struct RetryAfter(pub u64);

/// Failed password attempts of this process.
#[derive(Debug)]
pub struct Throttle {
    limits: Limits,
    /// Of this process alone, so that a dump of the memory shows no addresses.
    key: hmac::Key,
    attempts: Mutex<Attempts>,
}

#[derive(Debug, Default)]
struct Attempts {
    identifiers: HashMap<Key, Failures>,
    clients: HashMap<Key, Wait>,
}

type Key = [u8; 32];

/// The latest failures of an identifier, oldest first, never more than the limit.
type Failures = VecDeque<Timestamp>;

/// What one client has to wait for with one identifier.
#[derive(Debug)]
struct Wait {
    /// Failures since throttling started.
    count: u32,
    failed_at: Timestamp,
    until: Timestamp,
}

impl Throttle {
    /// Nothing has failed yet.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            key: hmac::Key::new(hmac::HMAC_SHA256, &random::bytes::<32>()),
            attempts: Mutex::default(),
        }
    }

    /// Whether this client may try a password for this identifier now. Ask before the password is
    /// looked at; a refused attempt counts for nothing.
    pub fn check(
        &self,
        identifier: &str,
        client: Option<IpAddr>,
        now: Timestamp,
    ) -> Result<(), RetryAfter> {
        let (identifier, client) = self.keys(identifier, client);
        self.lock().may_try(&identifier, &client, now, &self.limits)
    }

    /// The password was wrong, or there is no such user. Answer the refusal if there is one.
    pub fn failed(
        &self,
        identifier: &str,
        client: Option<IpAddr>,
        now: Timestamp,
    ) -> Result<(), RetryAfter> {
        let (identifier, client) = self.keys(identifier, client);
        let mut attempts = self.lock();
        let answer = attempts.may_try(&identifier, &client, now, &self.limits);
        attempts.count(identifier, client, now, &self.limits);
        answer
    }

    /// The password was right. Ends the waiting of this client, nobody else's, unless it was told
    /// to wait while the password was being looked at.
    pub fn succeeded(
        &self,
        identifier: &str,
        client: Option<IpAddr>,
        now: Timestamp,
    ) -> Result<(), RetryAfter> {
        let (identifier, client) = self.keys(identifier, client);
        let mut attempts = self.lock();
        attempts.may_try(&identifier, &client, now, &self.limits)?;
        attempts.clients.remove(&client);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Attempts> {
        // Every change is complete before the next starts, so a panic elsewhere spoils nothing.
        self.attempts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The key of the identifier, and of the identifier together with the client.
    fn keys(&self, identifier: &str, client: Option<IpAddr>) -> (Key, Key) {
        let identifier = self.hash(&[identifier.as_bytes()]);
        let client = self.hash(&[&identifier, &network(client)]);
        (identifier, client)
    }

    fn hash(&self, parts: &[&[u8]]) -> Key {
        let mut context = hmac::Context::with_key(&self.key);
        for part in parts {
            context.update(part);
        }
        let mut key = Key::default();
        for (to, from) in key.iter_mut().zip(context.sign().as_ref()) {
            *to = *from;
        }
        key
    }
}

/// What counts as one client: an IPv4 address, or the /64 that an IPv6 customer holds.
fn network(client: Option<IpAddr>) -> Vec<u8> {
    match client.map(|client| client.to_canonical()) {
        None => Vec::new(),
        Some(IpAddr::V4(address)) => address.octets().to_vec(),
        Some(IpAddr::V6(address)) => {
            let prefix = address.to_bits() & !u128::from(u64::MAX);
            Ipv6Addr::from_bits(prefix).octets().to_vec()
        }
    }
}

impl Attempts {
    fn may_try(
        &self,
        identifier: &Key,
        client: &Key,
        now: Timestamp,
        limits: &Limits,
    ) -> Result<(), RetryAfter> {
        let Some(failures) = self.identifiers.get(identifier) else {
            return Ok(());
        };
        if !is_throttled(failures, now, limits) {
            return Ok(());
        }
        match self.clients.get(client) {
            Some(wait) if now < wait.until => Err(seconds(wait.until.duration_since(now))),
            _ => Ok(()),
        }
    }

    fn count(&mut self, identifier: Key, client: Key, now: Timestamp, limits: &Limits) {
        if limits.failures == 0 {
            return;
        }
        self.prune(now, limits);
        let failures = self.identifiers.entry(identifier).or_default();
        failures.push_back(now);
        while failures.len() > limits.failures {
            failures.pop_front();
        }
        if !is_throttled(failures, now, limits) {
            return;
        }
        let wait = self.clients.entry(client).or_insert(Wait {
            count: 0,
            failed_at: now,
            until: now,
        });
        if now.duration_since(wait.failed_at) > limits.window {
            wait.count = 0;
        }
        wait.count = wait.count.saturating_add(1);
        wait.failed_at = now;
        wait.until = now
            .saturating_add(delay(wait.count, limits))
            .unwrap_or(Timestamp::MAX);
    }

    /// Forgets what no longer counts when a table is full, and the oldest quarter if that is not
    /// enough.
    fn prune(&mut self, now: Timestamp, limits: &Limits) {
        let limit = limits.window;
        let latest = |failures: &Failures| failures.back().copied().unwrap_or(Timestamp::MIN);
        forget_old(&mut self.identifiers, now, limit, latest);
        forget_old(&mut self.clients, now, limit, |wait| wait.failed_at);
    }
}

fn forget_old<V>(
    table: &mut HashMap<Key, V>,
    now: Timestamp,
    limit: SignedDuration,
    touched: impl Fn(&V) -> Timestamp,
) {
    if table.len() < CAPACITY {
        return;
    }
    table.retain(|_, entry| now.duration_since(touched(entry)) <= limit);
    if table.len() < CAPACITY {
        return;
    }
    let mut times: Vec<Timestamp> = table.values().map(&touched).collect();
    let (_, quarter, _) = times.select_nth_unstable(CAPACITY / 4);
    let quarter = *quarter;
    let mut surplus = CAPACITY / 4;
    table.retain(|_, entry| {
        let goes = surplus > 0 && touched(entry) <= quarter;
        surplus -= usize::from(goes);
        !goes
    });
}

fn is_throttled(failures: &Failures, now: Timestamp, limits: &Limits) -> bool {
    failures.len() >= limits.failures
        && failures
            .front()
            .is_some_and(|oldest| now.duration_since(*oldest) <= limits.window)
}

/// The wait after that many failures: doubled each time, up to the longest.
fn delay(count: u32, limits: &Limits) -> SignedDuration {
    let factor = 1_i32.checked_shl(count.saturating_sub(1)).unwrap_or(0);
    if !(1..=1 << 20).contains(&factor) {
        return limits.longest;
    }
    limits
        .shortest
        .checked_mul(factor)
        .map_or(limits.longest, |delay| delay.min(limits.longest))
}

/// Whole seconds, rounded up, so that a client which obeys is let through.
fn seconds(wait: SignedDuration) -> RetryAfter {
    let rounded = wait.as_secs() + i64::from(wait.subsec_nanos() > 0);
    RetryAfter(u64::try_from(rounded).unwrap_or(0).max(1))
}

#[cfg(test)]
mod tests;
