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
use super::checks::{complain, positive, unavailable, within};

const KEY: Kind = Kind::Other("256 bits in base64url");

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "SECURITY_REFRESH_TOKEN_ROTATION_ENABLED",
        Kind::Boolean,
        "Reuse of a revoked refresh token revokes all that descend from it.",
    )
    .default(&["true"]),
    Setting::new(
        "SECURITY_REFRESH_TOKEN_REUSE_INTERVAL",
        Kind::SecondsOrDuration,
        "Within this time the previous refresh token gives its child again.",
    )
    .default(&["10", "0"]),
    Setting::new(
        "SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION",
        Kind::Boolean,
        "A password change needs the code that `/reauthenticate` sends.",
    )
    .default(&["false"]),
    Setting::new(
        "SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD",
        Kind::Boolean,
        "A password change needs the current password.",
    )
    .default(&["false"]),
    Setting::new(
        "SECURITY_PASSWORD_FAILURES",
        Kind::Integer,
        "How many wrong passwords one identifier may have before further ones wait.",
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
        "Takes the first value of the header `<PLATFORM>-Forwarded-For` as the client's address. \
         Only behind proxies that set it themselves.",
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
        "The key's name, of at most 32 letters.",
    )
    .required("with encryption"),
    Setting::new("SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY", KEY, "The key.")
        .secret()
        .required("with encryption"),
    Setting::new(
        "SECURITY_DB_ENCRYPTION_DECRYPTION_KEYS",
        Kind::Other("pairs `id:key` with commas, each key 256 bits in base64url"),
        "Keys that values were encrypted with before.",
    )
    .secret(),
    Setting::new(
        "SECURITY_CAPTCHA_ENABLED",
        Kind::Boolean,
        "Asks for a captcha before an account is made, a mail is sent or a password is tried.",
    )
    .default(&["false"]),
    Setting::new(
        "SECURITY_CAPTCHA_PROVIDER",
        Kind::OneOf(&["hCaptcha", "Turnstile"]),
        "Who judges a captcha.",
    )
    .default(&["hCaptcha"]),
    Setting::new(
        "SECURITY_CAPTCHA_SECRET",
        Kind::Text,
        "The secret for that provider.",
    )
    .secret()
    .required("with a captcha"),
    Setting::new(
        "SECURITY_CAPTCHA_URL",
        Kind::Url,
        "Where the provider is asked; its own address when it is not set.",
    ),
    Setting::new(
        "SECURITY_CAPTCHA_TIMEOUT",
        Kind::SecondsOrDuration,
        "How long that provider may take; never longer than nine tenths of \
         `API_MAX_REQUEST_DURATION`.",
    )
    .default(&["10s"]),
    Setting::new(
        "SECURITY_MANUAL_LINKING_ENABLED",
        Kind::Boolean,
        "Not available yet: must stay off. Users link identities by themselves.",
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
    /// `SECURITY_PASSWORD_FAILURES`: wrong passwords for one identifier before the next ones wait.
    pub password_failures: u32,
    /// `SECURITY_PASSWORD_FAILURES_WINDOW`: how long a wrong password counts.
    pub password_failures_window: SignedDuration,
    /// `SECURITY_<PLATFORM>_FORWARDED_FOR_ENABLED`: the header whose first value is the client.
    pub forwarded_for: Option<HeaderName>,
    /// `SECURITY_DB_ENCRYPTION_*`.
    pub db_encryption: DbEncryption,
    /// `SECURITY_CAPTCHA_*`.
    pub captcha: CaptchaConfig,
    /// `SECURITY_MANUAL_LINKING_ENABLED`.
    pub manual_linking_enabled: bool,
}

/// A key of 256 bits.
pub type Key = Secret<[u8; 32]>;

/// How values that must not lie open in the database are encrypted.
#[derive(Debug, Clone, Default)]
pub struct DbEncryption {
    /// `SECURITY_DB_ENCRYPTION_ENCRYPT`: whether new values are encrypted with the key below.
    pub encrypt: bool,
    /// `SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY_ID`.
    pub encryption_key_id: String,
    /// `SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY`.
    pub encryption_key: Option<Key>,
    /// `SECURITY_DB_ENCRYPTION_DECRYPTION_KEYS`: older keys by id, and the key above.
    pub decryption_keys: BTreeMap<String, Key>,
}

/// The puzzle that keeps robots out.
#[derive(Debug, Clone)]
pub struct CaptchaConfig {
    /// `SECURITY_CAPTCHA_ENABLED`.
    pub enabled: bool,
    /// `SECURITY_CAPTCHA_PROVIDER`.
    pub provider: CaptchaProvider,
    /// `SECURITY_CAPTCHA_SECRET`.
    pub secret: Option<Secret<String>>,
    /// `SECURITY_CAPTCHA_URL`, default the provider's own address.
    pub url: Option<Url>,
    /// `SECURITY_CAPTCHA_TIMEOUT`, default 10 s.
    pub timeout: SignedDuration,
}

/// Who judges a puzzle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CaptchaProvider {
    /// hCaptcha.
    #[default]
    Hcaptcha,
    /// Cloudflare Turnstile.
    Turnstile,
}

impl CaptchaProvider {
    /// Where it judges.
    fn address(self) -> &'static str {
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
            password_failures: failures,
            password_failures_window: window,
            forwarded_for: read_forwarded_for(reader),
            db_encryption: DbEncryption::read(reader, profile),
            captcha: CaptchaConfig::read(reader, profile),
            manual_linking_enabled: unavailable(
                reader,
                profile,
                "SECURITY_MANUAL_LINKING_ENABLED",
                "manual linking",
            ),
        }
    }
}

/// The header of the platform that is switched on.
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
                reader.fault(&name, "only one platform can say who the client is");
            }
            Ok(known) => header = Some(known),
            Err(_) => reader.fault(&name, "does not name a header"),
        }
    }
    header
}

/// A sealed hash bears the key's name and has to fit its column, which an earlier server made.
const LONGEST_KEY_ID: usize = 32;

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
        if encrypt && encryption_key_id.chars().count() > LONGEST_KEY_ID {
            let problem = "must have at most 32 letters, or password hashes cannot be encrypted";
            complain(reader, profile, key_id, problem);
        }
        let encryption_key: Option<Key> =
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

fn read_key(text: &str) -> Option<Key> {
    let bytes = URL_SAFE_NO_PAD
        .decode(text.trim().trim_end_matches('='))
        .ok()?;
    bytes.try_into().ok().map(Key::new)
}

fn read_keys(text: &str) -> Option<BTreeMap<String, Key>> {
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
        let address = "SECURITY_CAPTCHA_URL";
        let url: Option<Url> = reader.optional(address);
        if url
            .as_ref()
            .is_some_and(|url| !matches!(url.scheme(), "http" | "https"))
        {
            reader.fault(address, "must start with http:// or https://");
        }
        Self {
            enabled,
            provider,
            url: url.or_else(|| Url::parse(provider.address()).ok()),
            secret: reader.optional("SECURITY_CAPTCHA_SECRET"),
            timeout: positive(reader, profile, "SECURITY_CAPTCHA_TIMEOUT"),
        }
    }
}
