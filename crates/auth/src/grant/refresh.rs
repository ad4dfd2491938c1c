//! `grant_type=refresh_token`: the next pair of tokens for a refresh token.

use jiff::Timestamp;

use crate::app::App;
use crate::audit::{Action, Actor, Entry};
use crate::client::ClientInfo;
use crate::config::Profile;
use crate::error::{AuthError, Result};
use crate::session::issue::{self, Issued, Refresh, Renewal};
use crate::session::rotation::{Policy, Rotation, decide};
use crate::session::token::{Presented, RefreshKey, SignedToken};
use crate::session::{SessionRecord, validity};
use crate::store::sessions::Seen;
use crate::store::{self, Shared};
use crate::user::{Object, User};

/// How often a refresh is tried again because another one of the same token was faster. Each try
/// means that somebody else succeeded.
pub(super) const TRIES: usize = 64;

/// Exchanges a refresh token.
pub(crate) async fn refresh(app: &App, token: &str, client: &ClientInfo) -> Result<Issued> {
    match Presented::parse(token) {
        Presented::V2(signed) => refresh_signed(app, &signed, client).await,
        Presented::V1(token) => super::legacy::refresh(app, &token, client).await,
        Presented::Malformed => Err(not_found()),
    }
}

async fn refresh_signed(app: &App, signed: &SignedToken, client: &ClientInfo) -> Result<Issued> {
    let conn = app.shared().await?;
    for _ in 0..TRIES {
        let found = store::users::find_by_session(&conn, signed.session_id()).await?;
        let Some((user, Some(session))) = found else {
            return Err(not_found());
        };
        let Some(key) = issue::open_key(app, &session) else {
            return Err(not_found());
        };
        let Some(token) = signed.verify(&key) else {
            return Err(not_found());
        };
        let now = app.clock.now();
        check_session(app, &conn, &user, &session, now).await?;
        let current = session
            .counter
            .and_then(|counter| u64::try_from(counter).ok())
            .unwrap_or_default();
        let moved_at = session.refreshed_at;
        match decide(token.counter, current, moved_at, now, policy(app)) {
            Rotation::Rotate => {
                let custom = issue::ask(app, &conn, (&user, &session), now, client).await?;
                if advance(app, &conn, (&user, &session), client, now).await? {
                    let next = Refresh::Signed(&key, current.saturating_add(1));
                    let renewal = Renewal {
                        refresh: next,
                        replayed: false,
                        custom,
                    };
                    return issue::renew(app, user, &session, renewal, now);
                }
            }
            Rotation::ReturnCurrent => {
                let renewal = Renewal {
                    refresh: Refresh::Signed(&key, current),
                    replayed: true,
                    custom: issue::ask(app, &conn, (&user, &session), now, client).await?,
                };
                return issue::renew(app, user, &session, renewal, now);
            }
            Rotation::RevokeFamily => {
                return Err(revoke(app, &conn, &user, &session, client).await?);
            }
            Rotation::Refuse => return Err(already_used()),
            Rotation::Unknown => return Err(not_found()),
        }
    }
    Err(too_many())
}

/// Moves the session on, if nobody was faster.
async fn advance(
    app: &App,
    conn: &Shared,
    (user, session): (&User, &SessionRecord),
    client: &ClientInfo,
    now: Timestamp,
) -> Result<bool> {
    let address = client.address.map(|address| address.to_string());
    let seen = seen(client, address.as_deref());
    let entry = refreshed(user, client, now);
    let audited = !app.config.audit_log_disable_postgres;
    let counter = session.counter.unwrap_or_default();
    let moved =
        store::sessions::advance(conn, session.id, counter, seen, (&entry, audited)).await?;
    if moved {
        app.audit_line(&entry, client);
    }
    Ok(moved)
}

/// Who refreshes, for the session.
pub(super) fn seen<'a>(client: &'a ClientInfo, address: Option<&'a str>) -> Seen<'a> {
    Seen {
        user_agent: client.user_agent.as_deref(),
        address,
    }
}

/// That a session was refreshed, for the audit log.
pub(super) fn refreshed(user: &User, client: &ClientInfo, now: Timestamp) -> Entry {
    let (action, actor) = (Action::TokenRefreshed, Actor::User(user));
    Entry::new(action, actor, Object::new(), client, now)
}

/// Refuses users and sessions that may not go on.
pub(super) async fn check_session(
    app: &App,
    conn: &impl store::GenericClient,
    user: &User,
    session: &SessionRecord,
    now: Timestamp,
) -> Result<()> {
    if user.is_banned(now) {
        return Err(AuthError::refused(
            400,
            "user_banned",
            "Invalid Refresh Token: User Banned",
        ));
    }
    let config = &app.config.sessions;
    validity::check(session, config, now)?;
    if config.single_per_user {
        let tags = validity::tags_alike(session, config);
        let ids = (user.id, session.id);
        if store::sessions::has_newer(conn, ids, &tags, session.used_at(), now).await? {
            return Err(validity::expired(
                "Session Expired (Revoked by Newer Login)",
            ));
        }
    }
    Ok(())
}

/// Ends a session whose token was used twice. The change stands although the client gets an error.
pub(super) async fn revoke(
    app: &App,
    conn: &impl store::GenericClient,
    user: &User,
    session: &SessionRecord,
    client: &ClientInfo,
) -> Result<AuthError> {
    store::sessions::delete(conn, session.id).await?;
    app.audit(conn, Action::TokenRevoked, user, client).await?;
    tracing::warn!(user.id = %user.id, session.id = %session.id, "a refresh token was used again; its session has ended");
    Ok(already_used())
}

pub(super) fn policy(app: &App) -> Policy {
    let security = &app.config.security;
    Policy {
        rotation: security.refresh_token_rotation_enabled,
        reuse_interval: security.refresh_token_reuse_interval,
        parent_stays: app.config.profile == Profile::Gotrue,
    }
}

pub(super) fn not_found() -> AuthError {
    AuthError::refused(
        400,
        "refresh_token_not_found",
        "Invalid Refresh Token: Refresh Token Not Found",
    )
}

/// Others were faster again and again.
pub(super) fn too_many() -> AuthError {
    AuthError::refused(
        409,
        "conflict",
        "Too many concurrent token refresh requests on the same session or refresh token",
    )
}

pub(super) fn already_used() -> AuthError {
    AuthError::refused(
        400,
        "refresh_token_already_used",
        "Invalid Refresh Token: Already Used",
    )
}

/// A new key for a session that had none.
pub(super) fn new_key(app: &App, session: &SessionRecord) -> Result<(RefreshKey, String)> {
    let key = RefreshKey::generate();
    let sealed = issue::seal_key(app, session.id, &key)?;
    Ok((key, sealed))
}
