//! The content type of a response, with the two that nearly every response has known by name.

use std::sync::LazyLock;

use http::header::{
    CACHE_CONTROL, CONTENT_TYPE, HeaderMap, HeaderValue, VARY, X_CONTENT_TYPE_OPTIONS,
};

/// A content type.
#[derive(Debug, Clone)]
pub(crate) enum ContentType {
    Json,
    Plain,
    Other(HeaderValue),
}

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const PLAIN: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
pub(crate) const NOSNIFF: HeaderValue = HeaderValue::from_static("nosniff");
pub(crate) const NO_CACHE: HeaderValue = HeaderValue::from_static("no-cache");
pub(crate) const BY_ACCEPT: HeaderValue = HeaderValue::from_static("accept");

impl ContentType {
    pub(crate) fn as_value(&self) -> &HeaderValue {
        match self {
            Self::Json => &JSON_VALUE,
            Self::Plain => &PLAIN_VALUE,
            Self::Other(value) => value,
        }
    }

    pub(crate) fn into_value(self) -> HeaderValue {
        match self {
            Self::Json => JSON,
            Self::Plain => PLAIN,
            Self::Other(value) => value,
        }
    }
}

static JSON_VALUE: HeaderValue = JSON;
static PLAIN_VALUE: HeaderValue = PLAIN;

impl From<HeaderValue> for ContentType {
    fn from(value: HeaderValue) -> Self {
        Self::Other(value)
    }
}

/// The headers of a response that sets none itself.
///
/// Copying a finished map costs less than half of filling a new one, so the usual ones are kept.
pub(crate) fn usual_headers(content_type: Option<ContentType>, vary: bool) -> HeaderMap {
    match (content_type, vary) {
        (Some(ContentType::Json), false) => AS_JSON.clone(),
        (Some(ContentType::Plain), true) => AS_PLAIN_OR_OTHER.clone(),
        (content_type, vary) => filled(content_type, vary),
    }
}

static AS_JSON: LazyLock<HeaderMap> = LazyLock::new(|| filled(Some(ContentType::Json), false));
static AS_PLAIN_OR_OTHER: LazyLock<HeaderMap> =
    LazyLock::new(|| filled(Some(ContentType::Plain), true));

fn filled(content_type: Option<ContentType>, vary: bool) -> HeaderMap {
    let mut headers = HeaderMap::new();
    if let Some(content_type) = content_type {
        headers.insert(CONTENT_TYPE, content_type.into_value());
    }
    headers.insert(X_CONTENT_TYPE_OPTIONS, NOSNIFF);
    headers.insert(CACHE_CONTROL, NO_CACHE);
    if vary {
        headers.insert(VARY, BY_ACCEPT);
    }
    headers
}
