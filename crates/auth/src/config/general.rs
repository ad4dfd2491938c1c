//! Settings of the whole server.

use http::HeaderName;
use innkeeper_rest::filter::TrustedProxies;
use innkeeper_service::settings::{Kind, Reader, Setting};

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "PROFILE",
        Kind::OneOf(&["std", "gotrue"]),
        "The set of defaults; see above for what happens when it is not set.",
    ),
    Setting::new(
        "SITE_URL",
        Kind::Url,
        "Base URL of the site. Users may be redirected to any URL on its host that has its scheme or, in std, `https`.",
    )
    .required("always"),
    Setting::new(
        "URI_ALLOW_LIST",
        Kind::List,
        "Further URLs that users may be redirected to. `*` stops at `.` and `/`, `**` does not, `?` is \
         one character, `[…]` a class, `{a,b}` alternatives.",
    ),
    Setting::new(
        "DISABLE_SIGNUP",
        Kind::Boolean,
        "Accounts are created by invitation only.",
    )
    .default(&["false"]),
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
    .default(&["1000", "0"]),
    Setting::new(
        "CORS_ALLOWED_HEADERS",
        Kind::Other("names of headers with commas"),
        "Request headers that browsers may send besides the server's own.",
    ),
    Setting::new(
        "AUDIT_LOG_DISABLE_POSTGRES",
        Kind::Boolean,
        "Keeps the audit log out of the database.",
    )
    .default(&["false"]),
    Setting::new(
        "AUDIT_LOG_STREAM",
        Kind::Boolean,
        "Also writes the audit log to the server's log, with a line `auth_audit_event` for each entry.",
    )
    .default(&["false", "true"]),
    Setting::new(
        "AUDIT_LOG_RETENTION",
        Kind::Duration,
        "How long entries of the audit log stay in the database, where `DB_CLEANUP_ENABLED` is on. \
         Forever when it is not set.",
    ),
    Setting::new(
        "INTERNAL_HTTP_TIMEOUT",
        Kind::Duration,
        "How long external providers may take, for all requests of one sign-in together.",
    )
    .default(&["10s"]),
    Setting::new(
        "OPERATOR_TOKEN",
        Kind::Text,
        "Without effect: there is no multi-instance mode.",
    )
    .secret()
    .deprecated(),
];

/// Reads the globs of the allow list.
pub(super) fn read_allow_list(reader: &mut Reader) -> Vec<String> {
    let globs = reader.parsed("URI_ALLOW_LIST", |text, _| Ok(split_globs(text)));
    globs.unwrap_or_default()
}

/// Splits at commas, except between the braces of a glob's alternatives.
fn split_globs(text: &str) -> Vec<String> {
    let mut globs = vec![String::new()];
    let mut depth = 0_usize;
    for letter in text.chars() {
        match letter {
            ',' if depth == 0 => {
                globs.push(String::new());
                continue;
            }
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if let Some(glob) = globs.last_mut() {
            glob.push(letter);
        }
    }
    let trimmed = globs.iter().map(|glob| glob.trim().to_owned());
    trimmed.filter(|glob| !glob.is_empty()).collect()
}

/// Reads the trusted proxies.
pub(super) fn read_trusted_proxies(reader: &mut Reader) -> TrustedProxies {
    let proxies = reader.parsed("TRUSTED_PROXIES", |text, _| {
        let parts = text.split(',').map(str::trim);
        TrustedProxies::new(parts.filter(|part| !part.is_empty())).map_err(|e| e.to_string())
    });
    proxies.unwrap_or_default()
}

/// Reads the request headers that browsers may send.
pub(super) fn read_cors_headers(reader: &mut Reader) -> Vec<String> {
    let headers: Vec<String> = reader.get("CORS_ALLOWED_HEADERS");
    let broken = headers
        .iter()
        .any(|name| name.parse::<HeaderName>().is_err());
    if broken {
        reader.fault(
            "CORS_ALLOWED_HEADERS",
            "contains a name that is not a header",
        );
    }
    headers
}
