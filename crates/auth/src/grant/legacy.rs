//! Refresh tokens of the older kind, stored open by an earlier server. The first use moves the
//! session to the present kind.

use crate::api::client::ClientInfo;
use crate::app::App;
use crate::audit::Action;
use crate::error::{AuthError, Result};
use crate::session::SessionRecord;
use crate::session::issue::{self, Issued};
use crate::session::rotation::{Rotation, decide};
use crate::store::refresh_tokens::TokenRow;
use crate::store::sessions::Seen;
use crate::store::{self, GenericClient};
use crate::user::User;

use super::refresh::{already_used, check_session, new_key, not_found, policy, revoke};

/// Exchanges a token of the older kind.
pub(crate) async fn refresh(app: &App, token: &str, client: &ClientInfo) -> Result<Issued> {
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let outcome = exchange(app, &tx, token, client).await?;
    tx.commit().await?;
    outcome
}

/// The outer error rolls back, the inner one does not.
async fn exchange(
    app: &App,
    tx: &impl GenericClient,
    token: &str,
    client: &ClientInfo,
) -> Result<Result<Issued>> {
    let Some(row) = store::refresh_tokens::find_by_token(tx, token).await? else {
        return Ok(Err(not_found()));
    };
    let Some(session_id) = row.session_id else {
        return Ok(Err(session_gone()));
    };
    // Others with a token of this session wait here, and then see what this one did.
    if !store::sessions::lock(tx, session_id).await? {
        return Ok(Err(session_gone()));
    }
    let Some((user, Some(session))) = store::users::find_by_session(tx, session_id).await? else {
        return Ok(Err(session_gone()));
    };
    let Some(row) = store::refresh_tokens::find_by_token(tx, token).await? else {
        return Ok(Err(not_found()));
    };
    let now = app.clock.now();
    if let Err(error) = check_session(app, tx, &user, &session, now).await {
        return Ok(Err(error));
    }
    let (presented, current, moved_at) = place(tx, token, &row, &session).await?;
    match decide(presented, current, moved_at, now, policy(app)) {
        Rotation::Rotate | Rotation::ReturnCurrent => {
            Ok(Ok(upgrade(app, tx, (user, session), client).await?))
        }
        Rotation::RevokeFamily => Ok(Err(revoke(app, tx, &user, &session, client).await?)),
        Rotation::Refuse => Ok(Err(already_used())),
        Rotation::Unknown => Ok(Err(not_found())),
    }
}

/// Where the token stands in the chain, counted as the present kind counts: how far it is behind the
/// session's newest token, and when that one was made.
async fn place(
    tx: &impl GenericClient,
    token: &str,
    row: &TokenRow,
    session: &SessionRecord,
) -> Result<(u64, u64, Option<jiff::Timestamp>)> {
    if session.hmac_key.is_some() {
        let newest = store::refresh_tokens::newest_of_session(tx, session.id).await?;
        let counter = session.counter.and_then(|counter| u64::try_from(counter).ok());
        let behind = counter.unwrap_or_default().max(1);
        // Only the newest of the older kind was exchanged for the first of the present kind.
        let behind = if newest == Some(row.id) { behind } else { behind + 1 };
        return Ok((0, behind, session.refreshed_at));
    }
    if row.revoked != Some(true) {
        return Ok((0, 0, row.updated_at));
    }
    let parent = store::refresh_tokens::find_parent_of_active(tx, session.id).await?;
    let behind = if parent.as_deref() == Some(token) { 1 } else { 2 };
    Ok((0, behind, row.updated_at))
}

/// Gives the session a key and the client the first token of the present kind.
async fn upgrade(
    app: &App,
    tx: &impl GenericClient,
    (user, session): (User, SessionRecord),
    client: &ClientInfo,
) -> Result<Issued> {
    let now = app.clock.now();
    if let Some(key) = issue::open_key(app, &session)? {
        let counter = session.counter.and_then(|counter| u64::try_from(counter).ok());
        let current = (&key, counter.unwrap_or_default(), true);
        return issue::renew(app, user, &session, current, now);
    }
    let (key, sealed) = new_key(app, &session)?;
    let address = client.address.map(|address| address.to_string());
    let seen = Seen {
        user_agent: client.user_agent.as_deref(),
        address: address.as_deref(),
    };
    store::sessions::upgrade(tx, session.id, &sealed, seen, now).await?;
    store::refresh_tokens::revoke_of_session(tx, session.id, now).await?;
    app.audit(tx, Action::TokenRefreshed, &user, client).await?;
    issue::renew(app, user, &session, (&key, 1, false), now)
}

fn session_gone() -> AuthError {
    AuthError::refused(
        400,
        "session_not_found",
        "Invalid Refresh Token: Session Not Found",
    )
}
