//! `HOOK_*`: what the application is asked and told.

use std::collections::BTreeMap;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use innkeeper_service::secret::Secret;
use innkeeper_service::settings::{Kind, Reader, Setting};
use url::{Host, Url};

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "HOOK_<HOOK>_ENABLED",
        Kind::Boolean,
        "The hook is called; see the page on hooks. `SEND_SMS` and `MFA_VERIFICATION_ATTEMPT` are \
         read and checked, and will be called when sign-in by phone and second factors are there.",
    )
    .words(WORDS)
    .default(&["false"]),
    Setting::new(
        "HOOK_<HOOK>_URI",
        Kind::Other("a URL"),
        "Where: `https://…` (`http://…` only to this machine), or \
         `pg-functions://database/schema/function`, of which the database is not looked at.",
    )
    .words(WORDS)
    .required("when the hook is enabled"),
    Setting::new(
        "HOOK_<HOOK>_SECRETS",
        Kind::Other("`v1,whsec_…` with `|` between several"),
        "What requests to the hook are signed with: `v1,whsec_` and 24 to 64 bytes in Base64, \
         several with `|` between them.",
    )
    .words(WORDS)
    .secret()
    .required("for a hook with a web address"),
];

/// The hooks as settings spell them.
const WORDS: &[&str] = &[
    "CUSTOM_ACCESS_TOKEN",
    "SEND_EMAIL",
    "SEND_SMS",
    "PASSWORD_VERIFICATION_ATTEMPT",
    "MFA_VERIFICATION_ATTEMPT",
    "BEFORE_USER_CREATED",
    "AFTER_USER_CREATED",
];

/// How many bytes the secret of a hook has, as the standard for webhooks says.
const SECRET_BYTES: std::ops::RangeInclusive<usize> = 24..=64;

/// Hosts that are this machine, which may be asked without encryption.
const THIS_MACHINE: [&str; 2] = ["localhost", "host.docker.internal"];

/// What an application can be asked or told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HookKind {
    /// What stands in an access token.
    CustomAccessToken,
    /// A mail to be sent.
    SendEmail,
    /// A text message to be sent.
    SendSms,
    /// A password that was checked.
    PasswordVerificationAttempt,
    /// A second factor that was checked.
    MfaVerificationAttempt,
    /// An account that is about to be made.
    BeforeUserCreated,
    /// An account that was made.
    AfterUserCreated,
}

impl HookKind {
    /// All kinds.
    pub const ALL: [Self; 7] = [
        Self::CustomAccessToken,
        Self::SendEmail,
        Self::SendSms,
        Self::PasswordVerificationAttempt,
        Self::MfaVerificationAttempt,
        Self::BeforeUserCreated,
        Self::AfterUserCreated,
    ];

    /// The kind as settings spell it.
    pub fn setting(self) -> &'static str {
        match self {
            Self::CustomAccessToken => "CUSTOM_ACCESS_TOKEN",
            Self::SendEmail => "SEND_EMAIL",
            Self::SendSms => "SEND_SMS",
            Self::PasswordVerificationAttempt => "PASSWORD_VERIFICATION_ATTEMPT",
            Self::MfaVerificationAttempt => "MFA_VERIFICATION_ATTEMPT",
            Self::BeforeUserCreated => "BEFORE_USER_CREATED",
            Self::AfterUserCreated => "AFTER_USER_CREATED",
        }
    }

    /// The kind as hooks are told it.
    pub fn name(self) -> &'static str {
        match self {
            Self::CustomAccessToken => "customize-access-token",
            Self::SendEmail => "send-email",
            Self::SendSms => "send-sms",
            Self::PasswordVerificationAttempt => "password-verification",
            Self::MfaVerificationAttempt => "mfa-verification",
            Self::BeforeUserCreated => "before-user-created",
            Self::AfterUserCreated => "after-user-created",
        }
    }

    /// What the server cannot do yet, and so never asks about.
    fn waits_for(self) -> Option<&'static str> {
        match self {
            Self::SendSms => Some("sign-in by phone"),
            Self::MfaVerificationAttempt => Some("a second factor"),
            _ => None,
        }
    }
}

/// Where a hook is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookTarget {
    /// A web server.
    Http {
        /// Its address.
        url: Url,
        /// What requests are signed with, at least one.
        secrets: Vec<Secret<Vec<u8>>>,
    },
    /// A function in the server's own database.
    Function {
        /// Its schema.
        schema: String,
        /// Its name.
        name: String,
    },
}

/// Why settings make no hook; the texts repeat no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HookFault {
    /// The address is none that can be asked.
    #[error("{0}")]
    Uri(&'static str),
    /// The secrets cannot be used.
    #[error("{0}")]
    Secrets(&'static str),
}

impl HookTarget {
    /// Reads the address of a hook and its secrets.
    ///
    /// ```
    /// use innkeeper_auth::config::HookTarget;
    ///
    /// let function = HookTarget::parse("pg-functions://postgres/public/add_claims", None)?;
    /// assert!(matches!(function, HookTarget::Function { .. }));
    ///
    /// let secret = "v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    /// HookTarget::parse("https://example.com/hooks/token", Some(secret))?;
    /// assert!(HookTarget::parse("http://example.com/hooks/token", Some(secret)).is_err());
    /// # Ok::<(), innkeeper_auth::config::HookFault>(())
    /// ```
    pub fn parse(uri: &str, secrets: Option<&str>) -> Result<Self, HookFault> {
        if let Some(path) = uri.strip_prefix("pg-functions://") {
            return read_function(path);
        }
        let url = Url::parse(uri).map_err(|_| HookFault::Uri("expected a URL"))?;
        match url.scheme() {
            "https" => {}
            "http" if is_this_machine(&url) => {}
            "http" => {
                let problem = "must start with https://, because it is not on this machine";
                return Err(HookFault::Uri(problem));
            }
            _ => {
                let problem = "must start with https:// or pg-functions://";
                return Err(HookFault::Uri(problem));
            }
        }
        let secrets = read_secrets(secrets.unwrap_or_default())?;
        Ok(Self::Http { url, secrets })
    }
}

fn read_function(path: &str) -> Result<HookTarget, HookFault> {
    let expected = HookFault::Uri("expected pg-functions://database/schema/function");
    let parts: Vec<&str> = path.split('/').collect();
    let [_, schema, name] = parts.as_slice() else {
        return Err(expected);
    };
    for part in [schema, name] {
        if !is_identifier(part) {
            let problem = "schema and function are up to 63 letters, digits and underscores, \
                           and start with no digit";
            return Err(HookFault::Uri(problem));
        }
    }
    Ok(HookTarget::Function {
        schema: (*schema).to_owned(),
        name: (*name).to_owned(),
    })
}

fn is_identifier(text: &str) -> bool {
    let is_first = |letter: u8| letter.is_ascii_alphabetic() || letter == b'_';
    text.len() <= 63
        && text.bytes().next().is_some_and(is_first)
        && text
            .bytes()
            .all(|letter| is_first(letter) || letter.is_ascii_digit())
}

fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => THIS_MACHINE.contains(&name),
        Some(Host::Ipv4(address)) => address == std::net::Ipv4Addr::LOCALHOST,
        Some(Host::Ipv6(address)) => address == std::net::Ipv6Addr::LOCALHOST,
        None => false,
    }
}

/// The secrets to sign with. Key pairs are known to be secrets and are not used.
fn read_secrets(text: &str) -> Result<Vec<Secret<Vec<u8>>>, HookFault> {
    let unusable = HookFault::Secrets(
        "expected `v1,whsec_` and 24 to 64 bytes in Base64, `|` between several",
    );
    let mut secrets = Vec::new();
    for part in text.split('|').map(str::trim).filter(|it| !it.is_empty()) {
        if part.starts_with("v1a,whpk_") && part.contains(":whsk_") {
            continue;
        }
        let encoded = part.strip_prefix("v1,whsec_").ok_or(unusable)?;
        let bytes = STANDARD.decode(encoded).map_err(|_| unusable)?;
        if !SECRET_BYTES.contains(&bytes.len()) {
            return Err(unusable);
        }
        secrets.push(Secret::new(bytes));
    }
    if secrets.is_empty() {
        let problem = "needs at least one `v1,whsec_…` for a hook with a web address";
        return Err(HookFault::Secrets(problem));
    }
    Ok(secrets)
}

/// `HOOK_*` settings.
#[derive(Debug, Clone)]
pub struct HooksConfig {
    /// The hooks that are on.
    pub targets: BTreeMap<HookKind, HookTarget>,
    /// How long a web server has for everything, 5 s.
    pub timeout: Duration,
    /// How long to wait before a web server is tried again, 2 s.
    pub pause: Duration,
}

impl Default for HooksConfig {
    fn default() -> Self {
        Self {
            targets: BTreeMap::new(),
            timeout: Duration::from_secs(5),
            pause: Duration::from_secs(2),
        }
    }
}

impl HooksConfig {
    /// Whether a hook is on.
    pub fn is_on(&self, kind: HookKind) -> bool {
        self.targets.contains_key(&kind)
    }

    pub(super) fn read(reader: &mut Reader) -> Self {
        let mut hooks = Self::default();
        for kind in HookKind::ALL {
            let is_on: bool = reader.get(&name_of(kind, "ENABLED"));
            // What is off is looked at too: a mistake shows before the hook is needed.
            let Some(target) = read_target(reader, kind, is_on).filter(|_| is_on) else {
                continue;
            };
            if let Some(what) = kind.waits_for() {
                let problem = format!("is never called yet: {what} is not available");
                reader.warn(&name_of(kind, "ENABLED"), &problem);
            }
            hooks.targets.insert(kind, target);
        }
        hooks
    }
}

fn name_of(kind: HookKind, rest: &str) -> String {
    format!("HOOK_{}_{rest}", kind.setting())
}

fn read_target(reader: &mut Reader, kind: HookKind, is_on: bool) -> Option<HookTarget> {
    let (uri_name, secrets_name) = (name_of(kind, "URI"), name_of(kind, "SECRETS"));
    let uri: Option<String> = reader.optional(&uri_name);
    let secrets: Option<Secret<String>> = reader.optional(&secrets_name);
    let Some(uri) = uri else {
        if is_on {
            reader.fault(&uri_name, "is required when the hook is enabled");
        }
        return None;
    };
    let secrets = secrets.as_ref().map(|secrets| secrets.reveal().as_str());
    match HookTarget::parse(uri.trim(), secrets) {
        Ok(target) => Some(target),
        Err(fault @ HookFault::Uri(_)) => {
            reader.fault(&uri_name, &fault.to_string());
            None
        }
        Err(fault @ HookFault::Secrets(_)) => {
            reader.fault(&secrets_name, &fault.to_string());
            None
        }
    }
}
