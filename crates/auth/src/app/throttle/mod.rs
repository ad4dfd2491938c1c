//! The throttle, which slows down password guessing without locking out the owner of an account.
//!
//! Failures are counted per identifier, whether or not a user has it. From the tenth failure within ten
//! minutes on, every further one makes its client wait: 1 s, 2 s, 4 s, up to a minute. The wait belongs to
//! the identifier *and* the client's address, so guesses from elsewhere never keep the owner out.
//!
//! A flood of guesses sent at once would pass [`Throttle::check`] before the first of them has
//! failed. [`Throttle::record_failure`] and [`Throttle::record_success`] therefore refuse as well if the
//! client was told to wait in the meantime, so that right and wrong guesses of the flood look the same.
//!
//! # Throttle, rate limits and mail limits
//!
//! Three mechanisms refuse a request for a time, each with a name that is used for nothing else:
//!
//! - The **throttle** counts failed passwords of an identifier, in this process, and delays the next
//!   attempt (`over_request_rate_limit`). A second one counts wrong links, which name no account, by client.
//! - **Rate limits** (`api::rate_limits`) count requests per client and endpoint, successful or not, for
//!   all replicas that share a Redis (`over_request_rate_limit`).
//! - **Mail limits** (`one_time::mail_limit`) count mails, in the database: a minimum *interval* between
//!   two mails to one address, and a maximum *rate* for the whole server (`over_email_send_rate_limit`).
//!   The settings `SMTP_MAX_FREQUENCY` and `RATE_LIMIT_EMAIL_SENT` and the table `innkeeper_mail_budget`
//!   have older names for these. Text messages have the same limits (`one_time::sms_limit`,
//!   `over_sms_send_rate_limit`).

use std::collections::{HashMap, VecDeque};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, MutexGuard, PoisonError};

use aws_lc_rs::hmac;
use innkeeper_service::random;
use jiff::{SignedDuration, Timestamp};

/// The maximum number of identifiers, and of pairs of identifier and client, in memory. Each entry costs
/// the client a password hash, so the table cannot be flooded within the window.
const CAPACITY: usize = 50_000;

/// When throttling starts and how the waits grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThrottleConfig {
    /// The number of failures from which on clients have to wait; 0 turns throttling off.
    pub failures: usize,
    /// How long a failure counts.
    pub window: SignedDuration,
    /// The first wait, which every further failure doubles.
    pub shortest: SignedDuration,
    /// The longest wait.
    pub longest: SignedDuration,
}

impl Default for ThrottleConfig {
    fn default() -> Self {
        Self {
            failures: 10,
            window: SignedDuration::from_mins(10),
            shortest: SignedDuration::from_secs(1),
            longest: SignedDuration::from_secs(60),
        }
    }
}

/// The client has to wait this many seconds, at least one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many failed attempts; try again in {0} s")]
pub struct RetryAfter(pub u64);

/// Counts failed password attempts in this process, and tells clients how long to wait.
#[derive(Debug)]
pub struct Throttle {
    config: ThrottleConfig,
    /// A random key of this process, so that a dump of the memory shows no addresses.
    key: hmac::Key,
    attempts: Mutex<Attempts>,
}

#[derive(Debug, Default)]
struct Attempts {
    identifiers: HashMap<KeyedHash, Failures>,
    clients: HashMap<KeyedHash, ClientWait>,
}

/// The HMAC of an identifier, or of an identifier and a client.
type KeyedHash = [u8; 32];

/// The latest failures of an identifier, oldest first, at most [`ThrottleConfig::failures`].
type Failures = VecDeque<Timestamp>;

/// How long one client has to wait before it may try one identifier again.
#[derive(Debug)]
struct ClientWait {
    /// Failures since throttling started.
    count: u32,
    failed_at: Timestamp,
    until: Timestamp,
}

impl Throttle {
    /// Creates a throttle without failures.
    pub fn new(config: ThrottleConfig) -> Self {
        Self {
            config,
            key: hmac::Key::new(hmac::HMAC_SHA256, &random::bytes::<32>()),
            attempts: Mutex::default(),
        }
    }

    /// Checks that this client may try a password for this identifier now. Call this before the password is
    /// checked; a refused attempt is not counted as a failure.
    pub fn check(
        &self,
        identifier: &str,
        client: Option<IpAddr>,
        now: Timestamp,
    ) -> Result<(), RetryAfter> {
        let (identifier, client) = self.hashes(identifier, client);
        self.lock().may_try(&identifier, &client, now, &self.config)
    }

    /// Counts a failure: the password was wrong, or there is no such user. Returns an error if the client was
    /// told to wait in the meantime; that is the answer then.
    pub fn record_failure(
        &self,
        identifier: &str,
        client: Option<IpAddr>,
        now: Timestamp,
    ) -> Result<(), RetryAfter> {
        let (identifier, client) = self.hashes(identifier, client);
        let mut attempts = self.lock();
        let allowed = attempts.may_try(&identifier, &client, now, &self.config);
        attempts.count(identifier, client, now, &self.config);
        allowed
    }

    /// Ends the wait of this client, and of no other, because the password was right. Returns an error instead
    /// if the client was told to wait while the password was being checked.
    pub fn record_success(
        &self,
        identifier: &str,
        client: Option<IpAddr>,
        now: Timestamp,
    ) -> Result<(), RetryAfter> {
        let (identifier, client) = self.hashes(identifier, client);
        let mut attempts = self.lock();
        attempts.may_try(&identifier, &client, now, &self.config)?;
        attempts.clients.remove(&client);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Attempts> {
        // Every change is complete before the next starts, so a panic elsewhere leaves the data valid.
        self.attempts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hashes the identifier, and the identifier together with the client.
    fn hashes(&self, identifier: &str, client: Option<IpAddr>) -> (KeyedHash, KeyedHash) {
        let identifier = self.hash(&[identifier.as_bytes()]);
        let client = self.hash(&[&identifier, &network(client)]);
        (identifier, client)
    }

    fn hash(&self, parts: &[&[u8]]) -> KeyedHash {
        let mut context = hmac::Context::with_key(&self.key);
        for part in parts {
            context.update(part);
        }
        let mut hash = KeyedHash::default();
        for (to, from) in hash.iter_mut().zip(context.sign().as_ref()) {
            *to = *from;
        }
        hash
    }
}

/// Returns the network that counts as one client: an IPv4 address, or the /64 of an IPv6 customer.
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
        identifier: &KeyedHash,
        client: &KeyedHash,
        now: Timestamp,
        config: &ThrottleConfig,
    ) -> Result<(), RetryAfter> {
        let Some(failures) = self.identifiers.get(identifier) else {
            return Ok(());
        };
        if !is_throttled(failures, now, config) {
            return Ok(());
        }
        match self.clients.get(client) {
            Some(wait) if now < wait.until => Err(retry_after(wait.until.duration_since(now))),
            _ => Ok(()),
        }
    }

    fn count(
        &mut self,
        identifier: KeyedHash,
        client: KeyedHash,
        now: Timestamp,
        config: &ThrottleConfig,
    ) {
        if config.failures == 0 {
            return;
        }
        self.prune(now, config);
        let failures = self.identifiers.entry(identifier).or_default();
        failures.push_back(now);
        // Where very many failures are allowed, the memory depends on those of the window only.
        let is_old = |at: &Timestamp| now.duration_since(*at) > config.window;
        while failures.len() > config.failures || failures.front().is_some_and(is_old) {
            failures.pop_front();
        }
        if !is_throttled(failures, now, config) {
            return;
        }
        let wait = self.clients.entry(client).or_insert(ClientWait {
            count: 0,
            failed_at: now,
            until: now,
        });
        if now.duration_since(wait.failed_at) > config.window {
            wait.count = 0;
        }
        wait.count = wait.count.saturating_add(1);
        wait.failed_at = now;
        wait.until = now
            .saturating_add(delay(wait.count, config))
            .unwrap_or(Timestamp::MAX);
    }

    /// When a table is full, removes entries that no longer count, and the oldest quarter if that is not
    /// enough.
    fn prune(&mut self, now: Timestamp, config: &ThrottleConfig) {
        let latest = |failures: &Failures| failures.back().copied().unwrap_or(Timestamp::MIN);
        remove_old(&mut self.identifiers, now, config.window, latest);
        remove_old(&mut self.clients, now, config.window, |wait| wait.failed_at);
    }
}

fn remove_old<V>(
    table: &mut HashMap<KeyedHash, V>,
    now: Timestamp,
    window: SignedDuration,
    latest_failure: impl Fn(&V) -> Timestamp,
) {
    if table.len() < CAPACITY {
        return;
    }
    table.retain(|_, entry| now.duration_since(latest_failure(entry)) <= window);
    if table.len() < CAPACITY {
        return;
    }
    let mut times: Vec<Timestamp> = table.values().map(&latest_failure).collect();
    let (_, quarter, _) = times.select_nth_unstable(CAPACITY / 4);
    let quarter = *quarter;
    let mut surplus = CAPACITY / 4;
    table.retain(|_, entry| {
        let is_removed = surplus > 0 && latest_failure(entry) <= quarter;
        surplus -= usize::from(is_removed);
        !is_removed
    });
}

fn is_throttled(failures: &Failures, now: Timestamp, config: &ThrottleConfig) -> bool {
    failures.len() >= config.failures
        && failures
            .front()
            .is_some_and(|oldest| now.duration_since(*oldest) <= config.window)
}

/// Returns the wait after this many failures: doubled each time, up to the longest.
fn delay(count: u32, config: &ThrottleConfig) -> SignedDuration {
    let factor = 1_i32.checked_shl(count.saturating_sub(1)).unwrap_or(0);
    if !(1..=1 << 20).contains(&factor) {
        return config.longest;
    }
    config
        .shortest
        .checked_mul(factor)
        .map_or(config.longest, |delay| delay.min(config.longest))
}

/// Rounds up to whole seconds, so that a client that waits this long is let through.
fn retry_after(wait: SignedDuration) -> RetryAfter {
    let rounded = wait.as_secs() + i64::from(wait.subsec_nanos() > 0);
    RetryAfter(u64::try_from(rounded).unwrap_or(0).max(1))
}

#[cfg(test)]
mod tests;
