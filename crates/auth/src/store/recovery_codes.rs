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

/// A code that is to be used up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PresentedCode<'a> {
    pub(crate) user_id: Uuid,
    pub(crate) session_id: Uuid,
    pub(crate) code_mac: &'a [u8],
    /// The sealed key of the session's refresh tokens, if it has none yet.
    pub(crate) hmac_key: &'a str,
    /// The refresh token of a session without such a key, beside GoTrue.
    pub(crate) v1_token: Option<&'a str>,
}

/// Uses up a code and raises the session, and writes the audit entry if `is_audited`. Returns the key and the counter of
/// the session's refresh tokens, no key if it has the token of version 1, or `None` if the code is wrong or was used.
pub(crate) async fn use_up(
    conn: &impl GenericClient,
    code: &PresentedCode<'_>,
    entry: &NewAuditEntry,
    is_audited: bool,
) -> Result<Option<UsedRow>> {
    Ok(queries::use_code()
        .bind(
            conn,
            &code.user_id,
            &code.v1_token,
            &entry.at,
            &code.code_mac,
            &code.hmac_key,
            &code.session_id,
            &entry.id,
            &entry.payload,
            &entry.address,
            &is_audited,
        )
        .opt()
        .await?)
}
