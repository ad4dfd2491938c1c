//! The filters that require an access token.

use std::sync::Arc;

use innkeeper_rest::filter::{Bearer, Check, bearer_token};
use innkeeper_rest::{Filter, Head, IntoReply, Next, Rejection, Request, Response};

use crate::app::App;
use crate::app::audit::{Actor, AuditAction};
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::config::Profile;
use crate::flow::caller::AccessToken;
use crate::flow::user::metadata;

/// The number of bytes of a path in the audit log.
const MAX_PATH: usize = 200;

/// Requires an access token of this server; handlers take it with `#[value]`.
pub(crate) fn require_token(app: &Arc<App>) -> Bearer<AnyToken> {
    bearer(AnyToken(Arc::clone(app)))
}

/// Requires an access token with an admin role; handlers take it with `#[value]`.
pub(crate) fn require_admin(app: &Arc<App>) -> Bearer<AdminToken> {
    bearer(AdminToken(Arc::clone(app)))
}

fn bearer<K: Check<String>>(check: K) -> Bearer<K> {
    Bearer::new(check)
        .opaque()
        .refuse_with(|| no_authorization().into_rejection())
}

/// Refuses tokens without a user before a method or path that does not exist, as GoTrue does below `/user` and
/// `/reauthenticate`.
#[derive(Debug, Clone)]
pub(crate) struct CallerBeforeRoute(pub(crate) Arc<App>);

impl Filter for CallerBeforeRoute {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        let app = &self.0;
        if app.config.profile == Profile::Gotrue && next.route_of(request).is_none() {
            let values = request.values();
            let (token, client) = (values.get::<AccessToken>(), values.get::<ClientInfo>());
            if let (Some(token), Some(client)) = (token, client)
                && let Err(error) = token.caller(app, client).await
            {
                return error.into_reply();
            }
        }
        next.run(request).await
    }
}

/// Accepts access tokens of users and services.
#[derive(Debug)]
pub(crate) struct AnyToken(Arc<App>);

/// Accepts access tokens with an admin role.
#[derive(Debug)]
pub(crate) struct AdminToken(Arc<App>);

impl Check<String> for AnyToken {
    type Value = AccessToken;

    async fn check(
        &self,
        token: String,
        _: &Request,
    ) -> std::result::Result<Option<AccessToken>, Rejection> {
        let token = AccessToken::verify(&self.0, &token).await;
        token.map(Some).map_err(AuthError::into_rejection)
    }
}

impl Check<String> for AdminToken {
    type Value = AccessToken;

    async fn check(
        &self,
        token: String,
        request: &Request,
    ) -> std::result::Result<Option<AccessToken>, Rejection> {
        let token = verify_admin(&self.0, &token, request).await;
        token.map(Some).map_err(AuthError::into_rejection)
    }
}

/// Checks a token that must name an admin role. A refusal is written into the audit log.
async fn verify_admin(app: &App, token: &str, request: &Request) -> Result<AccessToken> {
    let verified = AccessToken::verify_admin(app, token).await;
    if let Err(error) = &verified {
        audit_refusal(app, token, error, request).await;
    }
    verified
}

/// As the filter [`require_admin`], for a request that no mount has.
pub(crate) async fn check_admin(app: &App, request: &Request) -> Result<AccessToken> {
    let token = bearer_token(request.head()).ok_or_else(no_authorization)?;
    verify_admin(app, token, request).await
}

/// Writes an audit entry about a refused admin call. It names the owner of the token if this server signed it.
async fn audit_refusal(app: &App, token: &str, error: &AuthError, request: &Request) {
    let verified = AccessToken::verify(app, token).await.ok();
    let actor = match &verified {
        Some(token) => Actor::Operator(&token.0),
        None => Actor::Sender { id: None, name: "" },
    };
    let path = request.path();
    let path = path
        .get(..path.floor_char_boundary(MAX_PATH))
        .unwrap_or(path);
    let mut traits = metadata::member("method", request.method().as_str());
    traits.insert("path".to_owned(), path.into());
    let unknown = ClientInfo::default();
    let client = request.values().get::<ClientInfo>().unwrap_or(&unknown);
    app.audit_refusal(AuditAction::AdminCallRefused, error, traits, actor, client)
        .await;
}

/// Returns the access token of a request if it has an admin role.
pub(crate) async fn admin_token(app: &App, head: &Head) -> Result<AccessToken> {
    let token = bearer_token(head).ok_or_else(no_authorization)?;
    AccessToken::verify_admin(app, token).await
}

/// Returns the access token of a request.
pub(crate) async fn user_token(app: &App, head: &Head) -> Result<AccessToken> {
    let token = bearer_token(head).ok_or_else(no_authorization)?;
    AccessToken::verify(app, token).await
}

fn no_authorization() -> AuthError {
    AuthError::refused(
        ErrorCode::NoAuthorization,
        "This endpoint requires a valid Bearer token",
    )
}
