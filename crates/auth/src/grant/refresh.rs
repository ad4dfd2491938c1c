//! `grant_type=refresh_token`: the next pair of tokens for a refresh token.

use http::StatusCode;
use jiff::Timestamp;

use super::presented::{PresentedToken, not_found};
use crate::app::App;
use crate::audit::{self, Actor, AuditAction};
use crate::client::ClientInfo;
use crate::config::Profile;
use crate::error::{AuthError, Result};
use crate::error_code::ErrorCode;
use crate::session::issue::{self, IssuedTokens, Renewal};
use crate::session::rotation::{Rotation, RotationPolicy, decide};
use crate::session::token::ParsedRefreshToken;
use crate::session::{SessionRecord, validity};
use crate::store::audit::NewAuditEntry;
use crate::store::{self, SharedConnection};
use crate::user::{Object, User};

/// How often a refresh is repeated because another one of the same token was faster. Each repetition
/// means that another request succeeded.
const MAX_ATTEMPTS: usize = 64;

/// Exchanges a refresh token of either format.
///
/// Everything is read first, and the one statement that writes does so only if no other request was
/// faster. So no transaction is needed.
pub(crate) async fn refresh(app: &App, token: &str, client: &ClientInfo) -> Result<IssuedTokens> {
    let presented = ParsedRefreshToken::parse(token);
    if presented == ParsedRefreshToken::Malformed {
        return Err(not_found());
    }
    let conn = app.shared().await?;
    for _ in 0..MAX_ATTEMPTS {
        let token = PresentedToken::find(app, &conn, &presented).await?;
        let now = app.clock.now();
        check_session(app, &conn, &token.user, &token.session, now).await?;
        let at = token.position(&conn).await?;
        match decide(at.presented, at.current, at.moved_at, now, policy(app)) {
            Rotation::Rotate => {
                let claims = custom_claims(app, &conn, &token, now, client).await?;
                let entry = refreshed(&token.user, client, now);
                if let Some(next) = token.rotate(app, &conn, &entry, client).await? {
                    app.log_audit_entry(&entry, client);
                    let renewal = Renewal {
                        refresh_token: next,
                        is_replay: false,
                        custom_claims: claims,
                    };
                    return issue::renew(app, token.user, &token.session, renewal, now);
                }
            }
            Rotation::ReturnCurrent => {
                let renewal = Renewal {
                    refresh_token: token.current(app, at)?,
                    is_replay: true,
                    custom_claims: custom_claims(app, &conn, &token, now, client).await?,
                };
                return issue::renew(app, token.user, &token.session, renewal, now);
            }
            Rotation::RevokeFamily => {
                return Err(revoke(app, &conn, &token.user, &token.session, client).await?);
            }
            Rotation::Refuse => return Err(already_used()),
            Rotation::Unknown => return Err(not_found()),
        }
    }
    Err(too_many_refreshes())
}

/// Lets the application change the claims of the next access token. Nothing was written yet.
async fn custom_claims(
    app: &App,
    conn: &SharedConnection,
    token: &PresentedToken<'_>,
    now: Timestamp,
    client: &ClientInfo,
) -> Result<Option<Object>> {
    issue::customize_renewal(app, conn, &token.user, &token.session, now, client).await
}

/// Makes the audit entry of a refresh.
fn refreshed(user: &User, client: &ClientInfo, now: Timestamp) -> NewAuditEntry {
    let (action, actor) = (AuditAction::TokenRefreshed, Actor::User(user));
    audit::entry(action, actor, Object::new(), client, now)
}

/// Refuses banned users, and sessions that have ended.
async fn check_session(
    app: &App,
    conn: &impl store::GenericClient,
    user: &User,
    session: &SessionRecord,
    now: Timestamp,
) -> Result<()> {
    if user.is_banned(now) {
        return Err(AuthError::refused_as(
            StatusCode::BAD_REQUEST,
            ErrorCode::UserBanned,
            "Invalid Refresh Token: User Banned",
        ));
    }
    let config = &app.config.sessions;
    validity::check(session, config, now)?;
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
    conn: &impl store::GenericClient,
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
    RotationPolicy {
        revoke_on_reuse: security.refresh_token_rotation_enabled,
        reuse_interval: security.refresh_token_reuse_interval,
        parent_stays_valid: app.config.profile == Profile::Gotrue,
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
