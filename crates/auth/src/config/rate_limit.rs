//! `RATE_LIMIT_*`: limits on requests by address, and on mails and text messages of the whole server.

use http::HeaderName;
use innkeeper_service::duration::parse_go;
use innkeeper_service::limiter::RedisUrl;
use innkeeper_service::settings::{Kind, Reader, Setting, Value};
use jiff::SignedDuration;

use super::Profile;
use super::checks::{header, not_used_yet, positive, within};

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "RATE_LIMIT_HEADER",
        Kind::Header,
        "The header whose first value identifies a client for the limits by address. Use it only \
         behind proxies that set the header themselves.",
    ),
    Setting::new(
        "REDIS_URL",
        Kind::Other("an address such as `redis://host:6379`, `rediss://…` or `unix:///path`"),
        "The Redis or Valkey in which replicas share the limits by address. When it is not set or does \
         not answer, each replica counts by itself.",
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
        "Text messages of the whole server, in the same format.",
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
        "Anonymous sign-ins from one address in an hour.",
    )
    .default(&["30"]),
    per_five_minutes("RATE_LIMIT_SSO", "Calls of `/sso` from one address.").not_yet(),
    per_five_minutes("RATE_LIMIT_WEB3", "Sign-ins by wallet from one address.").not_yet(),
    per_five_minutes("RATE_LIMIT_PASSKEY", "Sign-ins by passkey from one address."),
    per_five_minutes(
        "RATE_LIMIT_OAUTH_DYNAMIC_CLIENT_REGISTER",
        "Registrations of OAuth clients from one address.",
    )
    .not_yet()
    .aliases(&["RATE_LIMIT_O_AUTH_DYNAMIC_CLIENT_REGISTER"])
    .default(&["10"]),
];

/// A limit for an address in five minutes.
const fn per_five_minutes(name: &'static str, doc: &'static str) -> Setting {
    Setting::new(name, Kind::Other("a number for five minutes"), doc).default(&["30"])
}

/// `RATE_LIMIT_*` settings. The numbers are per five minutes unless said otherwise.
#[derive(Debug, Clone)]
pub struct RateLimitConfig {
    /// `RATE_LIMIT_HEADER`: the header that holds the client's address.
    pub header: Option<HeaderName>,
    /// `REDIS_URL`: the Redis in which replicas share limits.
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
    /// `RATE_LIMIT_SSO`, default 30; not used yet.
    pub sso: f64,
    /// `RATE_LIMIT_WEB3`, default 30; not used yet.
    pub web3: f64,
    /// `RATE_LIMIT_PASSKEY`, default 30.
    pub passkey: f64,
    /// `RATE_LIMIT_OAUTH_DYNAMIC_CLIENT_REGISTER`, default 10; not used yet.
    pub oauth_dynamic_client_register: f64,
}

/// A rate: `N` or `N/DURATION`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rate {
    /// At most this many in each hour.
    PerHour(u32),
    /// A bucket that holds `size` and gains one after each `refill`.
    Bucket {
        /// How many events may happen at once.
        size: u32,
        /// The time after which one more event may happen.
        refill: SignedDuration,
    },
}

impl Rate {
    /// Returns how many events may happen at once.
    pub fn size(self) -> u32 {
        match self {
            Self::PerHour(size) | Self::Bucket { size, .. } => size,
        }
    }

    /// Returns the same rate with another number of events at once.
    pub(crate) fn with_size(self, size: u32) -> Self {
        match self {
            Self::PerHour(_) => Self::PerHour(size),
            Self::Bucket { refill, .. } => Self::Bucket { size, refill },
        }
    }
}

impl Value for Rate {
    fn parse(text: &str, _: Kind) -> Option<Self> {
        let (count, refill) = match text.split_once('/') {
            Some((count, refill)) => (count, Some(refill)),
            None => (text, None),
        };
        let count = parse_whole(count.trim())?;
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

/// Parses a whole number, which may have zeros after the point.
fn parse_whole(text: &str) -> Option<u32> {
    let (whole, zeros) = text.split_once('.').unwrap_or((text, ""));
    if zeros.bytes().any(|digit| digit != b'0') {
        return None;
    }
    whole.parse().ok()
}

impl RateLimitConfig {
    pub(super) fn read(reader: &mut Reader, profile: Profile) -> Self {
        // No value turns a limit off; a very large number has the same effect.
        let number = |reader: &mut Reader, name| within(reader, profile, name, 0.001..=1e9);
        let later = |reader: &mut Reader, name| not_used_yet(reader, name).unwrap_or_default();
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
            anonymous_users: number(reader, "RATE_LIMIT_ANONYMOUS_USERS"),
            sso: later(reader, "RATE_LIMIT_SSO"),
            web3: later(reader, "RATE_LIMIT_WEB3"),
            passkey: number(reader, "RATE_LIMIT_PASSKEY"),
            oauth_dynamic_client_register: later(
                reader,
                "RATE_LIMIT_OAUTH_DYNAMIC_CLIENT_REGISTER",
            ),
        }
    }
}
