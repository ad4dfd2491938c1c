//! `API_*`: the address that the server listens on, and its external URL.

use http::HeaderName;
use innkeeper_service::settings::{Kind, Reader, Setting};
use jiff::SignedDuration;
use url::Url;

use super::Profile;
use super::checks::{header, positive};

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "API_HOST",
        Kind::Text,
        "The address to listen on; all addresses when it is not set.",
    ),
    Setting::new("PORT", Kind::Port, "The port to listen on.")
        .aliases(&["API_PORT"])
        .bare()
        .default(&["8081"]),
    Setting::new(
        "API_EXTERNAL_URL",
        Kind::Url,
        "The URL at which clients reach the server; links in mails start with it.",
    )
    .aliases(&["API_API_EXTERNAL_URL"])
    .bare()
    .required("always"),
    Setting::new(
        "API_PATH_PREFIX",
        Kind::Other("a path such as `/auth/v1`"),
        "A path below which the API is served too. Clients of Supabase look for it below `/auth/v1`.",
    ),
    Setting::new(
        "REQUEST_ID_HEADER",
        Kind::Header,
        "The header that the id of a request is taken from.",
    )
    .aliases(&["API_REQUEST_ID_HEADER"])
    .bare(),
    Setting::new(
        "API_MAX_REQUEST_DURATION",
        Kind::Duration,
        "How long a request may take before the server answers 504.",
    )
    .default(&["10s"]),
    Setting::new(
        "API_ENDPOINT",
        Kind::Text,
        "Without effect: there is no multi-instance mode.",
    )
    .deprecated(),
];

/// `API_*` settings.
#[derive(Debug, Clone)]
pub struct ApiConfig {
    /// `API_HOST`: the address to listen on; empty means all.
    pub host: String,
    /// `PORT` or `API_PORT`, default 8081; 0 lets the system choose.
    pub port: u16,
    /// `API_EXTERNAL_URL`, required: the URL at which clients reach the server.
    pub external_url: Url,
    /// `API_PATH_PREFIX`: a path below which the API is served too, without a slash at its end.
    pub path_prefix: Option<String>,
    /// `REQUEST_ID_HEADER`: the header that the id of a request is taken from.
    pub request_id_header: Option<HeaderName>,
    /// `API_MAX_REQUEST_DURATION`, default 10 s.
    pub max_request_duration: SignedDuration,
}

impl ApiConfig {
    pub(super) fn read(reader: &mut Reader, profile: Profile) -> Option<Self> {
        let external_url: Option<Url> = reader.required("API_EXTERNAL_URL");
        let is_web = |url: &Url| matches!(url.scheme(), "http" | "https");
        if external_url.as_ref().is_some_and(|url| !is_web(url)) {
            reader.fault("API_EXTERNAL_URL", "must start with http:// or https://");
        }
        let host = reader.get("API_HOST");
        let port = reader.get("PORT");
        let path_prefix = reader.parsed("API_PATH_PREFIX", |text, setting| {
            path_prefix(text).ok_or_else(|| format!("expected {}", setting.kind.expects()))
        });
        let request_id_header = header(reader, "REQUEST_ID_HEADER");
        let max_request_duration = positive(reader, profile, "API_MAX_REQUEST_DURATION");
        Some(Self {
            host,
            port,
            external_url: external_url?,
            path_prefix,
            request_id_header,
            max_request_duration,
        })
    }
}

/// Parses a path of plain segments. A slash at its end is cut.
fn path_prefix(text: &str) -> Option<String> {
    let path = text.trim().trim_end_matches('/');
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let mut segments = path.strip_prefix('/')?.split('/');
    let is_valid =
        segments.all(|it| !it.is_empty() && !it.starts_with('.') && it.bytes().all(is_plain));
    is_valid.then(|| path.to_owned())
}
