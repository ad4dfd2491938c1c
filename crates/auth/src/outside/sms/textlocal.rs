//! Textlocal's messages.

use innkeeper_service::secret::Secret;
use serde_json::Value;

use super::client::SmsClient;
use super::error::SmsError;
use super::message::SmsMessage;
use crate::config::TextlocalConfig;

/// An account at Textlocal.
#[derive(Debug)]
pub(super) struct Textlocal {
    api_key: Secret<String>,
    sender: String,
}

impl Textlocal {
    /// Returns `None` if the credentials are incomplete.
    pub(super) fn new(settings: &TextlocalConfig) -> Option<Self> {
        Some(Self {
            api_key: settings.api_key.clone()?,
            sender: settings.sender.clone()?,
        })
    }

    /// Sends a message, and returns its id. Textlocal answers 200 to refusals too.
    pub(super) async fn send(
        &self,
        client: &SmsClient,
        message: &SmsMessage,
    ) -> Result<String, SmsError> {
        let key = self.api_key.reveal();
        let fields = [
            ("sender", self.sender.as_str()),
            ("apikey", key),
            ("message", &message.text),
            ("numbers", &message.to),
        ];
        let request = client.form("api.textlocal.in", &["send"], &fields)?;
        let answer = client.send(request).await?;
        if !answer.is_success() || answer.text("/status") != Some("success") {
            let text = answer.text("/errors/0/message");
            return Err(answer.refusal(text, &[key, &message.code]));
        }
        // Ids are texts or numbers.
        match answer.body.pointer("/messages/0/id") {
            Some(Value::String(id)) => Ok(id.clone()),
            Some(Value::Number(id)) => Ok(id.to_string()),
            _ => Err(SmsError::InvalidAnswer(answer.status)),
        }
    }
}
