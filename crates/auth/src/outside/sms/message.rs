//! A text message, from the request that causes it until it is sent.

use std::fmt;

use innkeeper_service::random;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The way that a message takes to a phone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SmsChannel {
    #[default]
    Sms,
    WhatsApp,
}

impl SmsChannel {
    /// Returns the channel as clients and Twilio name it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sms => "sms",
            Self::WhatsApp => "whatsapp",
        }
    }

    /// Returns the channel as people write it.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Sms => "SMS",
            Self::WhatsApp => "WhatsApp message",
        }
    }

    pub(crate) fn parse(name: &str) -> Option<Self> {
        [Self::Sms, Self::WhatsApp]
            .into_iter()
            .find(|channel| channel.name() == name)
    }
}

/// The occasion of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SmsKind {
    /// A sign-up or a sign-in.
    Confirmation,
    /// A change of phone number, confirmed at the new one.
    PhoneChange,
    /// The nonce of a change of password.
    Reauthentication,
    /// The code of a second factor.
    Factor,
}

impl SmsKind {
    /// Returns the name in error messages, in the outbox and in metrics.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Confirmation => "confirmation",
            Self::PhoneChange => "phone_change",
            Self::Reauthentication => "reauthentication",
            Self::Factor => "mfa",
        }
    }
}

/// A text message with a code.
///
/// It waits in the outbox as JSON, where another version of the server may read it: a new field must have a default.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SmsMessage {
    pub(crate) id: Uuid,
    pub(crate) kind: SmsKind,
    /// The digits of the phone number, without `+`.
    pub(crate) to: String,
    #[serde(default)]
    pub(crate) channel: SmsChannel,
    pub(crate) code: String,
    /// The text around the code.
    pub(crate) text: String,
    /// The payload for the `send-sms` hook, which sends the message instead of a provider.
    #[serde(default)]
    pub(crate) hook: Option<String>,
}

impl SmsMessage {
    /// Returns the number with its `+`.
    pub(super) fn international(&self) -> String {
        format!("+{}", self.to)
    }

    pub(super) fn random_id() -> Uuid {
        uuid::Builder::from_random_bytes(random::bytes()).into_uuid()
    }
}

/// Shows neither the code nor the number.
impl fmt::Debug for SmsMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SmsMessage")
            .field("id", &self.id)
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}
