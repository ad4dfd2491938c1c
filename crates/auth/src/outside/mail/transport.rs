//! The way that mails are sent: the `send-email` hook, or a mail server.

use std::time::Duration;

use jiff::Timestamp;

use super::compose::Composer;
use super::error::MailSettingError;
use super::message::Message;
use super::redact::redact;
use super::smtp::SmtpServer;
use crate::config::{Config, HookKind, Profile};
use crate::outside::hook::Hooks;
use crate::outside::outbox::{AttemptReport, Envelope, NextAttempt, SendOutcome, Transport};

/// Sends mails by the `send-email` hook or by SMTP.
#[derive(Debug)]
pub(super) struct MailTransport {
    hooks: Hooks,
    smtp: Option<SmtpTransport>,
}

/// A mail server, and the composer of the mails for it.
#[derive(Debug)]
struct SmtpTransport {
    composer: Composer,
    server: SmtpServer,
}

impl MailTransport {
    /// Makes the transport that the settings describe, if they describe one.
    pub(super) fn new(config: &Config, hooks: Hooks) -> Result<Self, MailSettingError> {
        let has_hook = hooks.is_on(HookKind::SendEmail);
        let smtp = config
            .smtp
            .is_complete()
            .then(|| SmtpTransport::new(config))
            .transpose();
        let smtp = match smtp {
            Ok(smtp) => smtp,
            Err(error) if has_hook || config.profile == Profile::Gotrue => {
                tracing::warn!(%error, "mail cannot be sent by SMTP");
                None
            }
            Err(error) => return Err(error),
        };
        Ok(Self { hooks, smtp })
    }

    /// Whether there is a mail server, or a hook in its place.
    pub(super) fn is_configured(&self) -> bool {
        self.smtp.is_some() || self.hooks.is_on(HookKind::SendEmail)
    }
}

impl Transport for MailTransport {
    type Message = Message;

    const CHANNEL: &'static str = "mail";
    const EXPIRES: bool = false;

    fn envelope(message: &Message) -> Envelope<'_> {
        Envelope {
            id: message.id,
            kind: message.kind.setting(),
            to: &message.to,
        }
    }

    /// Fetches the operator's templates, so that mails which wait already are written with them.
    async fn prepare(&self) {
        if let Some(smtp) = &self.smtp {
            smtp.composer.reload_templates().await;
        }
    }

    async fn close_idle(&self, idle_for: Duration) {
        if let Some(smtp) = &self.smtp {
            smtp.server.close_idle(idle_for).await;
        }
    }

    /// Sends a mail, by the hook if the mail was enqueued for it and the hook is still on.
    async fn send(&self, message: &Message, created_at: Timestamp) -> SendOutcome {
        let sent = match (&message.hook, &self.smtp) {
            (Some(payload), _) if self.hooks.is_on(HookKind::SendEmail) => {
                let sent = self.hooks.send_email(message.id, payload).await;
                sent.map_err(|error| (error.is_temporary(), error.to_string(), None))
            }
            (_, Some(smtp)) => {
                // The same date every time: it is the same mail.
                let composed = match smtp.composer.compose(message, created_at) {
                    Ok(composed) => composed,
                    Err(error) => return SendOutcome::Rejected(error.to_string()),
                };
                let sent = smtp.server.send(&composed).await;
                sent.map_err(|error| (error.is_temporary, error.cause, error.status))
            }
            // An operator has changed the settings, and can change them again.
            (_, None) => Err((true, "no mail server is configured".to_owned(), None)),
        };
        match sent {
            Ok(()) => SendOutcome::Delivered,
            Err((is_temporary, cause, status)) => {
                let cause = redact(&cause, status.as_deref(), message);
                if is_temporary {
                    SendOutcome::Deferred(cause)
                } else {
                    SendOutcome::Rejected(cause)
                }
            }
        }
    }

    fn log(attempt: &AttemptReport<'_>) {
        let AttemptReport {
            id, kind, tries, ..
        } = attempt;
        let cause = match attempt.outcome {
            SendOutcome::Delivered => {
                tracing::debug!(mail.id = %id, mail.kind = kind, "mail sent");
                return;
            }
            SendOutcome::Deferred(cause) | SendOutcome::Rejected(cause) => cause,
        };
        if let NextAttempt::At(then) = attempt.next {
            tracing::warn!(
                mail.id = %id,
                mail.kind = kind,
                mail.tries = tries,
                mail.next_try = %then,
                cause,
                "mail could not be sent and will be tried again"
            );
        } else {
            tracing::error!(
                mail.id = %id,
                mail.kind = kind,
                mail.tries = tries,
                cause,
                "mail could not be sent and was given up"
            );
        }
    }
}

impl SmtpTransport {
    fn new(config: &Config) -> Result<Self, MailSettingError> {
        Ok(Self {
            composer: Composer::new(config)?,
            server: SmtpServer::new(&config.smtp, &config.api.external_url),
        })
    }
}
