//! `refresh_tokens`: tokens of the older kind, found in databases that were taken over.

use innkeeper_auth_queries::queries::refresh_tokens as queries;
pub(crate) use innkeeper_auth_queries::queries::refresh_tokens::{ActiveRow, TokenRow};
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

/// The newest token of a session that was not used yet.
pub(crate) async fn find_active(
    conn: &impl GenericClient,
    session_id: Uuid,
) -> Result<Option<ActiveRow>> {
    Ok(queries::find_active_of_session()
        .bind(conn, &session_id)
        .opt()
        .await?)
}

/// Gives the family of a token a session, this new one if none of it has one; says whether any of
/// it had none.
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
