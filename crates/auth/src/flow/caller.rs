//! Access tokens of requests, and the user that one belongs to.

use http::StatusCode;
use std::sync::Arc;

use jiff::Timestamp;
use uuid::Uuid;

use crate::app::App;
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::config::{HookKind, Profile};
use crate::crypto::jwt::{Claims, JwtError};
use crate::flow::session::{SessionRecord, validity};
use crate::flow::user::User;
use crate::store;

/// The claims of an access token whose signature and times were checked. User and session were not
/// looked up yet.
#[derive(Debug, Clone)]
pub(crate) struct AccessToken(pub(crate) Arc<Claims>);

/// The user an access token belongs to, and the session it was issued in.
#[derive(Debug)]
pub(crate) struct Caller {
    pub(crate) user: User,
    pub(crate) session: Option<SessionRecord>,
}

impl AccessToken {
    /// Checks the signature and the times of a token.
    pub(crate) async fn verify(app: &App, token: &str) -> Result<Self> {
        let now = app.clock.now();
        if app.keys.is_outdated(now) {
            app.reload_keys().await?;
        }
        let mut claims = verify(app, token, now);
        if claims == Err(JwtError::UnknownKey) && app.keys.may_reload(now) {
            // Another replica may have begun to sign with a key that this one has not loaded yet.
            app.reload_keys().await?;
            claims = verify(app, token, now);
        }
        match claims {
            Ok(claims) => Ok(Self(claims)),
            Err(error) => Err(AuthError::refused(ErrorCode::BadJwt, error.to_string())),
        }
    }

    /// Checks a token that must name an admin role. If it has a session, that must be valid.
    pub(crate) async fn verify_admin(app: &App, token: &str) -> Result<Self> {
        let token = Self::verify(app, token).await?;
        if !token.is_admin(app) {
            return Err(not_admin());
        }
        // Service tokens have no session; a user's token ends with its session.
        if let Some(session_id) = token.session_id()? {
            let conn = app.shared().await?;
            match store::users::find_by_session(&conn, session_id).await? {
                Some((user, Some(session))) => {
                    let now = app.clock.now();
                    let has_factor = user.has_verified_factor();
                    let config = &app.config.sessions;
                    validity::check(&session, has_factor, config, now).map_err(|error| {
                        AuthError::refused_as(
                            StatusCode::FORBIDDEN,
                            ErrorCode::SessionExpired,
                            error.to_string(),
                        )
                    })?;
                    check_ban(app, &user)?;
                    // The user may have lost the role since the token was issued, unless a hook gave it.
                    let is_role_of_user = !app.hooks.is_on(HookKind::CustomAccessToken);
                    if is_role_of_user && !app.config.jwt.admin_roles.contains(&user.role) {
                        return Err(not_admin());
                    }
                }
                _ => return Err(session_not_found()),
            }
        }
        Ok(token)
    }

    fn is_admin(&self, app: &App) -> bool {
        let roles = &app.config.jwt.admin_roles;
        self.0
            .role
            .as_ref()
            .is_some_and(|role| roles.contains(role))
    }

    /// Looks up the user and the session, in one query.
    pub(crate) async fn caller(&self, app: &App, client: &ClientInfo) -> Result<Caller> {
        let claims = &self.0;
        let sub = claims.sub.as_deref().filter(|sub| !sub.is_empty());
        let sub = sub.ok_or_else(|| {
            AuthError::refused(ErrorCode::BadJwt, "invalid claim: missing sub claim")
        })?;
        let id = Uuid::parse_str(sub).map_err(|_| {
            AuthError::refused_as(
                StatusCode::BAD_REQUEST,
                ErrorCode::BadJwt,
                "invalid claim: sub claim must be a UUID",
            )
        })?;
        let session_id = self.session_id()?;
        let aud = claims.aud.as_deref().unwrap_or_default();
        // GoTrue compares audiences in one place only, and after everything else.
        let compares_audiences = app.config.profile == Profile::Std;
        let requested = client.audience.as_deref();
        if compares_audiences && requested.is_some_and(|requested| requested != aud) {
            return Err(other_audience());
        }
        let caller = Caller::find(app, id, session_id).await?;
        if compares_audiences && caller.user.aud != aud {
            return Err(AuthError::refused(
                ErrorCode::UnexpectedAudience,
                "Token audience is not the user's",
            ));
        }
        caller.check(app, session_id)
    }

    /// Refuses a token without an audience or with another one than the request, as GoTrue does where the caller
    /// reads the account.
    pub(crate) fn check_audience(&self, app: &App, client: &ClientInfo) -> Result<()> {
        let requested = audience(app, client, Some(self));
        if app.config.profile == Profile::Gotrue && self.0.aud.as_deref() != Some(&*requested) {
            return Err(other_audience());
        }
        Ok(())
    }

    /// Parses the session id; tokens without one, or with the nil id, have no session.
    fn session_id(&self) -> Result<Option<Uuid>> {
        let text = self.0.session_id.as_deref();
        let Some(text) = text.filter(|text| !text.is_empty()) else {
            return Ok(None);
        };
        let id = Uuid::parse_str(text).map_err(|_| {
            AuthError::refused(
                ErrorCode::BadJwt,
                "invalid claim: session_id claim must be a UUID",
            )
        })?;
        Ok(Some(id).filter(|id| !id.is_nil()))
    }
}

impl Caller {
    /// Looks up the user and the session of a browser that this server has signed in.
    pub(crate) async fn of_session(app: &App, user_id: Uuid, session_id: Uuid) -> Result<Self> {
        let session_id = Some(session_id);
        Self::find(app, user_id, session_id)
            .await?
            .check(app, session_id)
    }

    async fn find(app: &App, user_id: Uuid, session_id: Option<Uuid>) -> Result<Self> {
        let conn = app.shared().await?;
        let session_id = session_id.unwrap_or(Uuid::nil());
        let row = store::users::find_caller(&conn, user_id, session_id).await?;
        let (user, session) = row.ok_or_else(|| {
            AuthError::refused_as(
                StatusCode::FORBIDDEN,
                ErrorCode::UserNotFound,
                "User from sub claim in JWT does not exist",
            )
        })?;
        Ok(Self { user, session })
    }

    /// Refuses a session that has ended, and banned users.
    fn check(self, app: &App, session_id: Option<Uuid>) -> Result<Self> {
        if session_id.is_some() && self.session.is_none() {
            return Err(session_not_found());
        }
        check_ban(app, &self.user)?;
        Ok(self)
    }

    /// Whether the user has a second factor that this session was not opened with.
    pub(crate) fn lacks_second_factor(&self) -> bool {
        let session = self.session.as_ref();
        let has_second_level = session.is_some_and(SessionRecord::has_second_level);
        self.user.has_verified_factor() && !has_second_level
    }
}

fn verify(app: &App, token: &str, now: Timestamp) -> std::result::Result<Arc<Claims>, JwtError> {
    let keys = app.keys.current();
    app.keys.verified.verify(&keys, token, now)
}

fn check_ban(app: &App, user: &User) -> Result<()> {
    if user.is_banned(app.clock.now()) {
        return Err(AuthError::refused(ErrorCode::UserBanned, "User is banned"));
    }
    Ok(())
}

fn other_audience() -> AuthError {
    AuthError::validation("Token audience doesn't match request audience")
}

fn not_admin() -> AuthError {
    AuthError::refused(ErrorCode::NotAdmin, "User not allowed")
}

fn session_not_found() -> AuthError {
    AuthError::refused_as(
        StatusCode::FORBIDDEN,
        ErrorCode::SessionNotFound,
        "Session from session_id claim in JWT does not exist",
    )
}

/// As [`audience`], for a request that may create a user; refuses audiences that no setting names.
pub(crate) fn audience_of_new_user(app: &App, client: &ClientInfo) -> Result<String> {
    let aud = audience(app, client, None);
    check_audience(app, &aud)?;
    Ok(aud)
}

/// Refuses audiences that an operator may not give to a user, who could not sign in with them.
pub(crate) fn check_operators_audience(app: &App, aud: &str) -> Result<()> {
    match app.config.profile {
        Profile::Std => check_audience(app, aud),
        Profile::Gotrue => Ok(()),
    }
}

/// Refuses audiences that users cannot have.
fn check_audience(app: &App, aud: &str) -> Result<()> {
    if app.config.jwt.has_audience(aud) {
        return Ok(());
    }
    Err(AuthError::validation(
        "The audience is none of those that this server has",
    ))
}

/// Returns the audience whose users a request is about: that of the header, else that of a token
/// without an admin role, else the configured one.
pub(crate) fn audience(app: &App, client: &ClientInfo, token: Option<&AccessToken>) -> String {
    if let Some(aud) = &client.audience {
        return aud.clone();
    }
    let of_token = token
        .filter(|token| !token.is_admin(app))
        .and_then(|token| token.0.aud.clone())
        .filter(|aud| !aud.is_empty());
    of_token.unwrap_or_else(|| app.config.jwt.aud.clone())
}
