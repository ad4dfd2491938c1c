//! `sessions` and `mfa_amr_claims`.

use innkeeper_auth_queries::queries::sessions as queries;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::Serialize;
use uuid::Uuid;

use super::{GenericClient, Result};
use crate::audit::Entry;

/// A session to be opened.
#[derive(Debug)]
pub(crate) struct NewSession<'a> {
    pub(crate) id: Uuid,
    pub(crate) user_id: Uuid,
    pub(crate) not_after: Option<Timestamp>,
    pub(crate) user_agent: Option<&'a str>,
    pub(crate) address: Option<&'a str>,
    pub(crate) tag: Option<&'a str>,
    /// Sealed.
    pub(crate) hmac_key: &'a str,
    pub(crate) method: &'a str,
    /// Whose identity was used.
    pub(crate) provider: &'a str,
}

/// Writes everything a sign-in writes, in one statement.
pub(crate) async fn open(
    conn: &impl GenericClient,
    session: &NewSession<'_>,
    now: Timestamp,
) -> Result<()> {
    queries::open_session()
        .bind(
            conn,
            &session.id,
            &session.user_id,
            &now,
            &session.not_after,
            &session.user_agent,
            &session.address,
            &session.tag,
            &session.hmac_key,
            &session.method,
            &session.provider,
        )
        .opt()
        .await?;
    Ok(())
}

/// Who refreshes, and from where.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen<'a> {
    pub(crate) user_agent: Option<&'a str>,
    pub(crate) address: Option<&'a str>,
}

/// Moves the session to its next refresh token, if nobody was faster, and writes the audit entry.
pub(crate) async fn advance(
    conn: &impl GenericClient,
    id: Uuid,
    counter: i64,
    seen: Seen<'_>,
    (entry, audited): (&Entry, bool),
) -> Result<bool> {
    let advanced = queries::advance()
        .bind(
            conn,
            &without_zone(entry.at),
            &entry.at,
            &seen.user_agent,
            &seen.address,
            &id,
            &counter,
            &entry.id,
            &entry.payload,
            &entry.address,
            &audited,
        )
        .one()
        .await?;
    Ok(advanced > 0)
}

/// What moves a session of the older kind to the present one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Upgrade<'a> {
    pub(crate) session_id: Uuid,
    /// The token that was presented; it must not have been used.
    pub(crate) token: &'a str,
    /// Sealed.
    pub(crate) hmac_key: &'a str,
}

/// Gives a session of the older kind its key and the first counter, if nobody was faster, and writes
/// the audit entry.
pub(crate) async fn upgrade(
    conn: &impl GenericClient,
    upgrade: Upgrade<'_>,
    seen: Seen<'_>,
    (entry, audited): (&Entry, bool),
) -> Result<bool> {
    let upgraded = queries::upgrade()
        .bind(
            conn,
            &upgrade.hmac_key,
            &without_zone(entry.at),
            &entry.at,
            &seen.user_agent,
            &seen.address,
            &upgrade.session_id,
            &upgrade.token,
            &entry.id,
            &entry.payload,
            &entry.address,
            &audited,
        )
        .one()
        .await?;
    Ok(upgraded > 0)
}

/// Whether the same user has a session with one of these tags that was used later.
pub(crate) async fn has_newer(
    conn: &impl GenericClient,
    (user_id, id): (Uuid, Uuid),
    tags: &[String],
    used_at: Timestamp,
    now: Timestamp,
) -> Result<bool> {
    Ok(queries::has_newer()
        .bind(conn, &user_id, &id, &tags, &now, &used_at)
        .one()
        .await?)
}

/// Ends a session.
pub(crate) async fn delete(conn: &impl GenericClient, id: Uuid) -> Result<()> {
    queries::delete_session().bind(conn, &id).await?;
    Ok(())
}

/// Ends all sessions of a user.
pub(crate) async fn delete_of_user(conn: &impl GenericClient, user_id: Uuid) -> Result<u64> {
    Ok(queries::delete_of_user().bind(conn, &user_id).await?)
}

/// Ends one session, if it is this user's; says whether it was.
pub(crate) async fn delete_one_of_user(
    conn: &impl GenericClient,
    user_id: Uuid,
    id: Uuid,
) -> Result<bool> {
    let ended = queries::delete_one_of_user()
        .bind(conn, &user_id, &id)
        .await?;
    Ok(ended > 0)
}

/// Ends all sessions of a user but one.
pub(crate) async fn delete_others_of_user(
    conn: &impl GenericClient,
    user_id: Uuid,
    kept: Uuid,
) -> Result<u64> {
    Ok(queries::delete_others_of_user()
        .bind(conn, &user_id, &kept)
        .await?)
}

/// A session as its user or an admin sees it.
#[derive(Debug, Serialize, schemars::JsonSchema)]
#[schemars(rename = "SessionInfo")]
pub(crate) struct Listed {
    id: Uuid,
    created_at: Option<Timestamp>,
    updated_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refreshed_at: Option<Timestamp>,
    aal: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_after: Option<Timestamp>,
    user_agent: Option<String>,
    ip: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tag: Option<String>,
    /// Whether it is the session that asks.
    current: bool,
}

/// The sessions of a user, the one used last first.
pub(crate) async fn list_of_user(
    conn: &impl GenericClient,
    user_id: Uuid,
    current: Option<Uuid>,
) -> Result<Vec<Listed>> {
    let rows = queries::list_of_user().bind(conn, &user_id).all().await?;
    Ok(rows
        .into_iter()
        .map(|row| Listed {
            id: row.id,
            created_at: row.created_at,
            updated_at: row.updated_at,
            refreshed_at: row.refreshed_at.and_then(in_utc),
            aal: row.aal.unwrap_or_else(|| "aal1".to_owned()),
            not_after: row.not_after,
            user_agent: row.user_agent,
            ip: row.ip,
            tag: row.tag,
            current: current == Some(row.id),
        })
        .collect())
}

/// The column `refreshed_at` has no zone and holds UTC.
fn without_zone(at: Timestamp) -> DateTime {
    TimeZone::UTC.to_datetime(at)
}

fn in_utc(at: DateTime) -> Option<Timestamp> {
    TimeZone::UTC.to_timestamp(at).ok()
}
