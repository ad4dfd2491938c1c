//! `grant_type=refresh_token`: the next pair of tokens for a refresh token.

use http::StatusCode;
use innkeeper_rest::{IntoReply, Response};
use innkeeper_service::database::Executor;
use jiff::Timestamp;
use uuid::Uuid;

use super::presented::{PresentedToken, not_found};
use crate::app::App;
use crate::app::audit::{self, Actor, AuditAction};
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::config::Profile;
use crate::flow::session::issue::{self, IssuedTokens, Renewal};
use crate::flow::session::rotation::{Rotation, RotationPolicy, decide};
use crate::flow::session::token::ParsedRefreshToken;
use crate::flow::session::{SessionRecord, validity};
use crate::flow::user::{Object, User};
use crate::store;
use crate::store::audit::NewAuditEntry;

/// How often a refresh is repeated because another one of the same token was faster. Each repetition
/// means that another request succeeded.
const MAX_ATTEMPTS: usize = 64;

/// Why a refresh token was refused, and whose it is if that was found out.
#[derive(Debug)]
pub(crate) struct RefusedRefresh {
    error: AuthError,
    user_id: Option<Uuid>,
    session_id: Option<Uuid>,
}

impl From<AuthError> for RefusedRefresh {
    fn from(error: AuthError) -> Self {
        Self {
            error,
            user_id: None,
            session_id: None,
        }
    }
}

impl RefusedRefresh {
    /// Returns why the token was refused, without whose it is.
    pub(crate) fn into_error(self) -> AuthError {
        self.error
    }

    /// Converts the refusal into a response whose headers name the user and the session.
    pub(crate) fn into_response(self) -> Response {
        let mut response = self.error.into_reply();
        let ids = [
            ("sb-auth-user-id", self.user_id),
            ("sb-auth-session-id", self.session_id),
        ];
        for (name, id) in ids {
            if let Some(id) = id {
                response = response.header(name, id.to_string());
            }
        }
        response
    }
}

/// Exchanges a refresh token of either format.
///
/// Everything is read first, and the one statement that writes does so only if no other request was
/// faster. So no transaction is needed.
pub(crate) async fn refresh(
    app: &App,
    token: &str,
    client: &ClientInfo,
) -> std::result::Result<IssuedTokens, RefusedRefresh> {
    let presented = ParsedRefreshToken::parse(token);
    if presented == ParsedRefreshToken::Malformed {
        return Err(not_found().into());
    }
    let conn = app.shared().await?;
    for _ in 0..MAX_ATTEMPTS {
        let token = PresentedToken::find(app, &conn, &presented).await?;
        let (user_id, session_id) = (Some(token.user.id), Some(token.session.id));
        if let Err(error) = check_ban(&token.user, app.clock.now()) {
            return Err(RefusedRefresh {
                error,
                user_id,
                session_id: None,
            });
        }
        match exchange(app, &conn, token, client).await {
            Ok(Some(issued)) => return Ok(issued),
            Ok(None) => {}
            Err(error) => {
                return Err(RefusedRefresh {
                    error,
                    user_id,
                    session_id,
                });
            }
        }
    }
    Err(too_many_refreshes().into())
}

/// Issues the next tokens of a session. Returns `None` if another request was faster.
async fn exchange(
    app: &App,
    conn: &dyn Executor,
    token: PresentedToken<'_>,
    client: &ClientInfo,
) -> Result<Option<IssuedTokens>> {
    let now = app.clock.now();
    check_session(app, conn, &token.user, &token.session, now).await?;
    let at = token.position(conn).await?;
    let renewal = match decide(at.presented, at.current, at.moved_at, now, policy(app)) {
        Rotation::Rotate => {
            let custom_claims = custom_claims(app, conn, &token, now, client).await?;
            let entry = refreshed(&token.user, client, now);
            let Some(next) = token.rotate(app, conn, &entry, client).await? else {
                return Ok(None);
            };
            app.log_audit_entry(&entry, client);
            Renewal {
                refresh_token: next,
                is_replay: false,
                custom_claims,
            }
        }
        Rotation::ReturnCurrent => Renewal {
            refresh_token: token.current(app, at)?,
            is_replay: true,
            custom_claims: custom_claims(app, conn, &token, now, client).await?,
        },
        Rotation::RevokeFamily => {
            return Err(revoke(app, conn, &token.user, &token.session, client).await?);
        }
        Rotation::Refuse => return Err(already_used()),
        Rotation::Unknown => return Err(not_found()),
    };
    issue::renew(app, token.user, &token.session, renewal, now).map(Some)
}

/// Lets the application change the claims of the next access token. Nothing was written yet.
async fn custom_claims(
    app: &App,
    conn: &dyn Executor,
    token: &PresentedToken<'_>,
    now: Timestamp,
    client: &ClientInfo,
) -> Result<Option<Object>> {
    let (user, session) = (&token.user, &token.session);
    issue::customize_renewal(app, conn, user, session, "token_refresh", now, client).await
}

/// Makes the audit entry of a refresh.
fn refreshed(user: &User, client: &ClientInfo, now: Timestamp) -> NewAuditEntry {
    let (action, actor) = (AuditAction::TokenRefreshed, Actor::User(user));
    audit::entry(action, actor, Object::new(), client, now)
}

fn check_ban(user: &User, now: Timestamp) -> Result<()> {
    if user.is_banned(now) {
        return Err(AuthError::refused_as(
            StatusCode::BAD_REQUEST,
            ErrorCode::UserBanned,
            "Invalid Refresh Token: User Banned",
        ));
    }
    Ok(())
}

/// Refuses sessions that have ended.
async fn check_session(
    app: &App,
    conn: &dyn Executor,
    user: &User,
    session: &SessionRecord,
    now: Timestamp,
) -> Result<()> {
    let config = &app.config.sessions;
    validity::check(session, user.has_verified_factor(), config, now)?;
    if config.single_per_user {
        let tags = validity::equivalent_tags(session, config);
        let used_at = session.used_at();
        if store::sessions::has_newer(conn, user.id, session.id, &tags, used_at, now).await? {
            return Err(validity::expired(
                "Session Expired (Revoked by Newer Login)",
            ));
        }
    }
    Ok(())
}

/// Ends a session whose token was used twice. The change stands although the client gets an error.
async fn revoke(
    app: &App,
    conn: &dyn Executor,
    user: &User,
    session: &SessionRecord,
    client: &ClientInfo,
) -> Result<AuthError> {
    store::sessions::delete(conn, session.id).await?;
    app.audit(conn, AuditAction::TokenRevoked, user, client)
        .await?;
    tracing::warn!(user.id = %user.id, session.id = %session.id, "a refresh token was used again; its session has ended");
    Ok(already_used())
}

fn policy(app: &App) -> RotationPolicy {
    let security = &app.config.security;
    let is_like_gotrue = app.config.profile == Profile::Gotrue;
    RotationPolicy {
        revoke_on_reuse: security.refresh_token_rotation_enabled,
        reuse_interval: security.refresh_token_reuse_interval,
        parent_stays_valid: is_like_gotrue,
        interval_is_for_all: is_like_gotrue,
    }
}

/// 409 `conflict`: other requests were faster, again and again.
fn too_many_refreshes() -> AuthError {
    AuthError::refused(
        ErrorCode::Conflict,
        "Too many concurrent token refresh requests on the same session or refresh token",
    )
}

fn already_used() -> AuthError {
    AuthError::refused(
        ErrorCode::RefreshTokenAlreadyUsed,
        "Invalid Refresh Token: Already Used",
    )
}
