//! Mail: what is said, and how it gets to the mail server.
//!
//! [`Mailer::deliver`] is the seam. It takes a message and returns at once, so a slow mail server
//! holds up nobody and a request takes the same time whether a mail goes out or not.

mod compose;
mod content;
mod counts;
mod greet;
mod library;
mod link;
mod queue;
mod sender;
mod smtp;
mod template;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use innkeeper_service::clock::Clock;
use innkeeper_service::random;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::config::{Config, MessageKind, Profile};
use crate::hook::Hooks;
use compose::{Composer, Mail};
pub(crate) use content::check_subject;
pub use counts::MailCounts;
pub use greet::greet;
pub use link::confirmation_url;
use queue::{Patience, Queue};
use sender::Sender;
use smtp::Server;

/// A mail with a link, a code or both.
#[derive(Clone, PartialEq, Eq)]
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
    pub new_email: Option<String>,
    /// The link to follow.
    pub link: Option<String>,
    /// The code to type.
    pub code: Option<String>,
    /// What the hook is given that sends the mail instead of a mail server, if there is one.
    pub hook: Option<String>,
    /// The secret of the link, for templates that make links of their own.
    pub token_hash: Option<String>,
    /// Where the link leads on to.
    pub redirect_to: Option<String>,
    /// The user's metadata, from which the language is chosen as well.
    pub data: Map<String, Value>,
    /// The address that the account had, if it has changed.
    pub old_email: Option<String>,
    /// The number that the account has now, if it has changed.
    pub phone: Option<String>,
    /// The number that the account had, if it has changed.
    pub old_phone: Option<String>,
    /// What an identity signs in with, if one was linked or unlinked.
    pub provider: Option<String>,
    /// The kind of a second factor that was added or removed.
    pub factor_type: Option<String>,
}

impl Message {
    /// A mail to the address of the account, with neither link nor code yet.
    pub fn new(kind: MessageKind, to: impl Into<String>) -> Self {
        let to = to.into();
        Self {
            id: uuid::Builder::from_random_bytes(random::bytes()).into_uuid(),
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
    /// Too many mails wait for the mail server.
    #[error("too many mails are waiting")]
    QueueFull,
    /// The server is shutting down.
    #[error("mail is no longer taken")]
    Closed,
    /// The recipient is no address that mail can go to.
    #[error("the recipient is not a mail address")]
    Recipient,
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

/// Sends mail in the background.
#[derive(Debug)]
pub struct Mailer {
    /// Nothing without a mail server.
    sending: Option<Sending>,
    counts: Arc<MailCounts>,
}

#[derive(Debug)]
struct Sending {
    /// Nothing if a hook writes the mails.
    composer: Option<Composer>,
    clock: Clock,
    queue: Queue,
}

impl Mailer {
    /// Starts the tasks that send; call it within a runtime. Without a mail server in the settings
    /// every mail is refused, and in the gotrue profile with settings that make no mail, too.
    pub fn new(config: &Config, clock: Clock) -> Result<Self, MailSettingError> {
        Self::with_patience(config, clock, Patience::default())
    }

    fn with_patience(
        config: &Config,
        clock: Clock,
        patience: Patience,
    ) -> Result<Self, MailSettingError> {
        let counts = Arc::new(MailCounts::default());
        if !config.smtp.is_complete() {
            return Ok(Self {
                sending: None,
                counts,
            });
        }
        let composer = match Composer::new(config) {
            Ok(composer) => composer,
            Err(error) if config.profile == Profile::Gotrue => {
                tracing::warn!(%error, "mail cannot be sent");
                return Ok(Self {
                    sending: None,
                    counts,
                });
            }
            Err(error) => return Err(error),
        };
        let server = Server::new(&config.smtp, &config.api.external_url);
        Ok(Self {
            sending: Some(Sending {
                composer: Some(composer),
                clock,
                queue: Queue::start(server, patience, &counts),
            }),
            counts,
        })
    }

    /// As [`Mailer::new`], with a hook in place of a mail server.
    pub(crate) fn through_hook(hooks: Hooks, clock: Clock) -> Self {
        let counts = Arc::default();
        Self {
            sending: Some(Sending {
                composer: None,
                clock,
                queue: Queue::start(Sender::Hook(hooks), Patience::default(), &counts),
            }),
            counts,
        }
    }

    /// Takes a mail and returns at once. It is sent in the background, tried again when the server
    /// fails for a while, and given up after some minutes, which the log says.
    pub async fn deliver(&self, message: Message) -> Result<(), MailError> {
        let sending = self.sending.as_ref().ok_or(MailError::NotConfigured)?;
        let mail = match &sending.composer {
            Some(composer) => composer.compose(&message, sending.clock.now())?,
            None => Mail::for_hook(message)?,
        };
        sending.queue.push(mail)
    }

    /// How many mails were sent and were not.
    pub fn counts(&self) -> Arc<MailCounts> {
        Arc::clone(&self.counts)
    }

    /// How many mails wait to be sent.
    pub fn waiting(&self) -> usize {
        let sending = self.sending.as_ref();
        sending.map_or(0, |sending| sending.queue.waiting())
    }

    /// Fetches all templates anew and waits until that is done. Those that cannot be had stay as they
    /// are.
    pub async fn reload_templates(&self) {
        if let Some(sending) = &self.sending
            && let Some(composer) = &sending.composer
        {
            composer.reload_templates().await;
        }
    }

    /// Takes no more mail and waits until all of it is sent, or until the time is up. Returns how
    /// many mails are left.
    pub async fn drain(&self, deadline: Duration) -> usize {
        match &self.sending {
            Some(sending) => sending.queue.drain(deadline).await,
            None => 0,
        }
    }
}

#[cfg(test)]
impl Mailer {
    /// Waits until every mail so far is sent or given up, and goes on taking mail.
    async fn settle(&self) {
        if let Some(sending) = &self.sending {
            sending.queue.settle().await;
        }
    }
}

#[cfg(test)]
mod tests;
