//! MessageBird's messages.

use http::header::AUTHORIZATION;
use innkeeper_service::secret::Secret;

use super::client::SmsClient;
use super::error::SmsError;
use super::message::SmsMessage;
use crate::config::MessagebirdConfig;

/// An account at MessageBird.
#[derive(Debug)]
pub(super) struct Messagebird {
    access_key: Secret<String>,
    originator: String,
}

impl Messagebird {
    /// Returns `None` if the credentials are incomplete.
    pub(super) fn new(settings: &MessagebirdConfig) -> Option<Self> {
        Some(Self {
            access_key: settings.access_key.clone()?,
            originator: settings.originator.clone()?,
        })
    }

    /// Sends a message, and returns its id.
    pub(super) async fn send(
        &self,
        client: &SmsClient,
        message: &SmsMessage,
    ) -> Result<String, SmsError> {
        let fields = [
            ("originator", self.originator.as_str()),
            ("body", &message.text),
            ("recipients", &message.to),
            ("type", "sms"),
            ("datacoding", "unicode"),
        ];
        let key = self.access_key.reveal();
        let request = client
            .form("rest.messagebird.com", &["messages"], &fields)?
            .header(AUTHORIZATION, format!("AccessKey {key}"));
        let answer = client.send(request).await?;
        let sent = answer.body.pointer("/recipients/totalSentCount");
        match answer.text("/id") {
            Some(id) if answer.is_success() => match sent.and_then(serde_json::Value::as_u64) {
                Some(0) => Err(SmsError::refused(answer.status, "total sent count is 0")),
                _ => Ok(id.to_owned()),
            },
            _ => Err(answer.refusal(answer.text("/errors/0/description"), &[key, &message.code])),
        }
    }
}
