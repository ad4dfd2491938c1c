//! Filters that every request passes: readiness, the deadline, and the headers of every response.

use std::sync::Arc;
use std::time::Duration;

use http::header::{ACCEPT, HeaderValue};
use innkeeper_rest::filter::{FilterError, RequestId, SecurityHeaders};
use innkeeper_rest::{Filter, IntoReply, Next, Rejection, Request, Response};

use super::errors::{REQUEST_ID, TIMEOUT_MESSAGE};
use super::version::{API_VERSION, V20240101, api_version};
use crate::app::App;
use crate::base::client::ApiVersion;
use crate::base::error::AuthError;
use crate::base::error_code::ErrorCode;
use crate::config::Profile;
use crate::http::pages::paths::is_page;

/// How long browsers keep to HTTPS after a response through a TLS listener.
const HSTS_AGE: Duration = Duration::from_hours(365 * 24);

/// Refuses all requests but `/health` until the database has been reached.
#[derive(Debug, Clone)]
pub(crate) struct RequireReady(pub(crate) Arc<App>);

impl Filter for RequireReady {
    fn applies_to(&self, request: &Request) -> bool {
        !self.0.ready.is_set() && request.path().trim_end_matches('/') != "/health"
    }

    async fn apply(&self, _: &mut Request, _: Next<'_>) -> Response {
        AuthError::Starting.into_reply()
    }
}

/// The paths that do not answer with a slash at the end in the gotrue profile.
const PATHS_WITHOUT_SLASH: [&str; 11] = [
    "/admin/generate_link",
    "/authorize",
    "/health",
    "/invite",
    "/logout",
    "/magiclink",
    "/otp",
    "/recover",
    "/resend",
    "/settings",
    "/token",
];

/// Refuses a slash at the end of paths where GoTrue refuses it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RefuseSlashes(pub(crate) Profile);

impl Filter for RefuseSlashes {
    fn applies_to(&self, request: &Request) -> bool {
        let path = request.path().strip_suffix('/');
        self.0 == Profile::Gotrue && path.is_some_and(|path| PATHS_WITHOUT_SLASH.contains(&path))
    }

    async fn apply(&self, _: &mut Request, _: Next<'_>) -> Response {
        Rejection::not_found().into_reply()
    }
}

/// Applies a filter to everything but pages.
#[derive(Debug, Clone)]
pub(crate) struct OutsidePages<F>(pub(crate) F);

impl<F: Filter> Filter for OutsidePages<F> {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        self.0.apply(request, next).await
    }

    fn applies_to(&self, request: &Request) -> bool {
        !is_page(request.path()) && self.0.applies_to(request)
    }
}

/// Ends requests that take too long, filters included.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline(pub(crate) Duration);

impl Filter for Deadline {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        match tokio::time::timeout(self.0, next.run(request)).await {
            Ok(response) => response,
            Err(_) => AuthError::refused(ErrorCode::RequestTimeout, TIMEOUT_MESSAGE).into_reply(),
        }
    }
}

/// Returns the filter for the headers that keep responses out of caches, referrers and, except for GoTrue's
/// profile, frames.
pub(crate) fn security_headers(profile: Profile) -> Result<SecurityHeaders, FilterError> {
    let headers = SecurityHeaders::builder().header("cache-control", "no-store");
    match profile {
        // Responses are JSON, which needs nothing; pages send their own policies.
        // The subdomains are not ours to decide about, and a proxy that terminates TLS sends its own header.
        Profile::Std => headers
            .content_security_policy("default-src 'none'")
            .hsts_where_encrypted(HSTS_AGE),
        Profile::Gotrue => headers.any_frame_ancestor(),
    }
    .build()
}

/// Prepares requests for the error format, and names the API version in responses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VersionHeaders;

impl Filter for VersionHeaders {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        // This server writes JSON whatever the client accepts.
        request.head_mut().headers_mut().remove(ACCEPT);
        let version = api_version(request.head());
        // The error format sees nothing but the head.
        let id = request.values().get::<RequestId>();
        let id = id.and_then(|id| HeaderValue::from_str(id.as_str()).ok());
        if let Some(id) = id {
            request.head_mut().headers_mut().insert(REQUEST_ID, id);
        }
        let mut response = next.run(request).await;
        if version == ApiVersion::V20240101 {
            response.headers_mut().insert(API_VERSION, V20240101);
        }
        response
    }
}
