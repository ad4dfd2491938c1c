//! The content type of a response; the two most common ones need no header value.

use http::header::HeaderValue;

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
