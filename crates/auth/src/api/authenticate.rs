//! Filters that require an access token.

use std::sync::Arc;

use http::header::AUTHORIZATION;
use innkeeper_rest::{Filter, Head, IntoReply, Next, Request, Response};

use crate::app::App;
use crate::caller::AccessToken;
use crate::error::{AuthError, Result};

/// Requires an access token of this server, and sets it as a request value.
#[derive(Debug, Clone)]
pub(crate) struct RequireToken(pub(crate) Arc<App>);

/// Requires an access token with an admin role, and sets it as a request value.
#[derive(Debug, Clone)]
pub(crate) struct RequireAdmin(pub(crate) Arc<App>);

impl Filter for RequireToken {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        match access_token(&self.0, request.head()).await {
            Ok(token) => request.values_mut().set(token),
            Err(error) => return error.into_reply(),
        }
        next.run(request).await
    }
}

impl Filter for RequireAdmin {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        match admin_token(&self.0, request.head()).await {
            Ok(token) => request.values_mut().set(token),
            Err(error) => return error.into_reply(),
        }
        next.run(request).await
    }
}

async fn access_token(app: &App, head: &Head) -> Result<AccessToken> {
    let token = bearer_token(head).ok_or_else(no_authorization)?;
    AccessToken::verify(app, token).await
}

/// Returns the access token of a request that must have an admin role.
pub(crate) async fn admin_token(app: &App, head: &Head) -> Result<AccessToken> {
    let token = bearer_token(head).ok_or_else(no_authorization)?;
    AccessToken::verify_admin(app, token).await
}

/// `bearer`, one space, the token.
fn bearer_token(head: &Head) -> Option<&str> {
    let (scheme, token) = head.header_text(AUTHORIZATION)?.split_once(' ')?;
    let is_bearer = scheme.eq_ignore_ascii_case("bearer") && !token.is_empty();
    (is_bearer && !token.contains(' ')).then_some(token)
}

fn no_authorization() -> AuthError {
    AuthError::refused(
        401,
        "no_authorization",
        "This endpoint requires a valid Bearer token",
    )
}
