//! Refresh tokens of the older kind, stored open by an earlier server. The first use moves the
//! session to the present kind.

use jiff::Timestamp;
use uuid::Uuid;

use crate::app::App;
use crate::client::ClientInfo;
use crate::error::{AuthError, Result};
use crate::session::SessionRecord;
use crate::session::issue::{self, Issued, Refresh, Renewal};
use crate::session::rotation::{Rotation, decide};
use crate::store::refresh_tokens::TokenRow;
use crate::store::sessions::Upgrade;
use crate::store::{self, Shared};
use crate::user::{Object, User};

use super::refresh::{
    TRIES, already_used, check_session, new_key, not_found, policy, refreshed, revoke, seen,
    too_many,
};

/// Exchanges a token of the older kind. As with the present kind, everything is read first, and the
/// one statement that writes does so only if nobody was faster.
pub(crate) async fn refresh(app: &App, token: &str, client: &ClientInfo) -> Result<Issued> {
    let conn = app.shared().await?;
    for _ in 0..TRIES {
        // The token is read before its session: what it was exchanged for is then seen, too.
        let row = find(app, &conn, token).await?;
        let session_id = row.session_id.ok_or_else(not_found)?;
        let found = store::users::find_by_session(&conn, session_id).await?;
        let Some((user, Some(mut session))) = found else {
            return Err(session_gone());
        };
        // Before sessions knew when they were refreshed, their tokens did.
        session.refreshed_at = session.refreshed_at.or(row.updated_at);
        let now = app.clock.now();
        check_session(app, &conn, &user, &session, now).await?;
        let place = place(&conn, &row, token, &session).await?;
        match decide(0, place.behind, place.moved_at, now, policy(app)) {
            Rotation::Rotate => {
                let custom = issue::ask(app, &conn, (&user, &session), now, client).await?;
                let (key, sealed) = new_key(app, &session)?;
                let upgrade = Upgrade {
                    session_id,
                    token,
                    hmac_key: &sealed,
                };
                if move_on(app, &conn, upgrade, (&user, now), client).await? {
                    let renewal = Renewal {
                        refresh: Refresh::Signed(&key, 1),
                        replayed: false,
                        custom,
                    };
                    return issue::renew(app, user, &session, renewal, now);
                }
            }
            Rotation::ReturnCurrent => {
                let custom = issue::ask(app, &conn, (&user, &session), now, client).await?;
                return again(app, (user, session), place.active.as_deref(), custom);
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

/// The token, with a session. Where tokens are older than sessions, its whole family gets one.
async fn find(app: &App, conn: &Shared, token: &str) -> Result<TokenRow> {
    let row = store::refresh_tokens::find_by_token(conn, token).await?;
    let row = row.ok_or_else(not_found)?;
    if row.session_id.is_some() {
        return Ok(row);
    }
    let id = Uuid::new_v4();
    if !store::refresh_tokens::adopt_family(conn, token, id, app.clock.now()).await? {
        // Another one of the family was faster, and opened the session.
        store::sessions::delete(conn, id).await?;
    }
    let row = store::refresh_tokens::find_by_token(conn, token).await?;
    row.ok_or_else(not_found)
}

/// Where a token stands in its chain.
struct Place {
    /// How far it is behind the session's newest token.
    behind: u64,
    /// When the newest was made.
    moved_at: Option<Timestamp>,
    /// The newest, if it is of the older kind.
    active: Option<String>,
}

async fn place(
    conn: &Shared,
    row: &TokenRow,
    token: &str,
    session: &SessionRecord,
) -> Result<Place> {
    if session.hmac_key.is_some() {
        let newest = store::refresh_tokens::newest_of_session(conn, session.id).await?;
        let counter = session
            .counter
            .and_then(|counter| u64::try_from(counter).ok());
        let behind = counter.unwrap_or_default().max(1);
        // Only the newest of the older kind was exchanged for the first of the present kind.
        let behind = if newest == Some(row.id) {
            behind
        } else {
            behind + 1
        };
        return Ok(Place {
            behind,
            moved_at: session.refreshed_at,
            active: None,
        });
    }
    let active = store::refresh_tokens::find_active(conn, session.id).await?;
    let behind = match &active {
        _ if row.revoked != Some(true) => 0,
        Some(active) if active.parent.as_deref() == Some(token) => 1,
        _ => 2,
    };
    Ok(Place {
        behind,
        moved_at: row.updated_at,
        active: active.and_then(|active| active.token),
    })
}

/// Answers with the token that was given for this one before.
fn again(
    app: &App,
    (user, session): (User, SessionRecord),
    active: Option<&str>,
    custom: Option<Object>,
) -> Result<Issued> {
    let now = app.clock.now();
    let key = issue::open_key(app, &session);
    let refresh = match (&key, active) {
        (Some(key), _) => {
            let counter = session
                .counter
                .and_then(|counter| u64::try_from(counter).ok());
            Refresh::Signed(key, counter.unwrap_or_default())
        }
        (None, Some(active)) => Refresh::Stored(active),
        (None, None) => return Err(not_found()),
    };
    let renewal = Renewal {
        refresh,
        replayed: true,
        custom,
    };
    issue::renew(app, user, &session, renewal, now)
}

/// Moves the session to the present kind, if nobody was faster.
async fn move_on(
    app: &App,
    conn: &Shared,
    upgrade: Upgrade<'_>,
    (user, now): (&User, Timestamp),
    client: &ClientInfo,
) -> Result<bool> {
    let address = client.address.map(|address| address.to_string());
    let seen = seen(client, address.as_deref());
    let entry = refreshed(user, client, now);
    let audited = !app.config.audit_log_disable_postgres;
    Ok(store::sessions::upgrade(conn, upgrade, seen, (&entry, audited)).await?)
}

fn session_gone() -> AuthError {
    AuthError::refused(
        400,
        "session_not_found",
        "Invalid Refresh Token: Session Not Found",
    )
}
