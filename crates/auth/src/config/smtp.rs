//! `SMTP_*`: the mail server.

use std::collections::BTreeMap;

use innkeeper_service::secret::Secret;
use innkeeper_service::settings::{Kind, Reader, Setting};
use jiff::SignedDuration;

use super::Profile;
use super::checks::{one_line, report, require};

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "SMTP_ADMIN_EMAIL",
        Kind::Text,
        "The sender address of mails. Not needed if a hook sends the mails.",
    )
    .required("with email"),
    Setting::new(
        "SMTP_HOST",
        Kind::Text,
        "The host of the mail server. Not needed if a hook sends the mails.",
    )
    .required("with email"),
    Setting::new("SMTP_PORT", Kind::Port, "The port of the mail server.")
        .required("with email")
        .default(&["", "587"]),
    Setting::new(
        "SMTP_USER",
        Kind::Text,
        "The user name for the mail server.",
    ),
    Setting::new("SMTP_PASS", Kind::Text, "The password for the mail server.").secret(),
    Setting::new(
        "SMTP_MAX_FREQUENCY",
        Kind::SecondsOrDuration,
        "How long an address waits for its next mail. When it is not set in std: 900 s for \
         confirmation and email change, 60 s for magic link, recovery and reauthentication.",
    )
    .default(&["", "1m"]),
    Setting::new(
        "SMTP_SENDER_NAME",
        Kind::Text,
        "The sender name of mails; by default the address.",
    ),
    Setting::new(
        "SMTP_HEADERS",
        Kind::Other("a JSON object of arrays of strings"),
        "Headers to add to every mail; `$messageType` is replaced by its kind.",
    )
    .secret(),
];

/// `SMTP_*` settings.
#[derive(Debug, Clone)]
pub struct SmtpConfig {
    /// `SMTP_ADMIN_EMAIL`: the From address.
    pub admin_email: String,
    /// `SMTP_HOST`; empty only when mail cannot be sent.
    pub host: String,
    /// `SMTP_PORT`.
    pub port: u16,
    /// `SMTP_USER`.
    pub user: Option<String>,
    /// `SMTP_PASS`.
    pub pass: Option<Secret<String>>,
    /// `SMTP_MAX_FREQUENCY`; see [`Config::mail_interval`](super::Config::mail_interval).
    pub max_frequency: Option<SignedDuration>,
    /// `SMTP_SENDER_NAME`, by default the admin's address.
    pub sender_name: String,
    /// `SMTP_HEADERS`: header lines added to every message.
    pub headers: BTreeMap<String, Vec<String>>,
}

impl SmtpConfig {
    /// Whether everything is set that is needed to send.
    pub fn is_complete(&self) -> bool {
        !self.host.is_empty() && !self.admin_email.is_empty() && self.port != 0
    }
}

impl SmtpConfig {
    pub(super) fn read(reader: &mut Reader, profile: Profile, with_email: bool) -> Self {
        if with_email {
            for name in ["SMTP_ADMIN_EMAIL", "SMTP_HOST"] {
                require(reader, profile, name, "with email");
            }
        }
        let port: Option<u16> = reader.optional("SMTP_PORT");
        if with_email && port.is_none() {
            require(reader, profile, "SMTP_PORT", "with email");
        }
        let admin_email = read_admin_email(reader, profile);
        let mut sender_name = one_line(reader, "SMTP_SENDER_NAME");
        if sender_name.is_empty() {
            sender_name.clone_from(&admin_email);
        }
        Self {
            admin_email,
            host: reader.get("SMTP_HOST"),
            port: port.unwrap_or_default(),
            user: reader.optional("SMTP_USER"),
            pass: reader.optional("SMTP_PASS"),
            max_frequency: reader.optional("SMTP_MAX_FREQUENCY"),
            sender_name,
            headers: read_headers(reader),
        }
    }
}

fn read_admin_email(reader: &mut Reader, profile: Profile) -> String {
    let address: String = reader.get("SMTP_ADMIN_EMAIL");
    if !address.is_empty() && address.parse::<lettre::Address>().is_err() {
        report(
            reader,
            profile,
            "SMTP_ADMIN_EMAIL",
            "is not an email address",
        );
    }
    address
}

fn read_headers(reader: &mut Reader) -> BTreeMap<String, Vec<String>> {
    let headers = reader.parsed("SMTP_HEADERS", |text, _| {
        let headers: BTreeMap<String, Vec<String>> =
            serde_json::from_str(text).map_err(|error| error.to_string())?;
        let is_line = |text: &String| !text.contains(|letter: char| letter.is_control());
        let is_name = |name: &String| name.parse::<http::HeaderName>().is_ok();
        if headers.keys().all(is_name) && headers.values().flatten().all(is_line) {
            Ok(headers)
        } else {
            Err("not a header".to_owned())
        }
    });
    headers.unwrap_or_default()
}
