//! Twilio Verify, which makes the codes, sends them and checks them.

use innkeeper_service::secret::Secret;

use super::client::SmsClient;
use super::error::SmsError;
use super::message::SmsMessage;
use super::twilio::refusal;
use crate::config::TwilioVerifyConfig;

/// A service of Twilio Verify.
#[derive(Debug)]
pub(super) struct TwilioVerify {
    account_sid: String,
    auth_token: Secret<String>,
    service_sid: String,
}

impl TwilioVerify {
    /// Returns `None` if the credentials are incomplete.
    pub(super) fn new(settings: &TwilioVerifyConfig) -> Option<Self> {
        Some(Self {
            account_sid: settings.account_sid.clone()?,
            auth_token: settings.auth_token.clone()?,
            service_sid: settings.message_service_sid.clone()?,
        })
    }

    /// Has Twilio send a code, and returns the id of the verification.
    pub(super) async fn send(
        &self,
        client: &SmsClient,
        message: &SmsMessage,
    ) -> Result<String, SmsError> {
        let to = message.international();
        let fields = [("To", to.as_str()), ("Channel", message.channel.name())];
        let request = client
            .form("verify.twilio.com", &self.path("Verifications"), &fields)?
            .basic_auth(&self.account_sid, Some(self.auth_token.reveal()));
        let answer = client.send(request).await?;
        match answer.text("/sid") {
            Some(sid) if answer.is_success() => Ok(sid.to_owned()),
            _ => Err(refusal(&answer, &self.auth_token, &message.code)),
        }
    }

    /// Whether this is the code that Twilio has sent to the number.
    pub(super) async fn check(
        &self,
        client: &SmsClient,
        phone: &str,
        code: &str,
    ) -> Result<bool, SmsError> {
        let to = format!("+{phone}");
        let fields = [("To", to.as_str()), ("Code", code)];
        let request = client
            .form(
                "verify.twilio.com",
                &self.path("VerificationCheck"),
                &fields,
            )?
            .basic_auth(&self.account_sid, Some(self.auth_token.reveal()));
        let answer = client.send(request).await?;
        match answer.text("/status") {
            Some(status) if answer.is_success() => Ok(status == "approved"),
            // No verification waits for this number, or its code is not one.
            _ if matches!(answer.status, 400 | 404) => Ok(false),
            _ => Err(refusal(&answer, &self.auth_token, code)),
        }
    }

    fn path<'a>(&'a self, last: &'a str) -> [&'a str; 4] {
        ["v2", "Services", &self.service_sid, last]
    }
}
