//! `RATE_LIMIT_*`: rate limits per client address, API key and machine.

use std::time::Duration;

use innkeeper_rest::filter::Quota;
use innkeeper_service::limiter::RedisUrl;
use innkeeper_service::settings::{Kind, Reader, Setting};
use jiff::SignedDuration;

const KIND: Kind = Kind::Other("requests a minute, or `requests:burst`");

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "REDIS_URL",
        Kind::Other("an address such as `redis://host:6379`, `rediss://…` or `unix:///path`"),
        "The Redis or Valkey in which replicas share the rate limits. Each replica counts on its own if it is \
         not set or not reachable.",
    )
    .secret(),
    Setting::new(
        "REDIS_TIMEOUT",
        Kind::Duration,
        "How long Redis may take before a replica counts on its own.",
    )
    .default(&["250ms"]),
    Setting::new("RATE_LIMIT_HEALTH", KIND, "Requests to `/health`.").default(&["600"]),
    Setting::new(
        "RATE_LIMIT_CONTENT",
        KIND,
        "Requests for lists, articles and feeds.",
    )
    .default(&["60"]),
    Setting::new("RATE_LIMIT_ASSETS", KIND, "Requests for images.").default(&["600:200"]),
    Setting::new("RATE_LIMIT_WIDGET", KIND, "Requests for the script of the widget.").default(&["300"]),
    Setting::new("RATE_LIMIT_FEEDBACK", KIND, "Feedback that a client sends.").default(&["5"]),
    Setting::new(
        "RATE_LIMIT_FEEDBACK_DAY",
        Kind::Other("requests a day"),
        "Feedback that a client sends per day.",
    )
    .default(&["20"]),
    Setting::new(
        "RATE_LIMIT_CONTROL",
        KIND,
        "Requests below `/v1/hosting`, per client address and again per API key.",
    )
    .default(&["60"]),
    Setting::new(
        "RATE_LIMIT_POWER",
        KIND,
        "Requests that start, stop, restart, reset or kill a machine, per machine.",
    )
    .default(&["10"]),
    Setting::new(
        "RATE_LIMIT_POWER_KEY",
        KIND,
        "The same requests, per API key.",
    )
    .default(&["30"]),
    Setting::new(
        "RATE_LIMIT_COMMAND",
        KIND,
        "Console commands, per game server.",
    )
    .default(&["300:10"]),
    Setting::new("RATE_LIMIT_LOG", KIND, "Requests for logs, per API key.").default(&["30"]),
    Setting::new(
        "RATE_LIMIT_CONSOLE",
        KIND,
        "Websocket handshakes of consoles, per client address.",
    )
    .default(&["10"]),
    Setting::new(
        "RATE_LIMIT_KEY_FAILURES",
        KIND,
        "Requests with an API key that is not valid. Requests with a valid key do not count.",
    )
    .default(&["10"]),
    Setting::new(
        "RATE_LIMIT_PUBLIC",
        KIND,
        "All other requests, including those to paths that do not exist.",
    )
    .default(&["120:40"]),
];

/// `RATE_LIMIT_*` settings: requests per minute, and per client address unless it says otherwise.
#[derive(Debug, Clone)]
pub struct LimitConfig {
    /// `REDIS_URL`: the Redis in which replicas share limits.
    pub redis_url: Option<RedisUrl>,
    /// `REDIS_TIMEOUT`, default 250 ms.
    pub redis_timeout: Duration,
    /// `RATE_LIMIT_HEALTH`, default 600.
    pub health: Quota,
    /// `RATE_LIMIT_CONTENT`, default 60.
    pub content: Quota,
    /// `RATE_LIMIT_ASSETS`, default 600, 200 at once.
    pub assets: Quota,
    /// `RATE_LIMIT_WIDGET`, default 300.
    pub widget: Quota,
    /// `RATE_LIMIT_FEEDBACK`, default 5.
    pub feedback: Quota,
    /// `RATE_LIMIT_FEEDBACK_DAY`, default 20, and the only one that is per day.
    pub feedback_day: Quota,
    /// `RATE_LIMIT_CONTROL`, default 60, per client address and per key.
    pub control: Quota,
    /// `RATE_LIMIT_POWER`, default 10, per machine.
    pub power: Quota,
    /// `RATE_LIMIT_POWER_KEY`, default 30, per key.
    pub power_key: Quota,
    /// `RATE_LIMIT_COMMAND`, default 300, 10 at once, per game server.
    pub command: Quota,
    /// `RATE_LIMIT_LOG`, default 30, per key.
    pub log: Quota,
    /// `RATE_LIMIT_CONSOLE`, default 10.
    pub console: Quota,
    /// `RATE_LIMIT_KEY_FAILURES`, default 10.
    pub key_failures: Quota,
    /// `RATE_LIMIT_PUBLIC`, default 120, 40 at once.
    pub public: Quota,
}

impl LimitConfig {
    pub(super) fn read(reader: &mut Reader) -> Self {
        let timeout: SignedDuration = reader.get("REDIS_TIMEOUT");
        if timeout.is_zero() {
            reader.fault("REDIS_TIMEOUT", "must not be zero");
        }
        Self {
            redis_url: reader.parsed("REDIS_URL", |text, _| RedisUrl::parse(text)),
            redis_timeout: timeout.unsigned_abs(),
            health: quota(reader, "RATE_LIMIT_HEALTH"),
            content: quota(reader, "RATE_LIMIT_CONTENT"),
            assets: quota(reader, "RATE_LIMIT_ASSETS"),
            widget: quota(reader, "RATE_LIMIT_WIDGET"),
            feedback: quota(reader, "RATE_LIMIT_FEEDBACK"),
            feedback_day: daily_quota(reader, "RATE_LIMIT_FEEDBACK_DAY"),
            control: quota(reader, "RATE_LIMIT_CONTROL"),
            power: quota(reader, "RATE_LIMIT_POWER"),
            power_key: quota(reader, "RATE_LIMIT_POWER_KEY"),
            command: quota(reader, "RATE_LIMIT_COMMAND"),
            log: quota(reader, "RATE_LIMIT_LOG"),
            console: quota(reader, "RATE_LIMIT_CONSOLE"),
            key_failures: quota(reader, "RATE_LIMIT_KEY_FAILURES"),
            public: quota(reader, "RATE_LIMIT_PUBLIC"),
        }
    }
}

fn quota(reader: &mut Reader, name: &str) -> Quota {
    let quota = reader.parsed(name, |text, setting| {
        parse(text).ok_or_else(|| format!("expected {}, each at least 1", setting.kind.expects()))
    });
    quota.unwrap_or(Quota::per_minute(60))
}

fn daily_quota(reader: &mut Reader, name: &str) -> Quota {
    let number = reader.parsed(name, |text, _| {
        let number = text.trim().parse().ok().filter(|number| *number > 0);
        number.ok_or_else(|| "expected a whole number of at least 1".to_owned())
    });
    Quota::per_day(number.unwrap_or(20))
}

fn parse(text: &str) -> Option<Quota> {
    let positive = |text: &str| text.trim().parse().ok().filter(|number| *number > 0);
    match text.split_once(':') {
        None => Some(Quota::per_minute(positive(text)?)),
        Some((requests, burst)) => {
            Some(Quota::per_minute(positive(requests)?).with_burst(positive(burst)?))
        }
    }
}
