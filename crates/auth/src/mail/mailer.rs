//! The mailer: accepts mails and sends them in the background.

use std::sync::{Arc, Mutex, PoisonError};

use innkeeper_service::clock::Clock;
use innkeeper_service::database::Database;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

use super::compose;
use super::counts::MailCounts;
use super::dispatch::Dispatcher;
use super::error::{MailError, MailSettingError};
use super::message::{Message, random_id};
use super::outbox::Outbox;
use super::transport::Transport;
use crate::config::Config;
use crate::error::Result;
use crate::hook::Hooks;
use crate::seal::Sealer;
use crate::store::{self, GenericClient};

/// Puts mails into the outbox and sends them in the background.
#[derive(Debug)]
pub struct Mailer {
    pub(super) outbox: Arc<Outbox>,
    /// `None` without a mail server and without a hook in its place.
    transport: Option<Arc<Transport>>,
    counts: Arc<MailCounts>,
    /// Wakes the dispatcher when the outbox may have a new mail.
    wakeup: Arc<Notify>,
    task: Mutex<Option<DispatchTask>>,
}

/// The background task that sends mails.
#[derive(Debug)]
struct DispatchTask {
    stop: watch::Sender<bool>,
    handle: JoinHandle<()>,
}

impl Drop for DispatchTask {
    fn drop(&mut self) {
        self.handle.abort();
    }
}

impl Mailer {
    /// Makes a mailer that does not send yet. Without a mail server in the settings it refuses every mail; in
    /// the gotrue profile also with settings that no mail can be sent with.
    pub(crate) fn new(
        config: &Config,
        clock: Clock,
        sealer: Arc<Sealer>,
        database: Database,
        hooks: Hooks,
    ) -> std::result::Result<Self, MailSettingError> {
        let outbox = Outbox {
            database,
            sealer,
            clock,
            retry_for: config.outbox.retry_for,
            replica: random_id(),
        };
        Ok(Self {
            outbox: Arc::new(outbox),
            transport: Transport::new(config, hooks)?.map(Arc::new),
            counts: Arc::default(),
            wakeup: Arc::default(),
            task: Mutex::default(),
        })
    }

    /// Starts to send the mails in the outbox. Must be called within a runtime, after the migrations.
    pub(crate) fn start(&self) {
        let Some(transport) = &self.transport else {
            return;
        };
        let mut task = self.task.lock().unwrap_or_else(PoisonError::into_inner);
        if task.is_none() {
            let (stop, stopped) = watch::channel(false);
            let dispatcher = Dispatcher::new(
                Arc::clone(&self.outbox),
                Arc::clone(transport),
                Arc::clone(&self.counts),
                Arc::clone(&self.wakeup),
            );
            let handle = tokio::spawn(dispatcher.run(stopped));
            *task = Some(DispatchTask { stop, handle });
        }
    }

    /// Whether mail can be sent to this address: a transport is configured, and the address is valid.
    pub(crate) fn can_send_to(&self, address: &str) -> bool {
        self.transport.is_some() && compose::parse_address(address).is_some()
    }

    /// Puts a mail into the outbox, in the transaction of the change that it is about.
    ///
    /// After the commit the mail is sent as soon as [`wake`](Self::wake) is called, or within a second. When
    /// the mail server fails, it is tried again, and given up after `MAILER_OUTBOX_RETRY_FOR`, which
    /// operators see.
    pub(crate) async fn enqueue(
        &self,
        transaction: &impl GenericClient,
        message: &Message,
    ) -> Result<()> {
        if self.transport.is_none() {
            return Err(MailError::NotConfigured.into());
        }
        if compose::parse_address(&message.to).is_none() {
            return Err(MailError::Recipient.into());
        }
        self.outbox.insert(transaction, message).await
    }

    /// Tells the dispatcher that a transaction with a mail was committed.
    pub(crate) fn wake(&self) {
        self.wakeup.notify_one();
    }

    /// Returns the counters of sent and failed mails, for metrics.
    pub fn counts(&self) -> Arc<MailCounts> {
        Arc::clone(&self.counts)
    }

    /// Returns how many mails of all replicas wait to be sent, as of a few seconds ago.
    pub fn waiting(&self) -> u64 {
        self.counts.waiting()
    }

    /// Counts the mails of all replicas that wait to be sent.
    pub(crate) async fn count_waiting(&self, conn: &impl GenericClient) -> store::Result<u64> {
        let waiting = store::outbox::count_waiting(conn).await?;
        self.counts.set_waiting(waiting);
        Ok(waiting)
    }

    /// Fetches all templates again and waits for the end. A template that cannot be fetched stays as it is.
    pub async fn reload_templates(&self) {
        if let Some(transport) = &self.transport {
            transport.reload_templates().await;
        }
    }

    /// Stops sending. Mails that are being sent get a moment to finish; all others stay in the outbox for
    /// another replica or the next start.
    pub(crate) async fn stop(&self) {
        let task = self
            .task
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(mut task) = task {
            task.stop.send_replace(true);
            // Nothing is left to be done about a task that has failed.
            (&mut task.handle).await.ok();
        }
    }
}
