//! `SMS_*`: codes by text message.

use std::collections::BTreeMap;

use innkeeper_gotemplate::{ParseOptions, Template};
use innkeeper_service::secret::Secret;
use innkeeper_service::settings::{Kind, Reader, Setting};
use jiff::{SignedDuration, Timestamp};
use url::Url;

use super::Profile;
use super::checks::{positive, report, require, within};
use crate::base::contact::Phone;

/// The text of a message unless `SMS_TEMPLATE` is set.
const TEMPLATE: &str = "Your code is {{ .Code }}";

/// What `SMS_TEMPLATE` is checked against.
const TEMPLATE_OPTIONS: ParseOptions<'_> = ParseOptions {
    fields: Some(&["Code"]),
    entry_points: &[],
};

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
    .default(&["60", "1m"]),
    Setting::new("SMS_OTP_EXP", Kind::Seconds, "How long a code is valid.").default(&["60"]),
    Setting::new(
        "SMS_OTP_LENGTH",
        Kind::Integer,
        "How many digits a code has, from 6 to 10.",
    )
    .default(&["6"]),
    Setting::new(
        "SMS_PROVIDER",
        Kind::OneOf(&[
            "twilio",
            "twilio_verify",
            "messagebird",
            "textlocal",
            "vonage",
            "mailbox",
        ]),
        "The service that sends the messages; see `docs/auth/phone.md`. `mailbox` sends them as mails to the mail \
         server, to try things out.",
    )
    .required(
        "when `EXTERNAL_PHONE_ENABLED` or `MFA_PHONE_VERIFY_ENABLED` is on, unless `HOOK_SEND_SMS_ENABLED` or \
         `SMS_AUTOCONFIRM` is on or `SMS_TEST_OTP` is set",
    ),
    Setting::new(
        "SMS_TEMPLATE",
        Kind::Other("a template"),
        "The text of a message, a template with the variable `.Code`.",
    )
    .default(&[TEMPLATE]),
    Setting::new(
        "SMS_TEST_OTP",
        Kind::Other("`number:code` with `,` between several"),
        "Phone numbers for tests and the codes that they get. No message is sent to them.",
    )
    .secret(),
    Setting::new(
        "SMS_TEST_OTP_VALID_UNTIL",
        Kind::Other("a time such as `2030-01-31T00:00:00Z`"),
        "When the numbers for tests become ordinary ones; never if it is not set.",
    ),
    Setting::new(
        "SMS_TWILIO_ACCOUNT_SID",
        Kind::Text,
        "The account at Twilio.",
    )
    .required("with `SMS_PROVIDER=twilio`"),
    Setting::new(
        "SMS_TWILIO_AUTH_TOKEN",
        Kind::Text,
        "The token of that account.",
    )
    .secret()
    .required("with `SMS_PROVIDER=twilio`"),
    Setting::new(
        "SMS_TWILIO_MESSAGE_SERVICE_SID",
        Kind::Text,
        "The messaging service or the number that sends.",
    )
    .required("with `SMS_PROVIDER=twilio`"),
    Setting::new(
        "SMS_TWILIO_CONTENT_SID",
        Kind::Text,
        "The content template of messages by WhatsApp; its variable `1` is the code.",
    ),
    Setting::new(
        "SMS_TWILIO_VERIFY_ACCOUNT_SID",
        Kind::Text,
        "The account at Twilio, for Twilio Verify.",
    )
    .required("with `SMS_PROVIDER=twilio_verify`"),
    Setting::new(
        "SMS_TWILIO_VERIFY_AUTH_TOKEN",
        Kind::Text,
        "The token of that account.",
    )
    .secret()
    .required("with `SMS_PROVIDER=twilio_verify`"),
    Setting::new(
        "SMS_TWILIO_VERIFY_MESSAGE_SERVICE_SID",
        Kind::Text,
        "The service of Twilio Verify.",
    )
    .required("with `SMS_PROVIDER=twilio_verify`"),
    Setting::new(
        "SMS_MESSAGEBIRD_ACCESS_KEY",
        Kind::Text,
        "The key at MessageBird.",
    )
    .secret()
    .required("with `SMS_PROVIDER=messagebird`"),
    Setting::new(
        "SMS_MESSAGEBIRD_ORIGINATOR",
        Kind::Text,
        "The sender that is shown.",
    )
    .required("with `SMS_PROVIDER=messagebird`"),
    Setting::new("SMS_TEXTLOCAL_API_KEY", Kind::Text, "The key at Textlocal.")
        .secret()
        .required("with `SMS_PROVIDER=textlocal`"),
    Setting::new(
        "SMS_TEXTLOCAL_SENDER",
        Kind::Text,
        "The sender that is shown.",
    )
    .required("with `SMS_PROVIDER=textlocal`"),
    Setting::new("SMS_VONAGE_API_KEY", Kind::Text, "The key at Vonage.")
        .required("with `SMS_PROVIDER=vonage`"),
    Setting::new(
        "SMS_VONAGE_API_SECRET",
        Kind::Text,
        "The secret of that key.",
    )
    .secret()
    .required("with `SMS_PROVIDER=vonage`"),
    Setting::new("SMS_VONAGE_FROM", Kind::Text, "The sender that is shown.")
        .required("with `SMS_PROVIDER=vonage`"),
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
    /// `SMS_PROVIDER`: twilio, `twilio_verify`, messagebird, textlocal, vonage or mailbox; empty when unset.
    pub provider: String,
    /// `SMS_TEMPLATE`: the text around the code, a template without mistakes.
    pub template: String,
    /// `SMS_TEST_OTP`: the codes of phone numbers for tests, by the digits of the number.
    pub test_otp: BTreeMap<String, Secret<String>>,
    /// `SMS_TEST_OTP_VALID_UNTIL`; `None` for ever.
    pub test_otp_valid_until: Option<Timestamp>,
    /// `SMS_TWILIO_*`.
    pub twilio: TwilioConfig,
    /// `SMS_TWILIO_VERIFY_*`.
    pub twilio_verify: TwilioVerifyConfig,
    /// `SMS_MESSAGEBIRD_*`.
    pub messagebird: MessagebirdConfig,
    /// `SMS_TEXTLOCAL_*`.
    pub textlocal: TextlocalConfig,
    /// `SMS_VONAGE_*`.
    pub vonage: VonageConfig,
    /// A URL that replaces the scheme and host of the provider, for tests. No setting changes it.
    pub api_url: Option<Url>,
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
    /// `SMS_TWILIO_CONTENT_SID`.
    pub content_sid: Option<String>,
}

/// `SMS_TWILIO_VERIFY_*` settings.
#[derive(Debug, Clone, Default)]
pub struct TwilioVerifyConfig {
    /// `SMS_TWILIO_VERIFY_ACCOUNT_SID`.
    pub account_sid: Option<String>,
    /// `SMS_TWILIO_VERIFY_AUTH_TOKEN`.
    pub auth_token: Option<Secret<String>>,
    /// `SMS_TWILIO_VERIFY_MESSAGE_SERVICE_SID`.
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

/// `SMS_TEXTLOCAL_*` settings.
#[derive(Debug, Clone, Default)]
pub struct TextlocalConfig {
    /// `SMS_TEXTLOCAL_API_KEY`.
    pub api_key: Option<Secret<String>>,
    /// `SMS_TEXTLOCAL_SENDER`.
    pub sender: Option<String>,
}

/// `SMS_VONAGE_*` settings.
#[derive(Debug, Clone, Default)]
pub struct VonageConfig {
    /// `SMS_VONAGE_API_KEY`.
    pub api_key: Option<String>,
    /// `SMS_VONAGE_API_SECRET`.
    pub api_secret: Option<Secret<String>>,
    /// `SMS_VONAGE_FROM`.
    pub from: Option<String>,
}

impl SmsConfig {
    /// Reads the settings. `is_needed` says whether messages are sent by a provider: numbers can sign up, and no hook
    /// sends the messages.
    pub(super) fn read(reader: &mut Reader, profile: Profile, is_needed: bool) -> Self {
        let sms = Self {
            autoconfirm: reader.get("SMS_AUTOCONFIRM"),
            max_frequency: reader.get("SMS_MAX_FREQUENCY"),
            otp_exp: positive(reader, profile, "SMS_OTP_EXP"),
            otp_length: within(reader, profile, "SMS_OTP_LENGTH", 6..=10),
            provider: reader.get("SMS_PROVIDER"),
            template: read_template(reader, profile),
            test_otp: read_test_codes(reader, profile),
            test_otp_valid_until: reader.parsed("SMS_TEST_OTP_VALID_UNTIL", |text, setting| {
                let time: Result<Timestamp, _> = text.trim().parse();
                time.map_err(|_| format!("expected {}", setting.kind.expects()))
            }),
            twilio: TwilioConfig {
                account_sid: reader.optional("SMS_TWILIO_ACCOUNT_SID"),
                auth_token: reader.optional("SMS_TWILIO_AUTH_TOKEN"),
                message_service_sid: reader.optional("SMS_TWILIO_MESSAGE_SERVICE_SID"),
                content_sid: reader.optional("SMS_TWILIO_CONTENT_SID"),
            },
            twilio_verify: TwilioVerifyConfig {
                account_sid: reader.optional("SMS_TWILIO_VERIFY_ACCOUNT_SID"),
                auth_token: reader.optional("SMS_TWILIO_VERIFY_AUTH_TOKEN"),
                message_service_sid: reader.optional("SMS_TWILIO_VERIFY_MESSAGE_SERVICE_SID"),
            },
            messagebird: MessagebirdConfig {
                access_key: reader.optional("SMS_MESSAGEBIRD_ACCESS_KEY"),
                originator: reader.optional("SMS_MESSAGEBIRD_ORIGINATOR"),
            },
            textlocal: TextlocalConfig {
                api_key: reader.optional("SMS_TEXTLOCAL_API_KEY"),
                sender: reader.optional("SMS_TEXTLOCAL_SENDER"),
            },
            vonage: VonageConfig {
                api_key: reader.optional("SMS_VONAGE_API_KEY"),
                api_secret: reader.optional("SMS_VONAGE_API_SECRET"),
                from: reader.optional("SMS_VONAGE_FROM"),
            },
            api_url: None,
        };
        if is_needed {
            sms.require_provider(reader, profile);
        }
        sms
    }

    /// Reports a provider that is not set, or lacks credentials.
    fn require_provider(&self, reader: &mut Reader, profile: Profile) {
        let credentials: &[&str] = match self.provider.as_str() {
            "twilio" => &[
                "SMS_TWILIO_ACCOUNT_SID",
                "SMS_TWILIO_AUTH_TOKEN",
                "SMS_TWILIO_MESSAGE_SERVICE_SID",
            ],
            "twilio_verify" => &[
                "SMS_TWILIO_VERIFY_ACCOUNT_SID",
                "SMS_TWILIO_VERIFY_AUTH_TOKEN",
                "SMS_TWILIO_VERIFY_MESSAGE_SERVICE_SID",
            ],
            "messagebird" => &["SMS_MESSAGEBIRD_ACCESS_KEY", "SMS_MESSAGEBIRD_ORIGINATOR"],
            "textlocal" => &["SMS_TEXTLOCAL_API_KEY", "SMS_TEXTLOCAL_SENDER"],
            "vonage" => &[
                "SMS_VONAGE_API_KEY",
                "SMS_VONAGE_API_SECRET",
                "SMS_VONAGE_FROM",
            ],
            "mailbox" => &["SMTP_HOST"],
            _ if self.autoconfirm || !self.test_otp.is_empty() => &[],
            _ => &["SMS_PROVIDER"],
        };
        let when = match self.provider.as_str() {
            "" => "when EXTERNAL_PHONE_ENABLED or MFA_PHONE_VERIFY_ENABLED is on".to_owned(),
            provider => format!("with SMS_PROVIDER={provider}"),
        };
        for name in credentials {
            require(reader, profile, name, &when);
        }
    }

    /// Returns the code that a phone number for tests gets at this time.
    pub(crate) fn test_code(&self, phone: &str, now: Timestamp) -> Option<&str> {
        let is_valid = self.test_otp_valid_until.is_none_or(|until| now < until);
        let code = self.test_otp.get(phone).filter(|_| is_valid)?;
        Some(code.reveal())
    }
}

/// Reads the template; in gotrue the default replaces one with mistakes.
fn read_template(reader: &mut Reader, profile: Profile) -> String {
    let text: String = reader.get("SMS_TEMPLATE");
    match Template::parse_with(&text, TEMPLATE_OPTIONS) {
        Ok(_) => text,
        Err(error) => {
            let problem = format!("is not a valid template: {error}");
            report(reader, profile, "SMS_TEMPLATE", &problem);
            TEMPLATE.to_owned()
        }
    }
}

/// Reads the numbers for tests. A wrong entry is left out.
fn read_test_codes(reader: &mut Reader, profile: Profile) -> BTreeMap<String, Secret<String>> {
    let entries: BTreeMap<String, String> = reader.get("SMS_TEST_OTP");
    let mut codes = BTreeMap::new();
    for (number, code) in entries {
        let is_code = (6..=10).contains(&code.len()) && code.bytes().all(|it| it.is_ascii_digit());
        match Phone::parse(&number) {
            Ok(phone) if is_code => {
                codes.insert(phone.into_string(), Secret::new(code));
            }
            Ok(_) => {
                let problem = format!("the code of `{number}` must have 6 to 10 digits");
                report(reader, profile, "SMS_TEST_OTP", &problem);
            }
            Err(_) => {
                let problem = format!("`{number}` is not a phone number");
                report(reader, profile, "SMS_TEST_OTP", &problem);
            }
        }
    }
    codes
}
