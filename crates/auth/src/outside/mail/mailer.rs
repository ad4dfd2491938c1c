//! The mailer: accepts mails and sends them in the background.

use std::sync::Arc;

use innkeeper_service::clock::Clock;
use innkeeper_service::database::{Database, Executor};

use super::compose;
use super::error::{MailError, MailSettingError};
use super::message::{Message, random_id};
use super::transport::MailTransport;
use crate::base::error::Result;
use crate::config::{Config, Profile};
use crate::crypto::seal::Sealer;
use crate::outside::hook::Hooks;
use crate::outside::outbox::{MessageCounts, Outbox, OutboxWorker, Transport};
use crate::store;

/// Puts mails into the outbox and sends them in the background.
#[derive(Debug)]
pub struct Mailer {
    pub(super) worker: OutboxWorker<MailTransport>,
    /// Whether mails are dropped, with a warning, if nothing can send them.
    drops_mail: bool,
}

impl Mailer {
    /// Makes a mailer that does not send yet. Without a mail server in the settings it refuses every mail. In
    /// the gotrue profile it drops them, also with settings that no mail can be sent with.
    pub(crate) fn new(
        config: &Config,
        clock: Clock,
        sealer: Arc<Sealer>,
        database: Database,
        hooks: Hooks,
    ) -> std::result::Result<Self, MailSettingError> {
        let outbox = Outbox {
            channel: MailTransport::CHANNEL,
            database,
            sealer,
            clock,
            retry_for: config.outbox.retry_for,
            replica: random_id(),
        };
        let transport = MailTransport::new(config, hooks)?;
        Ok(Self {
            worker: OutboxWorker::new(outbox, transport),
            drops_mail: config.profile == Profile::Gotrue,
        })
    }

    /// Starts to send the mails in the outbox. Must be called within a runtime, after the migrations.
    pub(crate) fn start(&self) {
        if self.worker.transport.is_configured() {
            self.worker.start();
        }
    }

    /// Whether mail can be sent to this address: a transport is configured, and the address is valid.
    pub(crate) fn can_send_to(&self, address: &str) -> bool {
        self.worker.transport.is_configured() && compose::parse_address(address).is_some()
    }

    /// Puts a mail into the outbox, in the transaction of the change that it is about.
    ///
    /// After the commit the mail is sent as soon as [`wake`](Self::wake) is called, or within a second. When
    /// the mail server fails, it is tried again, and given up after `MAILER_OUTBOX_RETRY_FOR`, which
    /// operators see.
    pub(crate) async fn enqueue(
        &self,
        transaction: &dyn Executor,
        message: &Message,
    ) -> Result<()> {
        if !self.worker.transport.is_configured() {
            if self.drops_mail {
                tracing::warn!(
                    kind = ?message.kind,
                    "no mail server is set; a mail was dropped"
                );
                return Ok(());
            }
            return Err(MailError::NotConfigured.into());
        }
        if compose::parse_address(&message.to).is_none() {
            return Err(MailError::Recipient.into());
        }
        self.worker.enqueue(transaction, message).await
    }

    /// Tells the dispatcher that a transaction with a mail was committed.
    pub(crate) fn wake(&self) {
        self.worker.wake();
    }

    /// Returns the counters of sent and failed mails, for metrics.
    pub fn counts(&self) -> Arc<MessageCounts> {
        Arc::clone(self.worker.counts())
    }

    /// Returns how many mails of all replicas wait to be sent, as of a few seconds ago.
    pub fn waiting(&self) -> u64 {
        self.worker.counts().waiting()
    }

    /// Counts the mails of all replicas that wait to be sent.
    pub(crate) async fn count_waiting(&self, conn: &dyn Executor) -> store::Result<u64> {
        self.worker.count_waiting(conn).await
    }

    /// Fetches all templates again and waits for the end. A template that cannot be fetched stays as it is.
    pub async fn reload_templates(&self) {
        self.worker.transport.prepare().await;
    }

    /// Stops sending. Mails that are being sent get a moment to finish; all others stay in the outbox for
    /// another replica or the next start.
    pub(crate) async fn stop(&self) {
        self.worker.stop().await;
    }
}
