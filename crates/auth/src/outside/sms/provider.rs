//! The providers that send text messages.

use std::time::Duration;

use innkeeper_service::outbound::OutboundError;

use super::client::SmsClient;
use super::error::SmsError;
use super::mailbox::SmsMailbox;
use super::message::SmsMessage;
use super::messagebird::Messagebird;
use super::textlocal::Textlocal;
use super::twilio::Twilio;
use super::twilio_verify::TwilioVerify;
use super::vonage::Vonage;
use crate::config::Config;

/// The provider of the settings, and the client for it.
#[derive(Debug)]
pub(super) struct Provider {
    client: SmsClient,
    account: Account,
}

/// An account at a provider.
#[derive(Debug)]
enum Account {
    Twilio(Twilio),
    TwilioVerify(TwilioVerify),
    Messagebird(Messagebird),
    Textlocal(Textlocal),
    Vonage(Vonage),
    Mailbox(SmsMailbox),
    /// `SMS_PROVIDER` is not set.
    None,
    /// Credentials are missing; holds the settings that are required.
    Incomplete(&'static str),
}

impl Provider {
    pub(super) fn new(config: &Config) -> Result<Self, OutboundError> {
        Ok(Self {
            client: SmsClient::new(config)?,
            account: Account::new(config),
        })
    }

    /// Whether the provider makes and checks the codes itself.
    pub(super) fn checks_codes(&self) -> bool {
        matches!(self.account, Account::TwilioVerify(_))
    }

    /// Sends a message, and returns the id that the provider gives it.
    pub(super) async fn send(&self, message: &SmsMessage) -> Result<String, SmsError> {
        let client = &self.client;
        match &self.account {
            Account::Twilio(twilio) => twilio.send(client, message).await,
            Account::TwilioVerify(service) => service.send(client, message).await,
            Account::Messagebird(messagebird) => messagebird.send(client, message).await,
            Account::Textlocal(textlocal) => textlocal.send(client, message).await,
            Account::Vonage(vonage) => vonage.send(client, message).await,
            Account::Mailbox(mailbox) => mailbox.send(message).await,
            Account::None => Err(SmsError::NoProvider),
            Account::Incomplete(settings) => Err(SmsError::Incomplete(settings)),
        }
    }

    /// Closes connections that have been idle for this long.
    pub(super) async fn close_idle(&self, idle_for: Duration) {
        if let Account::Mailbox(mailbox) = &self.account {
            mailbox.close_idle(idle_for).await;
        }
    }

    /// Whether this is the code that the provider has sent to the number.
    pub(super) async fn check(&self, phone: &str, code: &str) -> Result<bool, SmsError> {
        match &self.account {
            Account::TwilioVerify(service) => service.check(&self.client, phone, code).await,
            _ => Err(SmsError::NoProvider),
        }
    }
}

impl Account {
    fn new(config: &Config) -> Self {
        let sms = &config.sms;
        let account = match sms.provider.as_str() {
            "twilio" => Twilio::new(&sms.twilio).map(Self::Twilio),
            "twilio_verify" => TwilioVerify::new(&sms.twilio_verify).map(Self::TwilioVerify),
            "messagebird" => Messagebird::new(&sms.messagebird).map(Self::Messagebird),
            "textlocal" => Textlocal::new(&sms.textlocal).map(Self::Textlocal),
            "vonage" => Vonage::new(&sms.vonage).map(Self::Vonage),
            "mailbox" => SmsMailbox::new(config).map(Self::Mailbox),
            _ => return Self::None,
        };
        account.unwrap_or(Self::Incomplete(match sms.provider.as_str() {
            "twilio" => "SMS_TWILIO_ACCOUNT_SID, _AUTH_TOKEN and _MESSAGE_SERVICE_SID",
            "twilio_verify" => {
                "SMS_TWILIO_VERIFY_ACCOUNT_SID, _AUTH_TOKEN and _MESSAGE_SERVICE_SID"
            }
            "messagebird" => "SMS_MESSAGEBIRD_ACCESS_KEY and _ORIGINATOR",
            "textlocal" => "SMS_TEXTLOCAL_API_KEY and _SENDER",
            "mailbox" => "SMTP_HOST, SMTP_PORT and SMTP_ADMIN_EMAIL",
            _ => "SMS_VONAGE_API_KEY, _API_SECRET and _FROM",
        }))
    }
}
