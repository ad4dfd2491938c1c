//! What all handlers share.

use std::sync::{Arc, PoisonError, RwLock};

use innkeeper_service::clock::Clock;
use innkeeper_service::database::Database;

use crate::api::client::ClientInfo;
use crate::audit::{Action, Actor, Entry};
use crate::config::{Config, Profile};
use crate::error::Result;
use crate::jwt::{KeySet, VerifiedCache};
use crate::mail::{MailError, Mailer};
use crate::password::{Breached, HashPool, Policy};
use crate::redirect::Redirects;
use crate::seal::Sealer;
use crate::store::{self, GenericClient, Shared};
use crate::throttle::Throttle;
use crate::user::{Object, User};

/// The server's parts.
#[derive(Debug)]
pub struct App {
    pub(crate) config: Config,
    pub(crate) clock: Clock,
    pub(crate) database: Database,
    pub(crate) keys: Keys,
    pub(crate) sealer: Sealer,
    pub(crate) secrets: Secrets,
    pub(crate) hashes: HashPool,
    pub(crate) breached: Option<Breached>,
    pub(crate) mailer: Mailer,
    pub(crate) redirects: Redirects,
    pub(crate) throttle: Throttle,
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
}

impl Keys {
    pub(crate) fn new(keys: KeySet) -> Self {
        Self {
            current: RwLock::new(Arc::new(keys)),
            verified: VerifiedCache::new(),
        }
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
        if self.config.smtp.is_complete() {
            return Ok(());
        }
        Err(MailError::NotConfigured.into())
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
    pub(crate) fn policy(&self) -> Policy<'_> {
        Policy {
            min_length: self.config.password.min_length,
            required_characters: &self.config.password.required_characters,
            max_bytes: match self.config.profile {
                Profile::Std => Policy::MAX_BYTES,
                Profile::Gotrue => Policy::MAX_BYTES_GOTRUE,
            },
        }
    }

    /// A connection for single statements, shared with other requests.
    pub(crate) async fn shared(&self) -> Result<Shared> {
        Ok(Shared(self.database.shared().await?))
    }

    /// A connection of its own, for a transaction.
    pub(crate) async fn connection(&self) -> Result<deadpool_postgres::Client> {
        Ok(self.database.connection().await?)
    }

    /// Writes an audit entry, unless they are switched off.
    pub(crate) async fn audit(
        &self,
        conn: &impl GenericClient,
        action: Action,
        user: &User,
        client: &ClientInfo,
    ) -> Result<()> {
        self.audit_as(conn, action, Actor::User(user), Object::new(), client)
            .await
    }

    /// Writes an audit entry about what somebody else does.
    pub(crate) async fn audit_as(
        &self,
        conn: &impl GenericClient,
        action: Action,
        actor: Actor<'_>,
        traits: Object,
        client: &ClientInfo,
    ) -> Result<()> {
        if !self.config.audit_log_disable_postgres {
            let entry = Entry::new(action, actor, traits, client, self.clock.now());
            store::audit::insert(conn, &entry).await?;
        }
        Ok(())
    }
}
