//! `X-Supabase-Api-Version`: the version of the API that a request asks for.

use http::{HeaderName, HeaderValue};
use innkeeper_rest::Head;
use jiff::civil::{Date, date};

use crate::base::client::ApiVersion;

/// The header that selects the version.
pub(crate) const API_VERSION: HeaderName = HeaderName::from_static("x-supabase-api-version");

/// The value of [`API_VERSION`] in responses of that version.
pub(crate) const V20240101: HeaderValue = HeaderValue::from_static("2024-01-01");

/// Returns the version that a request asks for. A date that cannot be read counts as absent.
pub(crate) fn api_version(head: &Head) -> ApiVersion {
    let requested = head
        .header_text(API_VERSION)
        .and_then(|text| text.trim().parse::<Date>().ok());
    match requested {
        Some(requested) if requested >= date(2024, 1, 1) => ApiVersion::V20240101,
        _ => ApiVersion::Initial,
    }
}
