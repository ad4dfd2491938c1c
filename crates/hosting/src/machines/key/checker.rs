//! The check of keys, with a cache.
//!
//! The cache has what the database says about a key, for five seconds, and never that a secret was right: the
//! secret is verified at every use. So a revoked key stops working within five seconds on every replica,
//! without any message between them.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use innkeeper_service::clock::Clock;
use quick_cache::sync::Cache;
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::error::KeyError;
use super::format::{KeyId, PresentedKey};
use super::peppers::Peppers;
use super::uses::PendingUses;
use super::verified::{VerifiedKey, check_address, check_state};
use crate::config::KeyConfig;
use crate::model::KeyHash;
use crate::store;
use crate::store::api_keys::StoredKey;
use crate::store::database::{ServerDatabase, ServerDatabaseError};

/// The age at which a reading of a key is too old for a request.
const CHECK_AGE: Duration = Duration::from_secs(5);
/// The age at which a reading is too old for an open socket. A socket that asks twice a second learns of a
/// revocation within five seconds.
const RECHECK_AGE: Duration = Duration::from_secs(4);
/// The age at which a reading is too old for an open socket while the database is away.
const OUTAGE_AGE: Duration = Duration::from_mins(1);
/// How long the database is left alone after it did not answer.
const RETRY_PAUSE: Duration = Duration::from_secs(1);
/// How long the database may take.
const READ_TIMEOUT: Duration = Duration::from_secs(5);
/// The number of keys in the cache.
const CAPACITY: usize = 10_000;

/// Checks API keys.
#[derive(Debug)]
pub(crate) struct KeyChecker {
    clock: Clock,
    database: Option<Arc<ServerDatabase>>,
    peppers: Peppers,
    readings: Cache<KeyId, Arc<Reading>>,
    /// When it was read that there is no key with an id. They are apart from the others, so that requests
    /// with invented ids do not drive out those of customers.
    unknown: Cache<KeyId, Instant>,
    uses: PendingUses,
}

/// What the database said about a key.
#[derive(Debug)]
struct Reading {
    verified: Arc<VerifiedKey>,
    hash: KeyHash,
    /// When the database was asked.
    at: Instant,
    /// Whether no use has to be written before the next reading.
    is_use_recorded: AtomicBool,
    /// Locked by whoever reads the key again; holds the time of the last attempt that failed.
    refresh: Arc<Mutex<Option<Instant>>>,
}

impl KeyChecker {
    pub(crate) fn new(
        config: &KeyConfig,
        database: Option<Arc<ServerDatabase>>,
        clock: Clock,
    ) -> Self {
        Self {
            clock,
            database,
            peppers: Peppers::new(config),
            readings: Cache::new(CAPACITY),
            unknown: Cache::new(CAPACITY),
            uses: PendingUses::default(),
        }
    }

    /// Returns why no key can be checked with these settings; `None` if keys can be checked.
    pub(crate) fn missing_setting(&self) -> Option<&'static str> {
        if self.database.is_none() {
            return Some("DATABASE_URL is not set");
        }
        let has_none = self.peppers.is_empty();
        has_none.then_some("HOSTING_KEY_PEPPERS is not set")
    }

    /// Checks the key of a request from an address; `None` if the address is unknown.
    pub(crate) async fn check(
        &self,
        presented: &str,
        address: Option<IpAddr>,
    ) -> Result<Arc<VerifiedKey>, KeyError> {
        let presented = PresentedKey::parse(presented).ok_or(KeyError::Unauthenticated)?;
        let reading = self.reading(presented.id, CHECK_AGE).await?;
        // What the key is like is only for those who have its secret.
        if !self.peppers.verify(presented, &reading.hash) {
            return Err(KeyError::Unauthenticated);
        }
        let now = self.clock.now();
        check_state(&reading.verified.key, now)?;
        check_address(&reading.verified.key, address)?;
        if !reading.is_use_recorded.swap(true, Ordering::Relaxed) {
            self.uses.add(presented.id, now, address);
        }
        Ok(Arc::clone(&reading.verified))
    }

    /// Checks a key without its secret, for whoever holds a ticket that was made with it.
    pub(crate) async fn check_id(
        &self,
        key_id: &str,
        address: Option<IpAddr>,
    ) -> Result<Arc<VerifiedKey>, KeyError> {
        let id = KeyId::parse(key_id).ok_or(KeyError::Unauthenticated)?;
        let reading = self.reading(id, CHECK_AGE).await?;
        check_state(&reading.verified.key, self.clock.now())?;
        check_address(&reading.verified.key, address)?;
        Ok(Arc::clone(&reading.verified))
    }

    /// Checks again whether the key of an open socket is valid, and returns it with its current rights.
    ///
    /// To notice a revocation within five seconds, call it twice a second for each socket: the database is
    /// asked at most every four seconds per key. While the database is away, the last answer counts for a
    /// minute; then this fails with [`KeyError::Unavailable`].
    pub(crate) async fn recheck(&self, key_id: &str) -> Result<Arc<VerifiedKey>, KeyError> {
        let id = KeyId::parse(key_id).ok_or(KeyError::Unauthenticated)?;
        let reading = match self.reading(id, RECHECK_AGE).await {
            Err(KeyError::Unavailable(cause)) => self
                .known(id, OUTAGE_AGE)
                .ok_or(KeyError::Unavailable(cause))?,
            reading => reading?,
        };
        check_state(&reading.verified.key, self.clock.now())?;
        Ok(Arc::clone(&reading.verified))
    }

    /// Writes the last use of the keys that were used, each at most once a minute.
    pub(crate) async fn write_uses(&self) {
        let Some(database) = self
            .database
            .as_ref()
            .filter(|database| database.is_ready())
        else {
            return;
        };
        let uses = self.uses.take();
        if uses.is_empty() {
            return;
        }
        let written = async {
            let connection = database.connection().await?;
            store::api_keys::record_uses(&connection, &uses).await
        };
        // The next use of these keys is written again.
        if let Err(error) = written.await {
            tracing::warn!(%error, keys = uses.len(), "the last use of keys was not stored");
        }
    }

    /// Returns what is known about a key, if it was read less than some time ago.
    fn known(&self, id: KeyId, max_age: Duration) -> Option<Arc<Reading>> {
        let now = self.clock.instant();
        let reading = self.readings.get(&id);
        reading.filter(|reading| now.saturating_duration_since(reading.at) < max_age)
    }

    /// Returns what the database says, or said less than some time ago, about a key.
    async fn reading(&self, id: KeyId, max_age: Duration) -> Result<Arc<Reading>, KeyError> {
        let now = self.clock.instant();
        if let Some(reading) = self.readings.get(&id) {
            if now.saturating_duration_since(reading.at) < max_age {
                return Ok(reading);
            }
            return self.refresh(id, &reading, max_age).await;
        }
        let unknown = self.unknown.get(&id);
        if unknown.is_some_and(|at| now.saturating_duration_since(at) < CHECK_AGE) {
            return Err(KeyError::Unauthenticated);
        }
        self.read(id, Arc::default()).await
    }

    /// Reads a key again. Of several callers one asks the database, the others wait for the answer.
    async fn refresh(
        &self,
        id: KeyId,
        old: &Reading,
        max_age: Duration,
    ) -> Result<Arc<Reading>, KeyError> {
        let mut failed_at = old.refresh.lock().await;
        if let Some(reading) = self.known(id, max_age) {
            return Ok(reading);
        }
        let now = self.clock.instant();
        if failed_at.is_some_and(|at| now.saturating_duration_since(at) < RETRY_PAUSE) {
            let cause = "the database did not answer a moment ago";
            return Err(KeyError::Unavailable(cause.to_owned()));
        }
        let reading = self.read(id, Arc::clone(&old.refresh)).await;
        *failed_at = matches!(reading, Err(KeyError::Unavailable(_))).then_some(now);
        reading
    }

    /// Asks the database about a key, and remembers the answer.
    async fn read(
        &self,
        id: KeyId,
        refresh: Arc<Mutex<Option<Instant>>>,
    ) -> Result<Arc<Reading>, KeyError> {
        // Before the question: the answer may be as old.
        let at = self.clock.instant();
        let found = timeout(READ_TIMEOUT, self.find(id)).await;
        let found = found.unwrap_or(Err(ServerDatabaseError::Timeout));
        let found = found.map_err(|error| KeyError::Unavailable(error.to_string()))?;
        let Some(StoredKey { key, hash }) = found else {
            self.readings.remove(&id);
            self.unknown.insert(id, at);
            return Err(KeyError::Unauthenticated);
        };
        if !self.peppers.has(hash.pepper) {
            tracing::warn!(
                key.id = key.id,
                pepper = hash.pepper,
                "HOSTING_KEY_PEPPERS lacks the pepper of an API key, which does not work"
            );
        }
        let is_due = PendingUses::is_due(key.last_used_at, self.clock.now());
        let reading = Arc::new(Reading {
            verified: Arc::new(VerifiedKey { key }),
            hash,
            at,
            is_use_recorded: AtomicBool::new(!is_due),
            refresh,
        });
        self.readings.insert(id, Arc::clone(&reading));
        Ok(reading)
    }

    async fn find(&self, id: KeyId) -> Result<Option<StoredKey>, ServerDatabaseError> {
        // Requests are refused before this if there is none.
        let database = self.database.as_ref().ok_or(ServerDatabaseError::Timeout)?;
        let connection = database.ready_connection().await?;
        Ok(store::api_keys::by_id(&connection, id.as_str()).await?)
    }
}
