//! What all handlers share.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use innkeeper_service::clock::Clock;
use innkeeper_service::database::Database;
use innkeeper_service::limiter::SharedLimiter;
use innkeeper_service::telemetry::Telemetry;
use jiff::{SignedDuration, Timestamp};

use crate::audit::{self, Action, Actor};
use crate::captcha::Captcha;
use crate::client::ClientInfo;
use crate::config::{Config, HookKind, Profile};
use crate::counters::Counters;
use crate::error::{AuthError, Result};
use crate::error_code::ErrorCode;
use crate::hook::Hooks;
use crate::jwt::{KeySet, VerifiedCache};
use crate::mail::Mailer;
use crate::password::{BreachedList, HashPool, PasswordPolicy};
use crate::redirect::Redirects;
use crate::seal::Sealer;
use crate::signing::{self, SigningKeysError};
use crate::store::audit::NewAuditEntry;
use crate::store::{self, Connection, GenericClient, SharedConnection};
use crate::throttle::Throttle;
use crate::user::{Object, User};

/// The server's parts.
#[derive(Debug)]
pub struct App {
    pub(crate) config: Config,
    pub(crate) clock: Clock,
    pub(crate) database: Database,
    pub(crate) keys: Keys,
    pub(crate) sealer: Arc<Sealer>,
    pub(crate) secrets: Secrets,
    pub(crate) hashes: HashPool,
    pub(crate) breached: Option<BreachedList>,
    pub(crate) mailer: Mailer,
    pub(crate) hooks: Hooks,
    pub(crate) redirects: Redirects,
    pub(crate) throttle: Throttle,
    /// Counts calls, for all replicas if they share a Redis.
    pub(crate) limiter: Arc<SharedLimiter>,
    /// None when no captcha is asked for.
    pub(crate) captcha: Option<Captcha>,
    pub(crate) ready: Ready,
    pub(crate) telemetry: Telemetry,
    pub(crate) counters: Counters,
}

/// Whether the database has been prepared and the keys are known.
#[derive(Debug, Default)]
pub(crate) struct Ready(AtomicBool);

impl Ready {
    /// Whether requests can be answered.
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    /// They can, from now on.
    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Keys for keyed hashes, one for each use.
pub(crate) struct Secrets {
    /// For codes.
    pub(crate) code: [u8; 32],
    /// For addresses that are counted but not kept.
    pub(crate) address: [u8; 32],
    /// For the ids of accounts that do not exist.
    pub(crate) pretence: [u8; 32],
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secrets(…)")
    }
}

/// The signing keys of the moment, and what was verified with them.
#[derive(Debug)]
pub(crate) struct Keys {
    current: RwLock<Arc<KeySet>>,
    pub(crate) verified: VerifiedCache,
    /// When the stored keys were last looked at because of a token that none of these signed.
    looked_at: Mutex<Option<Timestamp>>,
}

/// How often such a token may make the server look.
const LOOK_AGAIN: SignedDuration = SignedDuration::from_secs(1);

impl Keys {
    pub(crate) fn new(keys: KeySet) -> Self {
        Self {
            current: RwLock::new(Arc::new(keys)),
            verified: VerifiedCache::new(),
            looked_at: Mutex::default(),
        }
    }

    /// Whether it is worth looking for other keys now; anybody can make up tokens.
    pub(crate) fn may_reload(&self, now: Timestamp) -> bool {
        let mut looked_at = self
            .looked_at
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let recently = looked_at.is_some_and(|at| now.duration_since(at) < LOOK_AGAIN);
        if !recently {
            *looked_at = Some(now);
        }
        !recently
    }

    /// The keys of the moment.
    pub(crate) fn current(&self) -> Arc<KeySet> {
        let current = self.current.read();
        Arc::clone(&current.unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes other keys from now on.
    pub(crate) fn replace(&self, keys: KeySet) {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        *current = Arc::new(keys);
        self.verified.clear();
    }
}

impl App {
    /// Refuses at once what would end in a mail that cannot be sent.
    pub(crate) fn check_mail(&self) -> Result<()> {
        if self.config.smtp.is_complete() || self.hooks.is_on(HookKind::SendEmail) {
            return Ok(());
        }
        Err(AuthError::refused(
            ErrorCode::EmailProviderDisabled,
            "This server is not set up to send email",
        ))
    }

    /// Where the client is sent back to.
    pub(crate) fn redirect_to(&self, client: &ClientInfo) -> String {
        let wanted: Vec<Option<&str>> = client
            .redirects
            .iter()
            .map(|url| Some(url.as_str()))
            .collect();
        self.redirects.choose(&wanted)
    }

    /// The rules for new passwords.
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

    /// Takes over the stored keys, if they are others than those of the moment.
    pub(crate) async fn reload_keys(&self) -> std::result::Result<(), SigningKeysError> {
        if !signing::are_stored(&self.config) {
            return Ok(());
        }
        let conn = SharedConnection(self.database.shared().await?);
        let keys =
            signing::load_stored(&self.config, &self.sealer, &conn, self.clock.now()).await?;
        if keys.jwks_json() != self.keys.current().jwks_json() {
            // Before the server is ready it has none that it could sign with.
            if self.ready.is_set() {
                tracing::info!("the signing keys have changed");
            }
            self.keys.replace(keys);
        }
        Ok(())
    }

    /// Takes over the keys of `JWT_KEYS` in settings that were read again.
    pub(crate) fn reload_given_keys(
        &self,
        fresh: &Config,
    ) -> std::result::Result<(), SigningKeysError> {
        let (ours, theirs) = (&self.config.jwt.keys, &fresh.jwt.keys);
        if ours.is_some() != theirs.is_some() {
            tracing::warn!("JWT_KEYS is new or gone: that needs a restart");
        }
        if ours.is_none() || theirs.is_none() {
            return Ok(());
        }
        // Only the keys: what is sealed with the secret of the start must be opened with it.
        let mut config = self.config.clone();
        config.jwt.keys.clone_from(theirs);
        self.keys.replace(signing::load_from_settings(&config)?);
        Ok(())
    }

    /// A connection for single statements, shared with other requests.
    pub(crate) async fn shared(&self) -> Result<SharedConnection> {
        Ok(SharedConnection(self.database.shared().await?))
    }

    /// A connection of its own, for a transaction.
    pub(crate) async fn connection(&self) -> Result<Connection> {
        Ok(Connection(self.database.connection().await?))
    }

    /// Writes an audit entry, unless they are switched off.
    pub(crate) async fn audit(
        &self,
        conn: &impl GenericClient,
        action: Action,
        user: &User,
        client: &ClientInfo,
    ) -> Result<()> {
        self.audit_as(conn, (action, Object::new()), Actor::User(user), client)
            .await
    }

    /// Writes an audit entry about what somebody else does.
    pub(crate) async fn audit_as(
        &self,
        conn: &impl GenericClient,
        (action, traits): (Action, Object),
        actor: Actor<'_>,
        client: &ClientInfo,
    ) -> Result<()> {
        let entry = audit::entry(action, actor, traits, client, self.clock.now());
        if !self.config.audit_log_disable_postgres {
            store::audit::insert(conn, &entry).await?;
        }
        self.audit_line(&entry, client);
        Ok(())
    }

    /// Writes an audit entry to the log, if it is to be there too.
    pub(crate) fn audit_line(&self, entry: &NewAuditEntry, client: &ClientInfo) {
        if self.config.audit_log_stream {
            audit::write_line(entry, client);
        }
    }
}
