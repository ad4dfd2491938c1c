//! `refresh_tokens`: GoTrue's refresh tokens of the v1 format, in databases that GoTrue used before or still uses.

use innkeeper_auth_queries::queries::refresh_tokens as queries;
pub(crate) use innkeeper_auth_queries::queries::refresh_tokens::{ActiveRow, TokenRow};
use jiff::Timestamp;
use uuid::Uuid;

use super::audit::NewAuditEntry;
use super::sessions::{RefreshClient, without_zone};
use super::{GenericClient, Result};

/// Finds a token.
pub(crate) async fn find_by_token(
    conn: &impl GenericClient,
    token: &str,
) -> Result<Option<TokenRow>> {
    Ok(queries::find_by_token().bind(conn, &token).opt().await?)
}

/// Finds the newest unused token of a session.
pub(crate) async fn find_active(
    conn: &impl GenericClient,
    session_id: Uuid,
) -> Result<Option<ActiveRow>> {
    Ok(queries::find_active_of_session()
        .bind(conn, &session_id)
        .opt()
        .await?)
}

/// Exchanges an unused token for this one, and writes the audit entry if `is_audited`. Returns `false` and changes
/// nothing if another request was faster.
pub(crate) async fn exchange(
    conn: &impl GenericClient,
    token: &str,
    next: &str,
    client: RefreshClient<'_>,
    entry: &NewAuditEntry,
    is_audited: bool,
) -> Result<bool> {
    let exchanged = queries::exchange()
        .bind(
            conn,
            &token,
            &entry.at,
            &next,
            &without_zone(entry.at),
            &client.user_agent,
            &client.address,
            &entry.id,
            &entry.payload,
            &entry.address,
            &is_audited,
        )
        .one()
        .await?;
    Ok(exchanged > 0)
}

/// Assigns the whole family of a token to one session: to a session that one of its tokens already has,
/// or else to this new one. Returns whether any token was without a session.
pub(crate) async fn adopt_family(
    conn: &impl GenericClient,
    token: &str,
    session_id: Uuid,
    now: Timestamp,
) -> Result<bool> {
    let adopted = queries::adopt_family()
        .bind(conn, &token, &session_id, &now)
        .await?;
    Ok(adopted > 0)
}

/// Returns the id of a session's newest token.
pub(crate) async fn newest_of_session(
    conn: &impl GenericClient,
    session_id: Uuid,
) -> Result<Option<i64>> {
    Ok(queries::newest_of_session()
        .bind(conn, &session_id)
        .opt()
        .await?)
}
