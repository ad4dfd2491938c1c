//! `SMTP_*`: the mail server.

use std::collections::BTreeMap;

use innkeeper_service::loopback::is_loopback_host;
use innkeeper_service::secret::Secret;
use innkeeper_service::settings::{Kind, Reader, Setting, Value};
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
    Setting::new(
        "SMTP_TLS",
        Kind::OneOf(&["required", "opportunistic", "implicit", "off"]),
        "TLS to the mail server: `required` and `opportunistic` use `STARTTLS`, `implicit` starts with TLS. When \
         it is not set: `implicit` on port 465, else `required` in std for hosts other than this machine, else \
         `opportunistic`.",
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

/// The port on which TLS starts with the connection.
const TLS_PORT: u16 = 465;

/// How connections to the mail server are encrypted. Certificates are always checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SmtpTls {
    /// With `STARTTLS`; a server that does not offer it gets no mail.
    Required,
    /// With `STARTTLS` if the server offers it.
    Opportunistic,
    /// From the start.
    Implicit,
    /// Not at all.
    Off,
}

impl SmtpTls {
    fn name(self) -> &'static str {
        match self {
            Self::Required => "required",
            Self::Opportunistic => "opportunistic",
            Self::Implicit => "implicit",
            Self::Off => "off",
        }
    }

    /// Returns the mode that applies when `SMTP_TLS` is not set.
    fn default_for(profile: Profile, host: &str, port: u16) -> Self {
        if port == TLS_PORT {
            Self::Implicit
        } else if profile == Profile::Gotrue || is_loopback_host(host) {
            Self::Opportunistic
        } else {
            Self::Required
        }
    }
}

impl Value for SmtpTls {
    fn parse(text: &str, kind: Kind) -> Option<Self> {
        let name = String::parse(text, kind)?;
        [
            Self::Required,
            Self::Opportunistic,
            Self::Implicit,
            Self::Off,
        ]
        .into_iter()
        .find(|mode| mode.name() == name)
    }
}

/// `SMTP_*` settings.
#[derive(Debug, Clone)]
pub struct SmtpConfig {
    /// `SMTP_ADMIN_EMAIL`: the From address.
    pub admin_email: String,
    /// `SMTP_HOST`; empty only when mail cannot be sent.
    pub host: String,
    /// `SMTP_PORT`.
    pub port: u16,
    /// `SMTP_TLS`, or what follows from the port, the host and the profile.
    pub tls: SmtpTls,
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
        let host: String = reader.get("SMTP_HOST");
        let port = port.unwrap_or_default();
        Self {
            admin_email,
            tls: read_tls(reader, profile, &host, port),
            host,
            port,
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

fn read_tls(reader: &mut Reader, profile: Profile, host: &str, port: u16) -> SmtpTls {
    let mode: Option<SmtpTls> = reader.optional("SMTP_TLS");
    let Some(mode) = mode else {
        return SmtpTls::default_for(profile, host, port);
    };
    if port == TLS_PORT && mode != SmtpTls::Implicit {
        let problem = format!(
            "`{}` does not work on port 465: use `implicit`",
            mode.name()
        );
        reader.fault("SMTP_TLS", &problem);
    } else if matches!(mode, SmtpTls::Opportunistic | SmtpTls::Off)
        && !host.is_empty()
        && !is_loopback_host(host)
    {
        let problem = format!(
            "`{}` can send links and codes unencrypted to another machine: use `required` or `implicit`",
            mode.name()
        );
        report(reader, profile, "SMTP_TLS", &problem);
    }
    mode
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
