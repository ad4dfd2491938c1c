//! The way that text messages are sent: the `send-sms` hook, or a provider.

use std::time::Duration;

use jiff::Timestamp;

use super::error::{SmsError, without_secrets};
use super::message::SmsMessage;
use super::provider::Provider;
use crate::config::HookKind;
use crate::outside::hook::Hooks;
use crate::outside::outbox::{AttemptReport, Envelope, NextAttempt, SendOutcome, Transport};

/// Sends text messages by the `send-sms` hook or by a provider.
#[derive(Debug)]
pub(super) struct SmsTransport {
    pub(super) hooks: Hooks,
    pub(super) provider: Provider,
}

impl SmsTransport {
    /// Sends a message, by the hook if it is on. Returns the id that the provider gives it.
    pub(super) async fn deliver(&self, message: &SmsMessage) -> Result<Option<String>, SmsError> {
        if self.hooks.is_on(HookKind::SendSms)
            && let Some(payload) = &message.hook
        {
            let sent = self.hooks.send_sms(message.id, payload).await;
            return sent.map(|()| None).map_err(SmsError::Hook);
        }
        self.provider.send(message).await.map(Some)
    }
}

impl Transport for SmsTransport {
    type Message = SmsMessage;

    const CHANNEL: &'static str = "sms";
    const EXPIRES: bool = true;

    fn envelope(message: &SmsMessage) -> Envelope<'_> {
        Envelope {
            id: message.id,
            kind: message.kind.name(),
            to: &message.to,
        }
    }

    async fn prepare(&self) {}

    async fn send(&self, message: &SmsMessage, _: Timestamp) -> SendOutcome {
        match self.deliver(message).await {
            Ok(_) => SendOutcome::Delivered,
            Err(error) => {
                let cause = without_secrets(&error.cause(), &[&message.code, &message.to]);
                if error.is_temporary() {
                    SendOutcome::Deferred(cause)
                } else {
                    SendOutcome::Rejected(cause)
                }
            }
        }
    }

    async fn close_idle(&self, idle_for: Duration) {
        self.provider.close_idle(idle_for).await;
    }

    fn log(attempt: &AttemptReport<'_>) {
        let AttemptReport {
            id, kind, tries, ..
        } = attempt;
        let cause = match attempt.outcome {
            SendOutcome::Delivered => {
                tracing::debug!(sms.id = %id, sms.kind = kind, "text message sent");
                return;
            }
            SendOutcome::Deferred(cause) | SendOutcome::Rejected(cause) => cause,
        };
        if let NextAttempt::At(then) = attempt.next {
            tracing::warn!(
                sms.id = %id,
                sms.kind = kind,
                sms.tries = tries,
                sms.next_try = %then,
                cause,
                "text message could not be sent and will be tried again"
            );
        } else {
            tracing::error!(
                sms.id = %id,
                sms.kind = kind,
                sms.tries = tries,
                cause,
                "text message could not be sent and was given up"
            );
        }
    }
}
