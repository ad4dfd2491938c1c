//! `innkeeper_recovery_codes`: codes that stand in for a second factor, each once.

use innkeeper_auth_queries::queries::recovery_codes as queries;
pub(crate) use innkeeper_auth_queries::queries::recovery_codes::{StatusRow, UsedRow};
use jiff::Timestamp;
use uuid::Uuid;

use super::audit::NewAuditEntry;
use super::{GenericClient, Result};

/// Returns how many codes a user has, if any.
pub(crate) async fn find_status(
    conn: &impl GenericClient,
    user_id: Uuid,
) -> Result<Option<StatusRow>> {
    Ok(queries::status_of_user().bind(conn, &user_id).opt().await?)
}

/// Stores the keyed hashes of a new set of codes, in place of the former set.
pub(crate) async fn replace(
    conn: &impl GenericClient,
    user_id: Uuid,
    set_id: Uuid,
    macs: &[Vec<u8>],
    now: Timestamp,
) -> Result<()> {
    queries::replace_codes()
        .bind(conn, &user_id, &set_id, &now, &macs)
        .await?;
    Ok(())
}

/// Deletes the codes of a user, and lowers the sessions that were raised with one.
pub(crate) async fn delete(conn: &impl GenericClient, user_id: Uuid) -> Result<()> {
    queries::delete_codes().bind(conn, &user_id).one().await?;
    Ok(())
}

/// Uses up a code and raises the session, and writes the audit entry if `is_audited`. Returns the key and the counter of
/// the session's refresh tokens, or `None` if the code is wrong or was used.
pub(crate) async fn use_up(
    conn: &impl GenericClient,
    user_id: Uuid,
    session_id: Uuid,
    code_mac: &[u8],
    hmac_key: &str,
    entry: &NewAuditEntry,
    is_audited: bool,
) -> Result<Option<UsedRow>> {
    Ok(queries::use_code()
        .bind(
            conn,
            &user_id,
            &entry.at,
            &code_mac,
            &hmac_key,
            &session_id,
            &entry.id,
            &entry.payload,
            &entry.address,
            &is_audited,
        )
        .opt()
        .await?)
}
