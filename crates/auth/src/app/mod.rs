//! The state that all handlers share.

pub(crate) mod assemble;
pub(crate) mod audit;
pub(crate) mod counters;
pub(crate) mod hash_times;
pub(crate) mod prepare;
pub(crate) mod start_error;
pub(crate) mod telemetry;
pub mod throttle;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};

use innkeeper_service::clock::Clock;
use innkeeper_service::database::{Database, Executor, PooledConnection, SharedConnection};
use innkeeper_service::limiter::SharedLimiter;
use innkeeper_service::secret::Secret;
use innkeeper_service::telemetry::Telemetry;
use jiff::{SignedDuration, Timestamp};

use crate::app::audit::{Actor, AuditAction, RefusalBudget};
use crate::app::counters::Counters;
use crate::app::hash_times::HashTimes;
use crate::app::throttle::Throttle;
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::config::redirect::Redirects;
use crate::config::{Config, HookKind, Profile};
use crate::crypto::jwt::{KeySet, VerifiedCache};
use crate::crypto::password::{BreachedList, CheckTurns, HashPool, PasswordPolicy};
use crate::crypto::seal::Sealer;
use crate::crypto::signing::{self, SigningKeysError};
use crate::flow::user::{Object, User};
use crate::outside::captcha::Captcha;
use crate::outside::external::Providers;
use crate::outside::hook::Hooks;
use crate::outside::mail::Mailer;
use crate::outside::sms::SmsSender;
use crate::store;
use crate::store::audit::NewAuditEntry;

/// The most bytes of a request head, which contains an access token.
pub(crate) const HEAD_LIMIT: usize = 64 * 1024;

/// The components of the server.
#[derive(Debug)]
pub struct App {
    pub(crate) config: Config,
    pub(crate) clock: Clock,
    pub(crate) database: Database,
    pub(crate) keys: SigningKeys,
    pub(crate) sealer: Arc<Sealer>,
    pub(crate) mac_keys: MacKeys,
    pub(crate) hashes: HashPool,
    pub(crate) check_turns: CheckTurns,
    pub(crate) hash_times: HashTimes,
    pub(crate) breached: Option<BreachedList>,
    pub(crate) mailer: Mailer,
    pub(crate) sms: SmsSender,
    pub(crate) hooks: Hooks,
    pub(crate) providers: Providers,
    pub(crate) redirects: Redirects,
    pub(crate) throttle: Throttle,
    /// Counts wrong links per client, because a wrong link names no account.
    pub(crate) link_throttle: Throttle,
    pub(crate) refusals: RefusalBudget,
    /// Counts requests, for all replicas if they share a Redis.
    pub(crate) limiter: Arc<SharedLimiter>,
    /// `None` if no captcha is required.
    pub(crate) captcha: Option<Captcha>,
    pub(crate) ready: ReadyFlag,
    pub(crate) telemetry: Telemetry,
    pub(crate) counters: Counters,
}

/// Whether the database is migrated and the signing keys are loaded.
#[derive(Debug, Default)]
pub(crate) struct ReadyFlag(AtomicBool);

impl ReadyFlag {
    /// Whether requests can be answered.
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    /// Lets requests be answered from now on.
    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::Release);
    }
}

/// The keys of keyed hashes (MACs), one for each use.
pub(crate) struct MacKeys {
    /// For one-time codes.
    pub(crate) code: [u8; 32],
    /// For email addresses and phone numbers that are counted but not stored.
    pub(crate) address: [u8; 32],
    /// For the ids of decoy accounts, which do not exist.
    pub(crate) decoy: [u8; 32],
}

impl std::fmt::Debug for MacKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MacKeys(…)")
    }
}

/// The current signing keys, and a cache of the tokens that were verified with them.
#[derive(Debug)]
pub(crate) struct SigningKeys {
    current: RwLock<LoadedKeys>,
    pub(crate) verified: VerifiedCache,
    /// When the keys were last reloaded because of a token that none of them signed.
    reloaded_at: Mutex<Option<Timestamp>>,
}

/// A set of keys, and what it was made of.
#[derive(Debug)]
struct LoadedKeys {
    set: Arc<KeySet>,
    /// The state of the database, as [`KeySnapshot::fingerprint`] describes it.
    fingerprint: Option<String>,
    revoked: Vec<String>,
    /// When the next key of the set stops verifying.
    next_end: Option<Timestamp>,
    /// `JWT_KEYS`, of the start or of the last reload of the settings.
    given: Option<Secret<String>>,
}

/// The shortest interval between two such reloads.
const RELOAD_INTERVAL: SignedDuration = SignedDuration::from_secs(1);

impl SigningKeys {
    pub(crate) fn new(keys: KeySet, given: Option<Secret<String>>) -> Self {
        Self {
            current: RwLock::new(LoadedKeys {
                set: Arc::new(keys),
                fingerprint: None,
                revoked: Vec::new(),
                next_end: None,
                given,
            }),
            verified: VerifiedCache::new(),
            reloaded_at: Mutex::default(),
        }
    }

    /// Whether an unknown key may cause a reload now. Anybody can invent tokens, so reloads are rare.
    pub(crate) fn may_reload(&self, now: Timestamp) -> bool {
        let mut reloaded_at = self
            .reloaded_at
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let recently = reloaded_at.is_some_and(|at| now.duration_since(at) < RELOAD_INTERVAL);
        if !recently {
            *reloaded_at = Some(now);
        }
        !recently
    }

    /// Returns the current keys.
    pub(crate) fn current(&self) -> Arc<KeySet> {
        Arc::clone(&self.read().set)
    }

    /// Whether a key of the set has ended, so that the keys must be reloaded before they are used.
    pub(crate) fn is_outdated(&self, now: Timestamp) -> bool {
        self.read().next_end.is_some_and(|end| end <= now)
    }

    fn read(&self) -> RwLockReadGuard<'_, LoadedKeys> {
        self.current.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Replaces the keys, and forgets the tokens that the former ones verified.
    fn replace(&self, change: impl FnOnce(&mut LoadedKeys)) {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        change(&mut current);
        self.verified.clear();
    }
}

impl App {
    /// Whether mails leave this server.
    pub(crate) fn sends_mail(&self) -> bool {
        self.config.smtp.is_complete() || self.hooks.is_on(HookKind::SendEmail)
    }

    /// Refuses a request whose mail could not be sent. In the gotrue profile the mail is dropped instead.
    pub(crate) fn check_mail(&self) -> Result<()> {
        if self.sends_mail() || self.config.profile == Profile::Gotrue {
            return Ok(());
        }
        Err(AuthError::refused(
            ErrorCode::EmailProviderDisabled,
            "This server is not set up to send email",
        ))
    }

    /// Returns the URL that the client is sent back to: the first of its wishes that is allowed.
    pub(crate) fn redirect_to(&self, client: &ClientInfo) -> String {
        let candidates: Vec<Option<&str>> = client
            .redirects
            .iter()
            .map(|url| Some(url.as_str()))
            .collect();
        self.redirects.choose(&candidates)
    }

    /// Returns the rules for new passwords.
    pub(crate) fn policy(&self) -> PasswordPolicy<'_> {
        PasswordPolicy {
            min_length: self.config.password.min_length,
            required_characters: &self.config.password.required_characters,
            max_bytes: match self.config.profile {
                Profile::Std => PasswordPolicy::MAX_BYTES,
                Profile::Gotrue => PasswordPolicy::MAX_BYTES_GOTRUE,
            },
        }
    }

    /// Loads the keys and revocations of the database, if they differ from the current ones.
    pub(crate) async fn reload_keys(&self) -> std::result::Result<(), SigningKeysError> {
        if !signing::are_stored(&self.config) && self.config.jwt.keys.is_none() {
            return Ok(());
        }
        let conn = self.database.shared().await?;
        let (config, now) = (self.config_with_given_keys(), self.clock.now());
        let snapshot = signing::read(&config, &self.sealer, &conn, now).await?;
        let fingerprint = Some(snapshot.fingerprint());
        if self.keys.read().fingerprint == fingerprint {
            return Ok(());
        }
        let (revoked, next_end) = (snapshot.revoked.clone(), snapshot.next_end());
        let keys = snapshot.key_set(&config, &self.sealer)?;
        if keys.is_signing_revoked() {
            tracing::error!("the key of JWT_KEYS that signs was revoked: its tokens are refused");
        }
        // The first keys are not a change.
        if self.ready.is_set() {
            tracing::info!("the signing keys have changed");
        }
        self.keys.replace(|current| {
            // Meanwhile the settings may have been read again; then the next reload applies this state.
            if current.given.as_ref().map(Secret::reveal)
                != config.jwt.keys.as_ref().map(Secret::reveal)
            {
                return;
            }
            current.set = Arc::new(keys);
            current.fingerprint = fingerprint;
            current.revoked = revoked;
            current.next_end = next_end;
        });
        Ok(())
    }

    /// Takes the keys of `JWT_KEYS` from settings that were read again.
    pub(crate) fn reload_given_keys(
        &self,
        fresh: &Config,
    ) -> std::result::Result<(), SigningKeysError> {
        let (ours, theirs) = (&self.config.jwt.keys, &fresh.jwt.keys);
        if ours.is_some() != theirs.is_some() {
            tracing::warn!("JWT_KEYS was added or removed; restart the server to apply it");
        }
        if ours.is_none() || theirs.is_none() {
            return Ok(());
        }
        // Only the keys: values that were sealed with the secret of the start must be opened with it.
        let mut config = self.config.clone();
        config.jwt.keys.clone_from(theirs);
        let revoked = self.keys.read().revoked.clone();
        let keys = signing::load_from_settings(&config, &revoked)?;
        self.keys.replace(|current| {
            current.set = Arc::new(keys);
            current.given = config.jwt.keys;
            current.fingerprint = None;
        });
        Ok(())
    }

    /// Returns the settings with the `JWT_KEYS` that were read last.
    fn config_with_given_keys(&self) -> Config {
        let mut config = self.config.clone();
        config.jwt.keys.clone_from(&self.keys.read().given);
        config
    }

    /// Returns a connection for single statements, shared with other requests.
    pub(crate) async fn shared(&self) -> Result<SharedConnection> {
        Ok(self.database.shared().await?)
    }

    /// Returns an exclusive connection, for a transaction.
    pub(crate) async fn connection(&self) -> Result<PooledConnection> {
        Ok(self.database.connection().await?)
    }

    /// Writes an audit entry about an action of the user.
    pub(crate) async fn audit(
        &self,
        conn: &dyn Executor,
        action: AuditAction,
        user: &User,
        client: &ClientInfo,
    ) -> Result<()> {
        self.audit_as(conn, action, Object::new(), Actor::User(user), client)
            .await
    }

    /// Writes an audit entry: to the database unless that is disabled, and to the log if that is enabled.
    pub(crate) async fn audit_as(
        &self,
        conn: &dyn Executor,
        action: AuditAction,
        traits: Object,
        actor: Actor<'_>,
        client: &ClientInfo,
    ) -> Result<()> {
        let entry = audit::entry(action, actor, traits, client, self.clock.now());
        if !self.config.audit_log_disable_postgres {
            store::audit::insert(conn, &entry).await?;
        }
        self.log_audit_entry(&entry, client);
        Ok(())
    }

    /// Writes an audit entry about a refused request, except in the gotrue profile, whose clients know no such
    /// action, and unless there were too many of them lately. A failure to write it is only logged: the response to
    /// the request does not depend on it.
    pub(crate) async fn audit_refusal(
        &self,
        action: AuditAction,
        error: &AuthError,
        mut traits: Object,
        actor: Actor<'_>,
        client: &ClientInfo,
    ) {
        // Failures of the server are in its log.
        if self.config.profile == Profile::Gotrue || !error.status().is_client_error() {
            return;
        }
        let now = self.clock.now();
        let Some(omitted) = self.refusals.take(action, now) else {
            return;
        };
        traits.insert("reason".to_owned(), error.code().into());
        if omitted > 0 {
            traits.insert("omitted".to_owned(), omitted.into());
        }
        let entry = audit::entry(action, actor, traits, client, now);
        if !self.config.audit_log_disable_postgres
            && let Err(error) = self.insert_audit_entry(&entry).await
        {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "a refused request could not be written to the audit log"
            );
        }
        self.log_audit_entry(&entry, client);
    }

    async fn insert_audit_entry(&self, entry: &NewAuditEntry) -> Result<()> {
        let conn = self.shared().await?;
        Ok(store::audit::insert(&conn, entry).await?)
    }

    /// Writes an audit entry to the log, if `AUDIT_LOG_STREAM` is on.
    pub(crate) fn log_audit_entry(&self, entry: &NewAuditEntry, client: &ClientInfo) {
        if self.config.audit_log_stream {
            audit::log_entry(entry, client);
        }
    }
}
