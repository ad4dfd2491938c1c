//! The listener, CORS and proxies.

use std::time::Duration;

use innkeeper_rest::filter::{Cors, TrustedProxies};
use innkeeper_service::settings::{Kind, Reader, Setting};
use jiff::SignedDuration;

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "HOST",
        Kind::Text,
        "The address to listen on; all addresses if it is not set.",
    ),
    Setting::new("PORT", Kind::Port, "The port to listen on.")
        .bare()
        .default(&["8080"]),
    Setting::new(
        "CORS_ORIGINS",
        Kind::Other(
            "origins such as `https://inn.example` and `https://*.inn.example` with commas",
        ),
        "The sites whose pages may read responses.",
    ),
    Setting::new(
        "TRUSTED_PROXIES",
        Kind::Other("addresses and networks with commas"),
        "Proxies whose `X-Forwarded-For` is trusted.",
    ),
    Setting::new(
        "CONNECTIONS_PER_CLIENT",
        Kind::Integer,
        "How many connections one IPv4 address or IPv6 /64 network may have open; 0 for any number. \
         Trusted proxies and this machine are exempt.",
    )
    .default(&["1000"]),
    Setting::new(
        "DRAIN_DELAY",
        Kind::Duration,
        "How long `/health` answers 503 before the server stops accepting connections, so that load \
         balancers notice.",
    )
    .default(&["1s"]),
];

/// The listener, CORS and proxies.
#[derive(Debug, Clone)]
pub struct HttpConfig {
    /// `HOST`: the address to listen on; empty means all.
    pub host: String,
    /// `PORT`, default 8080; 0 lets the system choose.
    pub port: u16,
    /// `CORS_ORIGINS`: the sites whose pages may read answers.
    pub cors_origins: Vec<String>,
    /// `TRUSTED_PROXIES`: the proxies whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: TrustedProxies,
    /// `CONNECTIONS_PER_CLIENT`, default 1000; `None` for any number.
    pub connections_per_client: Option<usize>,
    /// `DRAIN_DELAY`: how long `/health` announces that the server will stop, default 1 s.
    pub drain_delay: Duration,
}

impl HttpConfig {
    pub(super) fn read(reader: &mut Reader) -> Self {
        let origins = reader.parsed("CORS_ORIGINS", |text, _| {
            let origins: Vec<String> = parts(text).map(str::to_owned).collect();
            let checked = Cors::builder().origins(&origins).build();
            checked.map(|_| origins).map_err(|error| error.to_string())
        });
        let proxies = reader.parsed("TRUSTED_PROXIES", |text, _| {
            TrustedProxies::new(parts(text)).map_err(|error| error.to_string())
        });
        Self {
            host: reader.get("HOST"),
            port: reader.get("PORT"),
            cors_origins: origins.unwrap_or_default(),
            trusted_proxies: proxies.unwrap_or_default(),
            connections_per_client: Some(reader.get("CONNECTIONS_PER_CLIENT"))
                .filter(|count| *count > 0),
            drain_delay: reader.get::<SignedDuration>("DRAIN_DELAY").unsigned_abs(),
        }
    }
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
}
