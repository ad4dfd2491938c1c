//! Twilio's messages, by SMS and by WhatsApp.

use innkeeper_service::secret::Secret;
use serde_json::json;

use super::client::{ProviderAnswer, SmsClient};
use super::error::SmsError;
use super::message::{SmsChannel, SmsMessage};
use crate::base::contact::Phone;
use crate::config::TwilioConfig;

/// An account at Twilio.
#[derive(Debug)]
pub(super) struct Twilio {
    account_sid: String,
    auth_token: Secret<String>,
    /// A messaging service or a number.
    sender: String,
    /// The template of messages by WhatsApp.
    content_sid: Option<String>,
}

impl Twilio {
    /// Returns `None` if the credentials are incomplete.
    pub(super) fn new(settings: &TwilioConfig) -> Option<Self> {
        Some(Self {
            account_sid: settings.account_sid.clone()?,
            auth_token: settings.auth_token.clone()?,
            sender: settings.message_service_sid.clone()?,
            content_sid: settings.content_sid.clone(),
        })
    }

    /// Sends a message, and returns its id.
    pub(super) async fn send(
        &self,
        client: &SmsClient,
        message: &SmsMessage,
    ) -> Result<String, SmsError> {
        let (to, from) = match message.channel {
            SmsChannel::Sms => (message.international(), self.sender.clone()),
            SmsChannel::WhatsApp => (
                format!("whatsapp:{}", message.international()),
                format!("whatsapp:{}", whatsapp_sender(&self.sender)),
            ),
        };
        let variables = json!({ "1": message.code }).to_string();
        let mut fields = vec![
            ("To", to.as_str()),
            ("Channel", message.channel.name()),
            ("From", &from),
        ];
        match &self.content_sid {
            Some(sid) if message.channel == SmsChannel::WhatsApp => {
                fields.extend([
                    ("ContentSid", sid.as_str()),
                    ("ContentVariables", &variables),
                ]);
            }
            _ => fields.push(("Body", &message.text)),
        }
        let path = ["2010-04-01", "Accounts", &self.account_sid, "Messages.json"];
        let request = client
            .form("api.twilio.com", &path, &fields)?
            .basic_auth(&self.account_sid, Some(self.auth_token.reveal()));
        let answer = client.send(request).await?;
        let failed = matches!(answer.text("/status"), Some("failed" | "undelivered"));
        match answer.text("/sid") {
            Some(sid) if answer.is_success() && !failed => Ok(sid.to_owned()),
            _ => Err(refusal(&answer, &self.auth_token, &message.code)),
        }
    }
}

/// Returns a number with its `+`, and a messaging service as it is.
fn whatsapp_sender(sender: &str) -> String {
    match Phone::parse(sender) {
        Ok(phone) => format!("+{phone}"),
        Err(_) => sender.to_owned(),
    }
}

/// Returns the error of Twilio's answer.
pub(super) fn refusal(answer: &ProviderAnswer, token: &Secret<String>, code: &str) -> SmsError {
    let text = answer
        .text("/error_message")
        .or_else(|| answer.text("/message"));
    answer.refusal(text, &[token.reveal(), code])
}
