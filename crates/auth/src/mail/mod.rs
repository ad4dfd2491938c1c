//! Mail: what is said, and how it gets to the mail server.
//!
//! `Mailer::enqueue` is the seam. It writes a message to the outbox, in the transaction of the change
//! that it is about, and the message is sent after that: a slow or dead mail server holds up nobody and
//! loses nothing.

mod compose;
mod content;
mod counts;
mod dispatch;
mod greet;
mod inspect;
mod library;
mod link;
mod outbox;
mod smtp;
mod template;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use innkeeper_service::clock::Clock;
use innkeeper_service::database::Database;
use innkeeper_service::random;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;
use uuid::Uuid;

use crate::config::{Config, HookKind, MessageKind, Profile};
use crate::error::{AuthError, Result};
use crate::error_code::ErrorCode;
use crate::hook::Hooks;
use crate::seal::Sealer;
use crate::store::{self, GenericClient};
use compose::Composer;
pub(crate) use content::check_subject;
pub use counts::MailCounts;
use dispatch::{Dispatcher, Sending, Smtp};
pub use greet::greet;
pub(crate) use inspect::{Listed, State};
pub use link::confirmation_url;
use outbox::Outbox;
use smtp::Server;

/// A mail with a link, a code or both.
///
/// It waits in the outbox as JSON, where another version of the server may find it: what is added must
/// have a default.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Names the mail in its `Message-ID` and in the log.
    pub id: Uuid,
    /// What it is for.
    pub kind: MessageKind,
    /// Where it goes.
    pub to: String,
    /// The address of the account.
    pub email: String,
    /// The address that the account will have, if it is to change.
    #[serde(default)]
    pub new_email: Option<String>,
    /// The link to follow.
    #[serde(default)]
    pub link: Option<String>,
    /// The code to type.
    #[serde(default)]
    pub code: Option<String>,
    /// What the hook is given that sends the mail instead of a mail server, if there is one.
    #[serde(default)]
    pub hook: Option<String>,
    /// The secret of the link, for templates that make links of their own.
    #[serde(default)]
    pub token_hash: Option<String>,
    /// Where the link leads on to.
    #[serde(default)]
    pub redirect_to: Option<String>,
    /// The user's metadata, from which the language is chosen as well.
    #[serde(default)]
    pub data: Map<String, Value>,
    /// The address that the account had, if it has changed.
    #[serde(default)]
    pub old_email: Option<String>,
    /// The number that the account has now, if it has changed.
    #[serde(default)]
    pub phone: Option<String>,
    /// The number that the account had, if it has changed.
    #[serde(default)]
    pub old_phone: Option<String>,
    /// What an identity signs in with, if one was linked or unlinked.
    #[serde(default)]
    pub provider: Option<String>,
    /// The kind of a second factor that was added or removed.
    #[serde(default)]
    pub factor_type: Option<String>,
}

impl Message {
    /// A mail to the address of the account, with neither link nor code yet.
    pub fn new(kind: MessageKind, to: impl Into<String>) -> Self {
        let to = to.into();
        Self {
            id: random_id(),
            kind,
            email: to.clone(),
            to,
            new_email: None,
            link: None,
            code: None,
            hook: None,
            token_hash: None,
            redirect_to: None,
            data: Map::new(),
            old_email: None,
            phone: None,
            old_phone: None,
            provider: None,
            factor_type: None,
        }
    }

    /// What must reach neither the log nor operators: whoever has it has the account.
    fn secrets(&self) -> Vec<String> {
        let payload = self.hook.as_deref().unwrap_or_default();
        let payload: Value = serde_json::from_str(payload).unwrap_or_default();
        let given = ["token", "token_hash", "token_new", "token_hash_new"].map(|name| {
            let member = payload.pointer(&format!("/email_data/{name}"));
            member.and_then(Value::as_str).map(str::to_owned)
        });
        let own = [&self.link, &self.code, &self.token_hash].map(Clone::clone);
        let all = own.into_iter().chain(given).flatten();
        all.filter(|secret| !secret.is_empty()).collect()
    }
}

/// Shows neither link nor code: whoever has them has the account.
impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message")
            .field("id", &self.id)
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

/// A mail was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MailError {
    /// There is no mail server to give it to.
    #[error("no mail server is configured")]
    NotConfigured,
    /// The recipient is no address that mail can go to.
    #[error("the recipient is not a mail address")]
    Recipient,
    /// It could not be encrypted.
    #[error("the mail could not be encrypted")]
    Sealing,
}

impl From<MailError> for AuthError {
    fn from(error: MailError) -> Self {
        match error {
            MailError::NotConfigured => Self::refused(
                ErrorCode::EmailProviderDisabled,
                "This server is not set up to send email",
            ),
            MailError::Recipient => Self::refused(
                ErrorCode::EmailAddressInvalid,
                "Mail cannot be sent to this email address",
            ),
            MailError::Sealing => Self::internal(error),
        }
    }
}

/// The settings make no mail.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MailSettingError {
    /// The sender is no address.
    #[error("SMTP_ADMIN_EMAIL: `{0}` is not a mail address")]
    Sender(String),
    /// The sender's name cannot stand in a header.
    #[error("SMTP_SENDER_NAME: holds a control character")]
    SenderName,
    /// A subject cannot stand in a header.
    #[error("MAILER_SUBJECTS_{0}: holds a control character")]
    Subject(&'static str),
    /// A header line that cannot be added.
    #[error("SMTP_HEADERS: `{0}`: {1}")]
    Header(String, &'static str),
    /// Templates cannot be fetched.
    #[error("MAILER_TEMPLATES: {0}")]
    Templates(String),
}

/// Keeps mail and sends it in the background.
#[derive(Debug)]
pub struct Mailer {
    outbox: Arc<Outbox>,
    /// Nothing without a mail server and without a hook in its place.
    sending: Option<Arc<Sending>>,
    counts: Arc<MailCounts>,
    /// Told when there may be something to send.
    woken: Arc<Notify>,
    running: Mutex<Option<Running>>,
}

#[derive(Debug)]
struct Running {
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Mailer {
    /// A mailer that does not send yet. Without a mail server in the settings every mail is refused,
    /// and in the gotrue profile with settings that make no mail, too.
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
            me: random_id(),
        };
        Ok(Self {
            outbox: Arc::new(outbox),
            sending: sending(config, hooks)?.map(Arc::new),
            counts: Arc::default(),
            woken: Arc::default(),
            running: Mutex::default(),
        })
    }

    /// Starts to send what is in the outbox; call it within a runtime, once the schema is there.
    pub(crate) fn start(&self) {
        let Some(sending) = &self.sending else {
            return;
        };
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if running.is_none() {
            let (stop, is_over) = watch::channel(false);
            let dispatcher = Dispatcher::new(
                Arc::clone(&self.outbox),
                Arc::clone(sending),
                Arc::clone(&self.counts),
                Arc::clone(&self.woken),
            );
            let task = tokio::spawn(dispatcher.run(is_over));
            *running = Some(Running { stop, task });
        }
    }

    /// Whether there is something that sends, and this is an address that mail can go to.
    pub(crate) fn can_write_to(&self, address: &str) -> bool {
        self.sending.is_some() && compose::address(address).is_some()
    }

    /// Puts a mail into the outbox, in the transaction of the change that it is about. Once that is
    /// committed the mail is sent, as soon as [`wake`](Self::wake) is called or within a second. It is
    /// tried again when the mail server fails, and given up after a day, which operators see.
    pub(crate) async fn enqueue(
        &self,
        transaction: &impl GenericClient,
        message: &Message,
    ) -> Result<()> {
        if self.sending.is_none() {
            return Err(MailError::NotConfigured.into());
        }
        if compose::address(&message.to).is_none() {
            return Err(MailError::Recipient.into());
        }
        self.outbox.put(transaction, message).await
    }

    /// Says that a transaction with a mail was committed.
    pub(crate) fn wake(&self) {
        self.woken.notify_one();
    }

    /// How many mails were sent and were not.
    pub fn counts(&self) -> Arc<MailCounts> {
        Arc::clone(&self.counts)
    }

    /// How many mails of all replicas wait to be sent, as of a few seconds ago.
    pub fn waiting(&self) -> u64 {
        self.counts.waiting()
    }

    /// How many mails of all replicas wait to be sent now.
    pub(crate) async fn count_waiting(&self, conn: &impl GenericClient) -> store::Result<u64> {
        let waiting = store::outbox::count_waiting(conn).await?;
        self.counts.set_waiting(waiting);
        Ok(waiting)
    }

    /// Fetches all templates anew and waits until that is done. Those that cannot be had stay as they
    /// are.
    pub async fn reload_templates(&self) {
        if let Some(sending) = &self.sending {
            sending.reload_templates().await;
        }
    }

    /// Sends no more. What is being sent is finished if that is quickly done; everything else stays in
    /// the outbox for another replica or the next start.
    pub(crate) async fn stop(&self) {
        let running = self
            .running
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(mut running) = running {
            running.stop.send_replace(true);
            // Nothing is left to be done about a task that has failed.
            (&mut running.task).await.ok();
        }
    }
}

fn sending(
    config: &Config,
    hooks: Hooks,
) -> std::result::Result<Option<Sending>, MailSettingError> {
    let has_hook = hooks.is_on(HookKind::SendEmail);
    let smtp = match config.smtp.is_complete().then(|| smtp(config)).transpose() {
        Ok(smtp) => smtp,
        Err(error) if has_hook || config.profile == Profile::Gotrue => {
            tracing::warn!(%error, "mail cannot be sent by SMTP");
            None
        }
        Err(error) => return Err(error),
    };
    Ok((has_hook || smtp.is_some()).then_some(Sending { hooks, smtp }))
}

fn smtp(config: &Config) -> std::result::Result<Smtp, MailSettingError> {
    Ok(Smtp {
        composer: Composer::new(config)?,
        server: Server::new(&config.smtp, &config.api.external_url),
    })
}

fn random_id() -> Uuid {
    uuid::Builder::from_random_bytes(random::bytes()).into_uuid()
}

#[cfg(test)]
mod tests;
