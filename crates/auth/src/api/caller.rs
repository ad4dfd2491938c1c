//! Who a bearer token speaks for.

use std::sync::Arc;

use http::header::AUTHORIZATION;
use innkeeper_rest::{Filter, Head, IntoReply, Next, Request, Response};
use jiff::Timestamp;
use uuid::Uuid;

use crate::app::App;
use crate::error::{AuthError, Result};
use crate::jwt::{Claims, JwtError};
use crate::session::SessionRecord;
use crate::store;
use crate::user::User;

use super::client::ClientInfo;

/// The claims of a token whose signature and times are good; nothing was looked up yet.
#[derive(Debug, Clone)]
pub(crate) struct Bearer(pub(crate) Arc<Claims>);

/// The user a token belongs to, and the session it was issued in.
#[derive(Debug)]
pub(crate) struct Caller {
    pub(crate) user: User,
    pub(crate) session: Option<SessionRecord>,
}

/// Lets nobody in without a token of this server, and sets [`Bearer`].
#[derive(Debug, Clone)]
pub(crate) struct NeedsToken(pub(crate) Arc<App>);

/// Lets nobody in without a token of an admin role, and sets [`Bearer`].
#[derive(Debug, Clone)]
pub(crate) struct NeedsAdmin(pub(crate) Arc<App>);

impl Filter for NeedsToken {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        match bearer(&self.0, request.head()).await {
            Ok(bearer) => request.values_mut().set(bearer),
            Err(error) => return error.into_reply(),
        }
        next.run(request).await
    }
}

impl Filter for NeedsAdmin {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        match admin(&self.0, request.head()).await {
            Ok(bearer) => request.values_mut().set(bearer),
            Err(error) => return error.into_reply(),
        }
        next.run(request).await
    }
}

/// The token of a request.
async fn bearer(app: &App, head: &Head) -> Result<Bearer> {
    let token = token_of(head).ok_or_else(|| {
        AuthError::refused(
            401,
            "no_authorization",
            "This endpoint requires a valid Bearer token",
        )
    })?;
    let now = app.clock.now();
    let mut claims = verify(app, token, now);
    if claims == Err(JwtError::UnknownKey) && app.keys.may_look(now) {
        // Another replica may have begun to sign with a key that this one has not seen yet.
        app.reload_keys().await?;
        claims = verify(app, token, now);
    }
    match claims {
        Ok(claims) => Ok(Bearer(claims)),
        Err(error) => Err(AuthError::refused(403, "bad_jwt", error.to_string())),
    }
}

fn verify(app: &App, token: &str, now: Timestamp) -> std::result::Result<Arc<Claims>, JwtError> {
    let keys = app.keys.current();
    app.keys.verified.verify(&keys, token, now)
}

/// `bearer`, one space, the token.
fn token_of(head: &Head) -> Option<&str> {
    let (scheme, token) = head.header_text(AUTHORIZATION)?.split_once(' ')?;
    let is_one = scheme.eq_ignore_ascii_case("bearer") && !token.is_empty();
    (is_one && !token.contains(' ')).then_some(token)
}

/// The token of an administrator.
pub(crate) async fn admin(app: &App, head: &Head) -> Result<Bearer> {
    let bearer = bearer(app, head).await?;
    if !is_admin(app, &bearer.0) {
        return Err(AuthError::refused(403, "not_admin", "User not allowed"));
    }
    // Keys of services have no session; a person's token ends with its session.
    if let Some(session_id) = session_id(&bearer.0)? {
        let conn = app.shared().await?;
        match store::users::find_by_session(&conn, session_id).await? {
            Some((user, Some(session))) => {
                let now = app.clock.now();
                crate::session::validity::check(&session, &app.config.sessions, now).map_err(
                    |error| AuthError::refused(403, "session_expired", error.to_string()),
                )?;
                check_ban(app, &user)?;
            }
            _ => return Err(session_gone()),
        }
    }
    Ok(bearer)
}

/// Whether the claims name an admin role.
pub(crate) fn is_admin(app: &App, claims: &Claims) -> bool {
    let roles = &app.config.jwt.admin_roles;
    claims
        .role
        .as_ref()
        .is_some_and(|role| roles.contains(role))
}

impl Bearer {
    /// Looks the user and the session up, in one round trip.
    pub(crate) async fn caller(&self, app: &App, client: &ClientInfo) -> Result<Caller> {
        let claims = &self.0;
        let sub = claims.sub.as_deref().filter(|sub| !sub.is_empty());
        let sub = sub.ok_or_else(|| {
            AuthError::refused(403, "bad_jwt", "invalid claim: missing sub claim")
        })?;
        let id = Uuid::parse_str(sub).map_err(|_| {
            AuthError::refused(400, "bad_jwt", "invalid claim: sub claim must be a UUID")
        })?;
        let session_id = session_id(claims)?;
        let aud = claims.aud.as_deref().unwrap_or_default();
        if client
            .audience
            .as_deref()
            .is_some_and(|wanted| wanted != aud)
        {
            return Err(AuthError::validation(
                "Token audience doesn't match request audience",
            ));
        }
        let conn = app.shared().await?;
        let found = store::users::find_caller(&conn, id, session_id.unwrap_or(Uuid::nil())).await?;
        let (user, session) = found.ok_or_else(|| {
            AuthError::refused(
                403,
                "user_not_found",
                "User from sub claim in JWT does not exist",
            )
        })?;
        if user.aud != aud {
            return Err(AuthError::refused(
                403,
                "unexpected_audience",
                "Token audience is not the user's",
            ));
        }
        if session_id.is_some() && session.is_none() {
            return Err(session_gone());
        }
        check_ban(app, &user)?;
        Ok(Caller { user, session })
    }
}

impl Caller {
    /// Whether the user has a second factor that this session has not shown.
    pub(crate) fn lacks_second_factor(&self) -> bool {
        let has_one = self
            .user
            .factors
            .iter()
            .any(|factor| factor.status == "verified");
        let session = self.session.as_ref();
        has_one && session.and_then(|session| session.aal.as_deref()) != Some("aal2")
    }
}

fn check_ban(app: &App, user: &User) -> Result<()> {
    if user.is_banned(app.clock.now()) {
        return Err(AuthError::refused(403, "user_banned", "User is banned"));
    }
    Ok(())
}

/// The session of a token; none, or the nil id, means that it has no session.
fn session_id(claims: &Claims) -> Result<Option<Uuid>> {
    let Some(text) = claims.session_id.as_deref().filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let id = Uuid::parse_str(text).map_err(|_| {
        AuthError::refused(
            403,
            "bad_jwt",
            "invalid claim: session_id claim must be a UUID",
        )
    })?;
    Ok(Some(id).filter(|id| !id.is_nil()))
}

fn session_gone() -> AuthError {
    AuthError::refused(
        403,
        "session_not_found",
        "Session from session_id claim in JWT does not exist",
    )
}

/// The audience that a request's users belong to: the header, else the token's if it is no admin's,
/// else the configured one.
pub(crate) fn audience(app: &App, client: &ClientInfo, bearer: Option<&Bearer>) -> String {
    if let Some(aud) = &client.audience {
        return aud.clone();
    }
    let of_token = bearer
        .filter(|bearer| !is_admin(app, &bearer.0))
        .and_then(|bearer| bearer.0.aud.clone())
        .filter(|aud| !aud.is_empty());
    of_token.unwrap_or_else(|| app.config.jwt.aud.clone())
}
