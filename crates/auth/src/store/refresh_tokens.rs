//! `refresh_tokens`: tokens of the older kind, found in databases that were taken over.

use innkeeper_auth_queries::queries::refresh_tokens as queries;
pub(crate) use innkeeper_auth_queries::queries::refresh_tokens::TokenRow;
use jiff::Timestamp;
use uuid::Uuid;

use super::{GenericClient, Result};

/// The token, if it is known.
pub(crate) async fn find_by_token(
    conn: &impl GenericClient,
    token: &str,
) -> Result<Option<TokenRow>> {
    Ok(queries::find_by_token().bind(conn, &token).opt().await?)
}

/// The token that came before the session's active one, if it has an active one.
pub(crate) async fn find_parent_of_active(
    conn: &impl GenericClient,
    session_id: Uuid,
) -> Result<Option<String>> {
    let active = queries::find_active_of_session()
        .bind(conn, &session_id)
        .opt()
        .await?;
    Ok(active.and_then(|active| active.parent))
}

/// The id of the session's newest token.
pub(crate) async fn newest_of_session(
    conn: &impl GenericClient,
    session_id: Uuid,
) -> Result<Option<i64>> {
    Ok(queries::newest_of_session()
        .bind(conn, &session_id)
        .opt()
        .await?)
}

/// Revokes all tokens of a session.
pub(crate) async fn revoke_of_session(
    conn: &impl GenericClient,
    session_id: Uuid,
    now: Timestamp,
) -> Result<()> {
    queries::revoke_of_session()
        .bind(conn, &now, &session_id)
        .await?;
    Ok(())
}
