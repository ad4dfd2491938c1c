//! `RATE_LIMIT_*`: how often things may happen.

use http::HeaderName;
use innkeeper_service::duration::parse_go;
use innkeeper_service::limiter::RedisUrl;
use innkeeper_service::settings::{Kind, Reader, Setting, Value};
use jiff::SignedDuration;

use super::Profile;
use super::checks::{header, positive, within};

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "RATE_LIMIT_HEADER",
        Kind::Header,
        "The header whose first value tells clients apart for the limits by address. Only behind \
         proxies that set it themselves.",
    ),
    Setting::new(
        "REDIS_URL",
        Kind::Other("an address such as `redis://host:6379`, `rediss://…` or `unix:///path`"),
        "The Redis or Valkey in which replicas share the limits by address; each counts by itself \
         when it is not set, or away.",
    )
    .secret(),
    Setting::new(
        "REDIS_TIMEOUT",
        Kind::Duration,
        "How long Redis may take before a replica counts by itself.",
    )
    .default(&["250ms"]),
    Setting::new(
        "RATE_LIMIT_EMAIL_SENT",
        Kind::Rate,
        "Mails of the whole server: `N` in each hour, or `N/DURATION` for at most `N` at once and \
         one more after each duration.",
    )
    .default(&["30"]),
    Setting::new(
        "RATE_LIMIT_SMS_SENT",
        Kind::Rate,
        "The same for text messages.",
    )
    .default(&["30"]),
    per_five_minutes("RATE_LIMIT_VERIFY", "Calls of `/verify` from one address."),
    per_five_minutes(
        "RATE_LIMIT_OTP",
        "Calls from one address of each of `/signup`, `/recover`, `/resend`, `/magiclink`, `/otp` and \
         `PUT /user`.",
    ),
    per_five_minutes(
        "RATE_LIMIT_TOKEN_REFRESH",
        "Calls of `/token` from one address.",
    )
    .default(&["150"]),
    Setting::new(
        "RATE_LIMIT_ANONYMOUS_USERS",
        Kind::Number,
        "Not available yet. Anonymous sign-ins from one address in an hour.",
    )
    .default(&["30"]),
    per_five_minutes("RATE_LIMIT_SSO", "Not available yet. Calls of `/sso`."),
    per_five_minutes("RATE_LIMIT_WEB3", "Not available yet. Sign-ins by wallet."),
    per_five_minutes(
        "RATE_LIMIT_PASSKEY",
        "Not available yet. Sign-ins by passkey.",
    ),
    per_five_minutes(
        "RATE_LIMIT_OAUTH_DYNAMIC_CLIENT_REGISTER",
        "Not available yet. Registrations of clients.",
    )
    .aliases(&["RATE_LIMIT_O_AUTH_DYNAMIC_CLIENT_REGISTER"])
    .default(&["10"]),
];

/// A limit for one address in five minutes.
const fn per_five_minutes(name: &'static str, doc: &'static str) -> Setting {
    Setting::new(name, Kind::Other("a number for five minutes"), doc).default(&["30"])
}

/// `RATE_LIMIT_*` settings. The numbers are per five minutes unless said otherwise.
#[derive(Debug, Clone)]
pub struct RateLimitConfig {
    /// `RATE_LIMIT_HEADER`: the header that holds the client's address.
    pub header: Option<HeaderName>,
    /// `REDIS_URL`: where replicas share limits.
    pub redis_url: Option<RedisUrl>,
    /// `REDIS_TIMEOUT`, default 250 ms.
    pub redis_timeout: SignedDuration,
    /// `RATE_LIMIT_EMAIL_SENT`: mails of the whole server, default 30 an hour.
    pub email_sent: Rate,
    /// `RATE_LIMIT_SMS_SENT`: text messages of the whole server, default 30 an hour.
    pub sms_sent: Rate,
    /// `RATE_LIMIT_VERIFY`, default 30.
    pub verify: f64,
    /// `RATE_LIMIT_OTP`, default 30.
    pub otp: f64,
    /// `RATE_LIMIT_TOKEN_REFRESH`, default 150.
    pub token_refresh: f64,
    /// `RATE_LIMIT_ANONYMOUS_USERS`, default 30 an hour.
    pub anonymous_users: f64,
    /// `RATE_LIMIT_SSO`, default 30.
    pub sso: f64,
    /// `RATE_LIMIT_WEB3`, default 30.
    pub web3: f64,
    /// `RATE_LIMIT_PASSKEY`, default 30.
    pub passkey: f64,
    /// `RATE_LIMIT_OAUTH_DYNAMIC_CLIENT_REGISTER`, default 10.
    pub oauth_dynamic_client_register: f64,
}

/// A rate: `N` or `N/DURATION`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rate {
    /// At most this many in each hour.
    PerHour(u32),
    /// A bucket that holds `size` and gains one after each `refill`.
    Bucket {
        /// How many may happen at once.
        size: u32,
        /// The time after which one more may.
        refill: SignedDuration,
    },
}

impl Rate {
    /// How many may happen at once.
    pub fn size(self) -> u32 {
        match self {
            Self::PerHour(size) | Self::Bucket { size, .. } => size,
        }
    }
}

impl Value for Rate {
    fn parse(text: &str, _: Kind) -> Option<Self> {
        let (count, refill) = match text.split_once('/') {
            Some((count, refill)) => (count, Some(refill)),
            None => (text, None),
        };
        let count = whole(count.trim())?;
        let Some(refill) = refill else {
            return Some(Self::PerHour(count));
        };
        let refill = parse_go(refill.trim()).ok()?;
        refill.is_positive().then_some(Self::Bucket {
            size: count,
            refill,
        })
    }
}

/// A whole number, also when it is written with zeros after the point.
fn whole(text: &str) -> Option<u32> {
    let (whole, zeros) = text.split_once('.').unwrap_or((text, ""));
    if zeros.bytes().any(|digit| digit != b'0') {
        return None;
    }
    whole.parse().ok()
}

impl RateLimitConfig {
    pub(super) fn read(reader: &mut Reader, profile: Profile) -> Self {
        // None of them turns the limits off; a number that nobody reaches does.
        let number = |reader: &mut Reader, name| within(reader, profile, name, 0.001..=1e9);
        let rate = |reader: &mut Reader, name| reader.optional(name).unwrap_or(Rate::PerHour(30));
        Self {
            header: header(reader, "RATE_LIMIT_HEADER"),
            redis_url: reader.parsed("REDIS_URL", |text, _| RedisUrl::parse(text)),
            redis_timeout: positive(reader, profile, "REDIS_TIMEOUT"),
            email_sent: rate(reader, "RATE_LIMIT_EMAIL_SENT"),
            sms_sent: rate(reader, "RATE_LIMIT_SMS_SENT"),
            verify: number(reader, "RATE_LIMIT_VERIFY"),
            otp: number(reader, "RATE_LIMIT_OTP"),
            token_refresh: number(reader, "RATE_LIMIT_TOKEN_REFRESH"),
            anonymous_users: reader.get("RATE_LIMIT_ANONYMOUS_USERS"),
            sso: reader.get("RATE_LIMIT_SSO"),
            web3: reader.get("RATE_LIMIT_WEB3"),
            passkey: reader.get("RATE_LIMIT_PASSKEY"),
            oauth_dynamic_client_register: reader.get("RATE_LIMIT_OAUTH_DYNAMIC_CLIENT_REGISTER"),
        }
    }
}
