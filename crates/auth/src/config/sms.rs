//! `SMS_*`: codes by text message, which are not sent yet.

use innkeeper_service::secret::Secret;
use innkeeper_service::settings::{Kind, Reader, Setting};
use jiff::SignedDuration;

use super::Profile;
use super::checks::{positive, within};

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "SMS_AUTOCONFIRM",
        Kind::Boolean,
        "Phone numbers count as confirmed at once.",
    )
    .default(&["false"]),
    Setting::new(
        "SMS_MAX_FREQUENCY",
        Kind::SecondsOrDuration,
        "How long a number waits for its next code.",
    )
    .default(&["60", "1m"])
    .not_yet(),
    Setting::new("SMS_OTP_EXP", Kind::Seconds, "How long a code is valid.")
        .default(&["60"])
        .not_yet(),
    Setting::new(
        "SMS_OTP_LENGTH",
        Kind::Integer,
        "How many digits a code has, from 6 to 10.",
    )
    .default(&["6"])
    .not_yet(),
    Setting::new(
        "SMS_PROVIDER",
        Kind::OneOf(&[
            "twilio",
            "twilio_verify",
            "messagebird",
            "textlocal",
            "vonage",
        ]),
        "The service that sends the messages.",
    ),
    Setting::new(
        "SMS_TWILIO_ACCOUNT_SID",
        Kind::Text,
        "The account at Twilio.",
    )
    .not_yet(),
    Setting::new(
        "SMS_TWILIO_AUTH_TOKEN",
        Kind::Text,
        "The token of that account.",
    )
    .secret()
    .not_yet(),
    Setting::new(
        "SMS_TWILIO_MESSAGE_SERVICE_SID",
        Kind::Text,
        "The messaging service or the number that sends.",
    )
    .not_yet(),
    Setting::new(
        "SMS_MESSAGEBIRD_ACCESS_KEY",
        Kind::Text,
        "The key at MessageBird.",
    )
    .secret()
    .not_yet(),
    Setting::new(
        "SMS_MESSAGEBIRD_ORIGINATOR",
        Kind::Text,
        "The sender that is shown.",
    )
    .not_yet(),
];

/// `SMS_*` settings.
#[derive(Debug, Clone)]
pub struct SmsConfig {
    /// `SMS_AUTOCONFIRM`: numbers count as confirmed at once.
    pub autoconfirm: bool,
    /// `SMS_MAX_FREQUENCY`, default 60 s.
    pub max_frequency: SignedDuration,
    /// `SMS_OTP_EXP` in seconds, default 60.
    pub otp_exp: SignedDuration,
    /// `SMS_OTP_LENGTH`, default 6, from 6 to 10.
    pub otp_length: u32,
    /// `SMS_PROVIDER`: twilio, messagebird, textlocal or vonage; empty when unset.
    pub provider: String,
    /// `SMS_TWILIO_*`.
    pub twilio: TwilioConfig,
    /// `SMS_MESSAGEBIRD_*`.
    pub messagebird: MessagebirdConfig,
}

/// `SMS_TWILIO_*` settings.
#[derive(Debug, Clone, Default)]
pub struct TwilioConfig {
    /// `SMS_TWILIO_ACCOUNT_SID`.
    pub account_sid: Option<String>,
    /// `SMS_TWILIO_AUTH_TOKEN`.
    pub auth_token: Option<Secret<String>>,
    /// `SMS_TWILIO_MESSAGE_SERVICE_SID`.
    pub message_service_sid: Option<String>,
}

/// `SMS_MESSAGEBIRD_*` settings.
#[derive(Debug, Clone, Default)]
pub struct MessagebirdConfig {
    /// `SMS_MESSAGEBIRD_ACCESS_KEY`.
    pub access_key: Option<Secret<String>>,
    /// `SMS_MESSAGEBIRD_ORIGINATOR`.
    pub originator: Option<String>,
}

impl SmsConfig {
    pub(super) fn read(reader: &mut Reader, profile: Profile) -> Self {
        Self {
            autoconfirm: reader.get("SMS_AUTOCONFIRM"),
            max_frequency: reader.get("SMS_MAX_FREQUENCY"),
            otp_exp: positive(reader, profile, "SMS_OTP_EXP"),
            otp_length: within(reader, profile, "SMS_OTP_LENGTH", 6..=10),
            provider: reader.get("SMS_PROVIDER"),
            twilio: TwilioConfig {
                account_sid: reader.optional("SMS_TWILIO_ACCOUNT_SID"),
                auth_token: reader.optional("SMS_TWILIO_AUTH_TOKEN"),
                message_service_sid: reader.optional("SMS_TWILIO_MESSAGE_SERVICE_SID"),
            },
            messagebird: MessagebirdConfig {
                access_key: reader.optional("SMS_MESSAGEBIRD_ACCESS_KEY"),
                originator: reader.optional("SMS_MESSAGEBIRD_ORIGINATOR"),
            },
        }
    }
}
