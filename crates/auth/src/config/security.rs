//! `SECURITY_*`: refresh tokens, throttling, encryption at rest, captcha.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::HeaderName;
use innkeeper_service::secret::Secret;
use innkeeper_service::settings::{Kind, Reader, Setting};
use jiff::SignedDuration;
use url::Url;

use super::Profile;
use super::checks::{none_if_zero, positive, report, within};

const KEY: Kind = Kind::Other("256 bits in base64url");

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "SECURITY_REFRESH_TOKEN_ROTATION_ENABLED",
        Kind::Boolean,
        "Reuse of a revoked refresh token revokes all tokens that descend from it.",
    )
    .default(&["true"]),
    Setting::new(
        "SECURITY_REFRESH_TOKEN_REUSE_INTERVAL",
        Kind::SecondsOrDuration,
        "Within this time, a revoked refresh token returns its successor again.",
    )
    .default(&["10", "0"]),
    Setting::new(
        "SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION",
        Kind::Boolean,
        "A password change requires the code that `/reauthenticate` sends.",
    )
    .default(&["false"]),
    Setting::new(
        "SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD",
        Kind::Boolean,
        "A password change requires the current password.",
    )
    .default(&["false"]),
    Setting::new(
        "SECURITY_UPDATE_PASSWORD_SIGN_IN_AGE",
        Kind::Duration,
        "How long after a sign-in with a password the access token alone suffices to change it; later the current \
         password or the code that `/reauthenticate` sends is required. `0` means always.",
    )
    .default(&["15m", "0"]),
    Setting::new(
        "SECURITY_PASSWORD_FAILURES",
        Kind::Integer,
        "How many wrong passwords an identifier may have before further attempts must wait.",
    )
    .default(&["10"]),
    Setting::new(
        "SECURITY_PASSWORD_FAILURES_WINDOW",
        Kind::Duration,
        "How long a wrong password counts.",
    )
    .default(&["10m"]),
    Setting::new(
        "SECURITY_<PLATFORM>_FORWARDED_FOR_ENABLED",
        Kind::Boolean,
        "Takes the first value of the header `<PLATFORM>-Forwarded-For` as the client's address. In std only \
         from `TRUSTED_PROXIES`, which must set the header themselves.",
    )
    .default(&["false"]),
    Setting::new(
        "SECURITY_DB_ENCRYPTION_ENCRYPT",
        Kind::Boolean,
        "Encrypts secret values in the database with the key below.",
    )
    .default(&["false"]),
    Setting::new(
        "SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY_ID",
        Kind::Text,
        "The name of the key, of at most 32 characters.",
    )
    .required("with encryption"),
    Setting::new("SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY", KEY, "The key.")
        .secret()
        .required("with encryption"),
    Setting::new(
        "SECURITY_DB_ENCRYPTION_DECRYPTION_KEYS",
        Kind::Other("pairs `id:key` with commas, each key 256 bits in base64url"),
        "Former keys, to decrypt values that were encrypted with them.",
    )
    .secret(),
    Setting::new(
        "SECURITY_CAPTCHA_ENABLED",
        Kind::Boolean,
        "Requires a captcha to create an account, to have a mail sent and to sign in with a password.",
    )
    .default(&["false"]),
    Setting::new(
        "SECURITY_CAPTCHA_PROVIDER",
        Kind::OneOf(&["hCaptcha", "Turnstile"]),
        "The captcha provider.",
    )
    .default(&["hCaptcha"]),
    Setting::new(
        "SECURITY_CAPTCHA_SECRET",
        Kind::Text,
        "The secret of that provider.",
    )
    .secret()
    .required("with a captcha"),
    Setting::new(
        "SECURITY_CAPTCHA_URL",
        Kind::Url,
        "The URL at which captchas are verified; that of the provider when it is not set.",
    ),
    Setting::new(
        "SECURITY_CAPTCHA_TIMEOUT",
        Kind::SecondsOrDuration,
        "How long that provider may take, at most nine tenths of `API_MAX_REQUEST_DURATION`.",
    )
    .default(&["10s"]),
    Setting::new(
        "SECURITY_MANUAL_LINKING_ENABLED",
        Kind::Boolean,
        "Users can link identities to their account, and remove them.",
    )
    .default(&["false"]),
];

/// `SECURITY_*` settings.
#[derive(Debug, Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a setting of its own"
)]
pub struct SecurityConfig {
    /// `SECURITY_REFRESH_TOKEN_ROTATION_ENABLED`, default true.
    pub refresh_token_rotation_enabled: bool,
    /// `SECURITY_REFRESH_TOKEN_REUSE_INTERVAL` in seconds, default 10 (gotrue 0).
    pub refresh_token_reuse_interval: SignedDuration,
    /// `SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION`.
    pub update_password_require_reauthentication: bool,
    /// `SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD`.
    pub update_password_require_current_password: bool,
    /// `SECURITY_UPDATE_PASSWORD_SIGN_IN_AGE`: how old a sign-in may be to change the password with the access
    /// token alone, default 15 minutes; `None` if it may have any age.
    pub update_password_sign_in_age: Option<SignedDuration>,
    /// `SECURITY_PASSWORD_FAILURES`: wrong passwords of an identifier before further attempts must wait.
    pub password_failures: u32,
    /// `SECURITY_PASSWORD_FAILURES_WINDOW`: how long a wrong password counts.
    pub password_failures_window: SignedDuration,
    /// `SECURITY_<PLATFORM>_FORWARDED_FOR_ENABLED`: the header whose first value is the client's address.
    pub forwarded_for: Option<HeaderName>,
    /// `SECURITY_DB_ENCRYPTION_*`.
    pub db_encryption: DbEncryption,
    /// `SECURITY_CAPTCHA_*`.
    pub captcha: CaptchaConfig,
    /// `SECURITY_MANUAL_LINKING_ENABLED`: users can link identities and remove them.
    pub manual_linking_enabled: bool,
}

/// A key of 256 bits.
pub type EncryptionKey = Secret<[u8; 32]>;

/// Encryption of secret values in the database.
#[derive(Debug, Clone, Default)]
pub struct DbEncryption {
    /// `SECURITY_DB_ENCRYPTION_ENCRYPT`: whether new values are encrypted with the key below.
    pub encrypt: bool,
    /// `SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY_ID`.
    pub encryption_key_id: String,
    /// `SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY`.
    pub encryption_key: Option<EncryptionKey>,
    /// `SECURITY_DB_ENCRYPTION_DECRYPTION_KEYS`: former keys by id, and the key above.
    pub decryption_keys: BTreeMap<String, EncryptionKey>,
}

/// `SECURITY_CAPTCHA_*` settings.
#[derive(Debug, Clone)]
pub struct CaptchaConfig {
    /// `SECURITY_CAPTCHA_ENABLED`.
    pub enabled: bool,
    /// `SECURITY_CAPTCHA_PROVIDER`.
    pub provider: CaptchaProvider,
    /// `SECURITY_CAPTCHA_SECRET`.
    pub secret: Option<Secret<String>>,
    /// `SECURITY_CAPTCHA_URL`, by default that of the provider.
    pub url: Option<Url>,
    /// `SECURITY_CAPTCHA_TIMEOUT`, default 10 s.
    pub timeout: SignedDuration,
}

/// A captcha provider.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CaptchaProvider {
    /// hCaptcha.
    #[default]
    Hcaptcha,
    /// Cloudflare Turnstile.
    Turnstile,
}

impl CaptchaProvider {
    /// Returns the URL at which captchas are verified.
    fn verification_url(self) -> &'static str {
        match self {
            Self::Hcaptcha => "https://hcaptcha.com/siteverify",
            Self::Turnstile => "https://challenges.cloudflare.com/turnstile/v0/siteverify",
        }
    }
}

impl SecurityConfig {
    pub(super) fn read(reader: &mut Reader, profile: Profile) -> Self {
        let window = positive(reader, profile, "SECURITY_PASSWORD_FAILURES_WINDOW");
        let failures = within(reader, profile, "SECURITY_PASSWORD_FAILURES", 1..=1_000_000);
        Self {
            refresh_token_rotation_enabled: reader.get("SECURITY_REFRESH_TOKEN_ROTATION_ENABLED"),
            refresh_token_reuse_interval: reader.get("SECURITY_REFRESH_TOKEN_REUSE_INTERVAL"),
            update_password_require_reauthentication: reader
                .get("SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION"),
            update_password_require_current_password: reader
                .get("SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD"),
            update_password_sign_in_age: none_if_zero(
                reader,
                "SECURITY_UPDATE_PASSWORD_SIGN_IN_AGE",
            ),
            password_failures: failures,
            password_failures_window: window,
            forwarded_for: read_forwarded_for(reader),
            db_encryption: DbEncryption::read(reader, profile),
            captcha: CaptchaConfig::read(reader, profile),
            manual_linking_enabled: reader.get("SECURITY_MANUAL_LINKING_ENABLED"),
        }
    }
}

/// Reads the header of the platform that is switched on.
fn read_forwarded_for(reader: &mut Reader) -> Option<HeaderName> {
    let platforms = reader.words_of("SECURITY_<PLATFORM>_FORWARDED_FOR_ENABLED");
    let mut header = None;
    for platform in platforms {
        let name = format!("SECURITY_{platform}_FORWARDED_FOR_ENABLED");
        if !reader.get::<bool>(&name) {
            continue;
        }
        let word = platform.to_ascii_lowercase().replace('_', "-");
        match HeaderName::try_from(format!("{word}-forwarded-for")) {
            Ok(_) if header.is_some() => {
                reader.fault(&name, "only one platform can set the client's address");
            }
            Ok(known) => header = Some(known),
            Err(_) => reader.fault(&name, "does not name a header"),
        }
    }
    header
}

/// A sealed hash contains the name of the key and has to fit GoTrue's column.
const MAX_KEY_ID: usize = 32;

impl DbEncryption {
    fn read(reader: &mut Reader, profile: Profile) -> Self {
        let key_id = "SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY_ID";
        let key = "SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY";
        let encrypt = reader.get("SECURITY_DB_ENCRYPTION_ENCRYPT");
        if encrypt {
            for name in [key_id, key] {
                if !reader.is_set(name) {
                    reader.fault(name, "is required with encryption");
                }
            }
        }
        let encryption_key_id: String = reader.get(key_id);
        if encrypt && encryption_key_id.chars().count() > MAX_KEY_ID {
            let problem = "must have at most 32 characters, or password hashes cannot be encrypted";
            report(reader, profile, key_id, problem);
        }
        let encryption_key: Option<EncryptionKey> =
            reader.parsed(key, |text, _| read_key(text).ok_or_else(String::new));
        let mut decryption_keys = reader
            .parsed("SECURITY_DB_ENCRYPTION_DECRYPTION_KEYS", |text, _| {
                read_keys(text).ok_or_else(String::new)
            })
            .unwrap_or_default();
        if let Some(key) = &encryption_key {
            decryption_keys.insert(encryption_key_id.clone(), key.clone());
        }
        Self {
            encrypt,
            encryption_key_id,
            encryption_key,
            decryption_keys,
        }
    }
}

fn read_key(text: &str) -> Option<EncryptionKey> {
    let bytes = URL_SAFE_NO_PAD
        .decode(text.trim().trim_end_matches('='))
        .ok()?;
    bytes.try_into().ok().map(EncryptionKey::new)
}

fn read_keys(text: &str) -> Option<BTreeMap<String, EncryptionKey>> {
    let pairs = text
        .split(',')
        .map(str::trim)
        .filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (id, key) = pair.split_once(':')?;
            Some((id.trim().to_owned(), read_key(key)?))
        })
        .collect()
}

impl CaptchaConfig {
    fn read(reader: &mut Reader, profile: Profile) -> Self {
        let provider: String = reader.get("SECURITY_CAPTCHA_PROVIDER");
        let provider = match provider.as_str() {
            "Turnstile" => CaptchaProvider::Turnstile,
            _ => CaptchaProvider::Hcaptcha,
        };
        let enabled = reader.get("SECURITY_CAPTCHA_ENABLED");
        if enabled && !reader.is_set("SECURITY_CAPTCHA_SECRET") {
            reader.fault("SECURITY_CAPTCHA_SECRET", "is required with a captcha");
        }
        let url_name = "SECURITY_CAPTCHA_URL";
        let url: Option<Url> = reader.optional(url_name);
        if url
            .as_ref()
            .is_some_and(|url| !matches!(url.scheme(), "http" | "https"))
        {
            reader.fault(url_name, "must start with http:// or https://");
        }
        Self {
            enabled,
            provider,
            url: url.or_else(|| Url::parse(provider.verification_url()).ok()),
            secret: reader.optional("SECURITY_CAPTCHA_SECRET"),
            timeout: positive(reader, profile, "SECURITY_CAPTCHA_TIMEOUT"),
        }
    }
}
