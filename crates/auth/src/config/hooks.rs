//! `HOOK_*`: the hooks of the application.

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
        "Turns the hook on; see `docs/auth/hooks.md`.",
    )
    .words(WORDS)
    .default(&["false"]),
    Setting::new(
        "HOOK_<HOOK>_URI",
        Kind::Other("a URL"),
        "The URL of the hook: `https://…` (`http://…` only on this machine), or \
         `pg-functions://database/schema/function`, in which the database is ignored.",
    )
    .words(WORDS)
    .required("when the hook is enabled"),
    Setting::new(
        "HOOK_<HOOK>_SECRETS",
        Kind::Other("`v1,whsec_…` with `|` between several"),
        "The secrets that sign requests to the hook: `v1,whsec_` and 24 to 64 bytes in Base64, \
         several separated by `|`.",
    )
    .words(WORDS)
    .secret()
    .required("for a hook with a web address"),
];

/// The hooks, as settings spell them.
const WORDS: &[&str] = &[
    "CUSTOM_ACCESS_TOKEN",
    "SEND_EMAIL",
    "SEND_SMS",
    "PASSWORD_VERIFICATION_ATTEMPT",
    "MFA_VERIFICATION_ATTEMPT",
    "BEFORE_USER_CREATED",
    "AFTER_USER_CREATED",
];

/// The length of a secret in bytes, as in the Standard Webhooks specification.
const SECRET_BYTES: std::ops::RangeInclusive<usize> = 24..=64;

/// Hosts on this machine, which may be called without encryption.
const THIS_MACHINE: [&str; 2] = ["localhost", "host.docker.internal"];

/// The kinds of hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HookKind {
    /// Replaces the claims of an access token.
    CustomAccessToken,
    /// Sends a mail.
    SendEmail,
    /// Sends a text message.
    SendSms,
    /// Is told about a checked password, and may refuse the sign-in.
    PasswordVerificationAttempt,
    /// Is told about a checked second factor, and may refuse it.
    MfaVerificationAttempt,
    /// May refuse a new account.
    BeforeUserCreated,
    /// Is told about a new account.
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

    /// Returns the kind as settings spell it.
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

    /// Returns the name in the metadata of a call.
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
}

/// The target of a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookTarget {
    /// A web server.
    Http {
        /// The URL that requests are sent to.
        url: Url,
        /// The secrets that sign requests, at least one.
        secrets: Vec<Secret<Vec<u8>>>,
    },
    /// A function in the server's database.
    Function {
        /// The schema of the function.
        schema: String,
        /// The name of the function.
        name: String,
    },
}

/// An invalid hook setting. The texts do not repeat the value, which may be secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HookSettingError {
    /// The URL cannot be called.
    #[error("{0}")]
    Uri(&'static str),
    /// The secrets cannot be used.
    #[error("{0}")]
    Secrets(&'static str),
}

impl HookTarget {
    /// Parses the URL and the secrets of a hook.
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
    /// # Ok::<(), innkeeper_auth::config::HookSettingError>(())
    /// ```
    pub fn parse(uri: &str, secrets: Option<&str>) -> Result<Self, HookSettingError> {
        if let Some(path) = uri.strip_prefix("pg-functions://") {
            return read_function(path);
        }
        let url = Url::parse(uri).map_err(|_| HookSettingError::Uri("expected a URL"))?;
        match url.scheme() {
            "https" => {}
            "http" if is_this_machine(&url) => {}
            "http" => {
                let problem = "must start with https://, because it is not on this machine";
                return Err(HookSettingError::Uri(problem));
            }
            _ => {
                let problem = "must start with https:// or pg-functions://";
                return Err(HookSettingError::Uri(problem));
            }
        }
        let secrets = read_secrets(secrets.unwrap_or_default())?;
        Ok(Self::Http { url, secrets })
    }
}

fn read_function(path: &str) -> Result<HookTarget, HookSettingError> {
    let expected = HookSettingError::Uri("expected pg-functions://database/schema/function");
    let parts: Vec<&str> = path.split('/').collect();
    let [_, schema, name] = parts.as_slice() else {
        return Err(expected);
    };
    for part in [schema, name] {
        if !is_identifier(part) {
            let problem = "schema and function are up to 63 letters, digits and underscores, \
                           and do not start with a digit";
            return Err(HookSettingError::Uri(problem));
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

/// Parses the secrets. Key pairs (`v1a`) are valid, but not used.
fn read_secrets(text: &str) -> Result<Vec<Secret<Vec<u8>>>, HookSettingError> {
    let invalid = HookSettingError::Secrets(
        "expected `v1,whsec_` and 24 to 64 bytes in Base64, `|` between several",
    );
    let mut secrets = Vec::new();
    for part in text.split('|').map(str::trim).filter(|it| !it.is_empty()) {
        if part.starts_with("v1a,whpk_") && part.contains(":whsk_") {
            continue;
        }
        let encoded = part.strip_prefix("v1,whsec_").ok_or(invalid)?;
        let bytes = STANDARD.decode(encoded).map_err(|_| invalid)?;
        if !SECRET_BYTES.contains(&bytes.len()) {
            return Err(invalid);
        }
        secrets.push(Secret::new(bytes));
    }
    if secrets.is_empty() {
        let problem = "needs at least one `v1,whsec_…` for a hook with a web address";
        return Err(HookSettingError::Secrets(problem));
    }
    Ok(secrets)
}

/// `HOOK_*` settings.
#[derive(Debug, Clone)]
pub struct HooksConfig {
    /// The hooks that are on.
    pub targets: BTreeMap<HookKind, HookTarget>,
    /// How long a call may take with all attempts, 5 s.
    pub timeout: Duration,
    /// How long to wait before another attempt, 2 s.
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
            let is_on = reader.get(&name_of(kind, "ENABLED"));
            // A hook that is off is checked too, so that a mistake shows before the hook is needed.
            let target = read_target(reader, kind, is_on).filter(|_| is_on);
            hooks.targets.extend(target.map(|target| (kind, target)));
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
            let problem = "is required when the hook is enabled";
            reader.fault(&uri_name, problem);
        }
        return None;
    };
    let secrets = secrets.as_ref().map(|secrets| secrets.reveal().as_str());
    match HookTarget::parse(uri.trim(), secrets) {
        Ok(target) => Some(target),
        Err(error @ HookSettingError::Uri(_)) => {
            reader.fault(&uri_name, &error.to_string());
            None
        }
        Err(error @ HookSettingError::Secrets(_)) => {
            reader.fault(&secrets_name, &error.to_string());
            None
        }
    }
}
