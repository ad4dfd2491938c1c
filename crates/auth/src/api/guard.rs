//! What holds for every answer: the deadline, and the headers that keep secrets from lying about.

use std::sync::Arc;
use std::time::Duration;

use http::header::{ACCEPT, CACHE_CONTROL, HeaderValue, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use innkeeper_rest::filter::RequestId;
use innkeeper_rest::{Filter, IntoReply, Next, Request, Response};

use super::errors::{REQUEST_ID, late};
use super::version::{API_VERSION, V20240101, api_version};
use crate::app::App;
use crate::client::ApiVersion;
use crate::error::AuthError;

/// Lets only `/health` through until the database has been reached.
#[derive(Debug, Clone)]
pub(crate) struct Gate(pub(crate) Arc<App>);

impl Filter for Gate {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        if self.0.ready.is_set() || request.path().trim_end_matches('/') == "/health" {
            return next.run(request).await;
        }
        AuthError::Starting.into_reply()
    }
}

/// Ends requests that take too long.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline(pub(crate) Duration);

impl Filter for Deadline {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        match tokio::time::timeout(self.0, next.run(request)).await {
            Ok(response) => response,
            Err(_) => AuthError::refused(504, "request_timeout", late()).into_reply(),
        }
    }
}

/// Sets the headers that every answer carries.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Headers;

impl Filter for Headers {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        // This server speaks JSON whatever the client asks for.
        request.head_mut().headers_mut().remove(ACCEPT);
        let version = api_version(request.head());
        // Where the error format, which sees the head alone, finds it.
        let id = request.values().get::<RequestId>();
        let id = id.and_then(|id| HeaderValue::from_str(id.as_str()).ok());
        if let Some(id) = id {
            request.head_mut().headers_mut().insert(REQUEST_ID, id);
        }
        let mut response = next.run(request).await;
        let headers = response.headers_mut();
        if !headers.contains_key(CACHE_CONTROL) {
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        }
        headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        if version == ApiVersion::V20240101 {
            headers.insert(API_VERSION, V20240101);
        }
        response
    }
}
