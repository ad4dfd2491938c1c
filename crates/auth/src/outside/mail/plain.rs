//! Plain-text mails that are sent at once, without the outbox.

use std::time::Duration;

use lettre::address::Envelope;
use lettre::message::Mailbox;
use uuid::Uuid;

use super::compose::{EncodedMail, parse_address};
use super::smtp::SmtpServer;
use crate::config::Config;

/// Sends plain-text mails to the mail server of the settings.
#[derive(Debug)]
pub(crate) struct PlainMailer {
    sender: Mailbox,
    server: SmtpServer,
}

/// A plain-text mail.
#[derive(Debug)]
pub(crate) struct PlainMail<'a> {
    pub(crate) id: Uuid,
    pub(crate) to: &'a str,
    pub(crate) subject: String,
    pub(crate) text: String,
}

/// Why a plain-text mail was not sent.
#[derive(Debug)]
pub(crate) struct PlainMailError {
    pub(crate) is_temporary: bool,
    pub(crate) cause: String,
}

impl PlainMailer {
    /// Returns `None` without a mail server.
    pub(crate) fn new(config: &Config) -> Option<Self> {
        let smtp = &config.smtp;
        let sender = parse_address(&smtp.admin_email).filter(|_| smtp.is_complete())?;
        Some(Self {
            sender: Mailbox::new(None, sender),
            server: SmtpServer::new(smtp, &config.api.external_url),
        })
    }

    pub(crate) async fn send(&self, mail: PlainMail<'_>) -> Result<(), PlainMailError> {
        let invalid = || PlainMailError {
            is_temporary: false,
            cause: "the recipient is not a mail address".to_owned(),
        };
        let recipient = parse_address(mail.to).ok_or_else(invalid)?;
        let sender = self.sender.email.clone();
        let envelope =
            Envelope::new(Some(sender), vec![recipient.clone()]).map_err(|_| invalid())?;
        let message = lettre::Message::builder()
            .message_id(Some(format!(
                "<{}@{}>",
                mail.id,
                self.sender.email.domain()
            )))
            .from(self.sender.clone())
            .to(Mailbox::new(None, recipient))
            .subject(mail.subject)
            .body(mail.text)
            .map_err(|_| invalid())?;
        let encoded = EncodedMail {
            envelope,
            bytes: message.formatted(),
        };
        let sent = self.server.send(&encoded).await;
        sent.map_err(|error| PlainMailError {
            is_temporary: error.is_temporary,
            cause: error.cause,
        })
    }

    /// Closes connections that have been idle for this long.
    pub(crate) async fn close_idle(&self, idle_for: Duration) {
        self.server.close_idle(idle_for).await;
    }
}
