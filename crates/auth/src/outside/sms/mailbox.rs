//! Text messages as mails, to try things out: `innkeeper up` shows them in its mailbox.

use std::time::Duration;

use super::error::SmsError;
use super::message::SmsMessage;
use crate::config::Config;
use crate::outside::mail::{PlainMail, PlainMailer};

/// The domain of the addresses that stand for phone numbers. No mail can be delivered to it.
const DOMAIN: &str = "sms.invalid";

/// The mail server of the settings, in the place of a provider.
#[derive(Debug)]
pub(super) struct SmsMailbox(PlainMailer);

impl SmsMailbox {
    /// Returns `None` without a mail server.
    pub(super) fn new(config: &Config) -> Option<Self> {
        PlainMailer::new(config).map(Self)
    }

    /// Sends a message as a mail to an address with the digits of the number, and returns its id.
    pub(super) async fn send(&self, message: &SmsMessage) -> Result<String, SmsError> {
        let mail = PlainMail {
            id: message.id,
            to: &format!("{}@{DOMAIN}", message.to),
            subject: format!("{} to {}", message.channel.title(), message.international()),
            text: message.text.clone(),
        };
        let sent = self.0.send(mail).await;
        sent.map_err(|error| {
            if error.is_temporary {
                SmsError::Unreachable(error.cause)
            } else {
                SmsError::refused(400, &error.cause)
            }
        })?;
        Ok(message.id.to_string())
    }

    pub(super) async fn close_idle(&self, idle_for: Duration) {
        self.0.close_idle(idle_for).await;
    }
}
