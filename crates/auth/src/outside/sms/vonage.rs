//! Vonage's messages.

use innkeeper_service::secret::Secret;

use super::client::SmsClient;
use super::error::SmsError;
use super::message::SmsMessage;
use crate::config::VonageConfig;

/// An account at Vonage.
#[derive(Debug)]
pub(super) struct Vonage {
    api_key: String,
    api_secret: Secret<String>,
    from: String,
}

impl Vonage {
    /// Returns `None` if the credentials are incomplete.
    pub(super) fn new(settings: &VonageConfig) -> Option<Self> {
        Some(Self {
            api_key: settings.api_key.clone()?,
            api_secret: settings.api_secret.clone()?,
            from: settings.from.clone()?,
        })
    }

    /// Sends a message, and returns its id. Vonage answers 200 to refusals too.
    pub(super) async fn send(
        &self,
        client: &SmsClient,
        message: &SmsMessage,
    ) -> Result<String, SmsError> {
        let secret = self.api_secret.reveal();
        let mut fields = vec![
            ("from", self.from.as_str()),
            ("to", &message.to),
            ("text", &message.text),
            ("api_key", &self.api_key),
            ("api_secret", secret),
        ];
        if !message.text.is_ascii() {
            fields.push(("type", "unicode"));
        }
        let request = client.form("rest.nexmo.com", &["sms", "json"], &fields)?;
        let answer = client.send(request).await?;
        let id = answer.text("/messages/0/message-id");
        match (answer.text("/messages/0/status"), id) {
            (Some("0"), Some(id)) if answer.is_success() => Ok(id.to_owned()),
            // Too many messages at once.
            (Some("1"), _) => Err(SmsError::refused(429, "throttled")),
            _ => {
                let text = answer.text("/messages/0/error-text");
                Err(answer.refusal(text, &[secret, &message.code]))
            }
        }
    }
}
