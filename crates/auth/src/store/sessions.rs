//! `sessions` and `mfa_amr_claims`: sessions, and the methods with which they were opened.

use innkeeper_service::database::{Executor, rows, statements};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::Serialize;
use serde_json::Value;
use tokio_postgres::types::Json;
use uuid::Uuid;

use super::Result;
use super::audit::NewAuditEntry;
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

/// The client that refreshes a session.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RefreshClient<'a> {
    pub(crate) user_agent: Option<&'a str>,
    pub(crate) address: Option<&'a str>,
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

statements! {
    async fn open_session(session: &NewSession<'_>, entry: &NewAuditEntry, is_audited: bool, now: Timestamp) -> Option<bool>
    where {
        id: Uuid = session.id,
        user_id: Uuid = session.user_id,
        now: Timestamp,
        not_after: Option<Timestamp> = session.not_after,
        user_agent: Option<&str> = session.user_agent,
        ip: Option<&str> = session.address,
        tag: Option<&str> = session.tag,
        hmac_key: &str = session.hmac_key,
        v1_token: Option<&str> = session.v1_token,
        method: &str = session.method,
        provider: &str = session.provider,
        subject: Option<&str> = session.subject,
        identity_data: Option<Json<&Object>> = session.identity_data.map(Json),
        flow_id: Option<Uuid> = session.flow_id,
        passkey_id: Option<Uuid> = session.passkey.map(|passkey| passkey.id),
        sign_count: Option<i64> = session.passkey.map(|passkey| passkey.sign_count.into()),
        backed_up: Option<bool> = session.passkey.map(|passkey| passkey.is_backed_up),
        audit_id: Uuid = entry.id,
        audit_payload: &Value = &entry.payload,
        audit_address: &str = &entry.address,
        audited: bool = is_audited,
    }
    { include_str!("sessions/open.sql") }

    /// Moves the session to its next refresh token and writes the audit entry if `is_audited`. Returns `false`
    /// and changes nothing if another request was faster.
    pub(crate) async fn advance(
        id: Uuid, counter: i64, client: RefreshClient<'_>, entry: &NewAuditEntry, is_audited: bool,
    ) -> bool
    where {
        id: Uuid,
        counter: i64,
        refreshed_at: DateTime = without_zone(entry.at),
        now: Timestamp = entry.at,
        user_agent: Option<&str> = client.user_agent,
        ip: Option<&str> = client.address,
        audit_id: Uuid = entry.id,
        audit_payload: &Value = &entry.payload,
        audit_address: &str = &entry.address,
        audited: bool = is_audited,
    }
    { include_str!("sessions/advance.sql") }

    /// Gives a session its key and the first counter of v2 tokens, and writes the audit entry if `is_audited`.
    /// Returns `false` and changes nothing if another request was faster.
    pub(crate) async fn upgrade(
        upgrade: SessionUpgrade<'_>, client: RefreshClient<'_>, entry: &NewAuditEntry, is_audited: bool,
    ) -> bool
    where {
        id: Uuid = upgrade.session_id,
        token: &str = upgrade.token,
        hmac_key: &str = upgrade.hmac_key,
        refreshed_at: DateTime = without_zone(entry.at),
        now: Timestamp = entry.at,
        user_agent: Option<&str> = client.user_agent,
        ip: Option<&str> = client.address,
        audit_id: Uuid = entry.id,
        audit_payload: &Value = &entry.payload,
        audit_address: &str = &entry.address,
        audited: bool = is_audited,
    }
    { include_str!("sessions/upgrade.sql") }

    /// Makes refreshes of a session wait until the transaction ends.
    pub(crate) async fn lock(id: Uuid) {
        "select true from sessions where id = :id for no key update"
    }

    /// Returns whether the user has another session with one of these tags that was used later.
    pub(crate) async fn has_newer(
        user_id: Uuid, id: Uuid, tags: &[String], used_at: Timestamp, now: Timestamp,
    ) -> bool {
        "select exists (
                  select 1
                    from sessions s
                   where s.user_id = :user_id
                     and s.id <> :id
                     and coalesce(s.tag, '') = any(:tags)
                     and (s.not_after is null or s.not_after > :now)
                     and coalesce(s.refreshed_at at time zone 'UTC', s.created_at) > :used_at)"
    }

    /// Deletes a session.
    pub(crate) async fn delete(id: Uuid) {
        "delete from sessions where id = :id"
    }

    /// Deletes all sessions of a user, and returns how many.
    pub(crate) async fn delete_of_user(user_id: Uuid) -> u64 {
        "delete from sessions where user_id = :user_id"
    }

    async fn count_deleted(user_id: Uuid, id: Uuid) -> u64 {
        "delete from sessions where user_id = :user_id and id = :id"
    }

    /// Deletes all sessions of a user except one, and returns how many.
    pub(crate) async fn delete_others_of_user(user_id: Uuid, kept: Uuid) -> u64 {
        "delete from sessions where user_id = :user_id and id <> :kept"
    }

    async fn sessions_of_user(user_id: Uuid) -> Vec<SessionRow> {
        "select s.id, s.created_at, s.updated_at, s.refreshed_at, s.aal::text as aal, s.not_after, s.user_agent,
                host(s.ip) as ip, s.tag
           from sessions s
          where s.user_id = :user_id
          order by coalesce(s.refreshed_at at time zone 'UTC', s.created_at) desc, s.id"
    }
}

/// Deletes a session if it belongs to this user. Returns whether it did.
pub(crate) async fn delete_one_of_user(
    conn: &dyn Executor,
    user_id: Uuid,
    id: Uuid,
) -> Result<bool> {
    Ok(count_deleted(conn, user_id, id).await? > 0)
}

/// Writes all changes of a sign-in, and the audit entry if `is_audited`, in one statement. Returns `None` and changes
/// nothing if the code of the flow was used before, or the passkey is gone or a copy of it was used.
pub(crate) async fn open(
    conn: &dyn Executor,
    session: &NewSession<'_>,
    entry: &NewAuditEntry,
    is_audited: bool,
    now: Timestamp,
) -> Result<Option<TokenFormat>> {
    let opened = open_session(conn, session, entry, is_audited, now).await?;
    Ok(opened.map(|is_v1| {
        if is_v1 {
            TokenFormat::V1
        } else {
            TokenFormat::V2
        }
    }))
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

rows! {
    struct SessionRow {
        id: Uuid,
        created_at: Option<Timestamp>,
        updated_at: Option<Timestamp>,
        refreshed_at: Option<DateTime>,
        aal: Option<String>,
        not_after: Option<Timestamp>,
        user_agent: Option<String>,
        ip: Option<String>,
        tag: Option<String>,
    }
}

/// Lists the sessions of a user, the last used first.
pub(crate) async fn list_of_user(
    conn: &dyn Executor,
    user_id: Uuid,
    current: Option<Uuid>,
) -> Result<Vec<SessionInfo>> {
    let rows = sessions_of_user(conn, user_id).await?;
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
