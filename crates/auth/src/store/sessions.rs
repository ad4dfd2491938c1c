//! `sessions` and `mfa_amr_claims`: sessions, and the methods with which they were opened.

use innkeeper_auth_queries::queries::sessions as queries;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use super::audit::NewAuditEntry;
use super::{GenericClient, Result};
use crate::model::Object;

/// A session to be opened.
#[derive(Debug)]
pub(crate) struct NewSession<'a> {
    pub(crate) id: Uuid,
    pub(crate) user_id: Uuid,
    pub(crate) not_after: Option<Timestamp>,
    pub(crate) user_agent: Option<&'a str>,
    pub(crate) address: Option<&'a str>,
    pub(crate) tag: Option<&'a str>,
    /// The key of the session's refresh tokens, as it is stored.
    pub(crate) hmac_key: &'a str,
    /// A token of version 1, which takes the place of the key beside a GoTrue that does not know version 2.
    pub(crate) v1_token: Option<&'a str>,
    pub(crate) method: &'a str,
    /// The provider of the identity that was used.
    pub(crate) provider: &'a str,
    /// The id of the user at the provider, if the provider may have several identities of the user.
    pub(crate) subject: Option<&'a str>,
    /// The new data of the identity, if it changes.
    pub(crate) identity_data: Option<&'a Object>,
    /// The PKCE flow whose code is used up.
    pub(crate) flow_id: Option<Uuid>,
    /// The passkey that was used.
    pub(crate) passkey: Option<PasskeyUse>,
}

/// What a signature tells about the passkey that has made it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PasskeyUse {
    pub(crate) id: Uuid,
    /// How often the passkey has signed; zero if its authenticator does not count.
    pub(crate) sign_count: u32,
    pub(crate) is_backed_up: bool,
}

/// The format of a session's refresh tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenFormat {
    /// Stored in `refresh_tokens`, as GoTrue did before schema version 20251007112900.
    V1,
    /// Signed with the session's key.
    V2,
}

/// Writes all changes of a sign-in, and the audit entry if `is_audited`, in one statement. Returns `None` and changes
/// nothing if the code of the flow was used before, or the passkey is gone or a copy of it was used.
pub(crate) async fn open(
    conn: &impl GenericClient,
    session: &NewSession<'_>,
    entry: &NewAuditEntry,
    is_audited: bool,
    now: Timestamp,
) -> Result<Option<TokenFormat>> {
    let data = session.identity_data.cloned().map(Value::Object);
    let opened = queries::open_session()
        .bind(
            conn,
            &session.flow_id,
            &session.passkey.map(|passkey| i64::from(passkey.sign_count)),
            &session.passkey.map(|passkey| passkey.is_backed_up),
            &now,
            &session.passkey.map(|passkey| passkey.id),
            &session.user_id,
            &session.v1_token,
            &session.id,
            &session.not_after,
            &session.user_agent,
            &session.address,
            &session.tag,
            &session.hmac_key,
            &session.method,
            &data,
            &session.provider,
            &session.subject,
            &entry.id,
            &entry.payload,
            &entry.address,
            &is_audited,
        )
        .opt()
        .await?;
    Ok(opened.map(|is_v1| {
        if is_v1 {
            TokenFormat::V1
        } else {
            TokenFormat::V2
        }
    }))
}

/// The client that refreshes a session.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RefreshClient<'a> {
    pub(crate) user_agent: Option<&'a str>,
    pub(crate) address: Option<&'a str>,
}

/// Moves the session to its next refresh token and writes the audit entry if `is_audited`. Returns `false`
/// and changes nothing if another request was faster.
pub(crate) async fn advance(
    conn: &impl GenericClient,
    id: Uuid,
    counter: i64,
    client: RefreshClient<'_>,
    entry: &NewAuditEntry,
    is_audited: bool,
) -> Result<bool> {
    let advanced = queries::advance()
        .bind(
            conn,
            &without_zone(entry.at),
            &entry.at,
            &client.user_agent,
            &client.address,
            &id,
            &counter,
            &entry.id,
            &entry.payload,
            &entry.address,
            &is_audited,
        )
        .one()
        .await?;
    Ok(advanced > 0)
}

/// The move of a session from refresh tokens of the v1 format to those of v2.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SessionUpgrade<'a> {
    pub(crate) session_id: Uuid,
    /// The v1 token that was presented. It must be unused.
    pub(crate) token: &'a str,
    /// The key of the session's v2 tokens, as it is stored.
    pub(crate) hmac_key: &'a str,
}

/// Gives a session its key and the first counter of v2 tokens, and writes the audit entry if `is_audited`.
/// Returns `false` and changes nothing if another request was faster.
pub(crate) async fn upgrade(
    conn: &impl GenericClient,
    upgrade: SessionUpgrade<'_>,
    client: RefreshClient<'_>,
    entry: &NewAuditEntry,
    is_audited: bool,
) -> Result<bool> {
    let upgraded = queries::upgrade()
        .bind(
            conn,
            &upgrade.hmac_key,
            &without_zone(entry.at),
            &entry.at,
            &client.user_agent,
            &client.address,
            &upgrade.session_id,
            &upgrade.token,
            &entry.id,
            &entry.payload,
            &entry.address,
            &is_audited,
        )
        .one()
        .await?;
    Ok(upgraded > 0)
}

/// Makes refreshes of a session wait until the transaction ends.
pub(crate) async fn lock(tx: &impl GenericClient, id: Uuid) -> Result<()> {
    queries::lock_session().bind(tx, &id).opt().await?;
    Ok(())
}

/// Returns whether the user has another session with one of these tags that was used later.
pub(crate) async fn has_newer(
    conn: &impl GenericClient,
    user_id: Uuid,
    id: Uuid,
    tags: &[String],
    used_at: Timestamp,
    now: Timestamp,
) -> Result<bool> {
    Ok(queries::has_newer()
        .bind(conn, &user_id, &id, &tags, &now, &used_at)
        .one()
        .await?)
}

/// Deletes a session.
pub(crate) async fn delete(conn: &impl GenericClient, id: Uuid) -> Result<()> {
    queries::delete_session().bind(conn, &id).await?;
    Ok(())
}

/// Deletes all sessions of a user, and returns how many.
pub(crate) async fn delete_of_user(conn: &impl GenericClient, user_id: Uuid) -> Result<u64> {
    Ok(queries::delete_of_user().bind(conn, &user_id).await?)
}

/// Deletes a session if it belongs to this user. Returns whether it did.
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

/// Deletes all sessions of a user except one, and returns how many.
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
pub(crate) struct SessionInfo {
    pub(crate) id: Uuid,
    pub(crate) created_at: Option<Timestamp>,
    pub(crate) updated_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) refreshed_at: Option<Timestamp>,
    pub(crate) aal: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) not_after: Option<Timestamp>,
    pub(crate) user_agent: Option<String>,
    pub(crate) ip: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tag: Option<String>,
    /// Whether this is the session of the request.
    pub(crate) current: bool,
}

/// Lists the sessions of a user, the last used first.
pub(crate) async fn list_of_user(
    conn: &impl GenericClient,
    user_id: Uuid,
    current: Option<Uuid>,
) -> Result<Vec<SessionInfo>> {
    let rows = queries::list_of_user().bind(conn, &user_id).all().await?;
    Ok(rows
        .into_iter()
        .map(|row| SessionInfo {
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

/// Converts a time for the column `refreshed_at`, which has no time zone and holds UTC.
pub(super) fn without_zone(at: Timestamp) -> DateTime {
    TimeZone::UTC.to_datetime(at)
}

fn in_utc(at: DateTime) -> Option<Timestamp> {
    TimeZone::UTC.to_timestamp(at).ok()
}
