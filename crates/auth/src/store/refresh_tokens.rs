//! `refresh_tokens`: GoTrue's refresh tokens of the v1 format, in databases that GoTrue used before or still uses.
//! They are written only in the gotrue profile, until the take-over is finished.

use innkeeper_service::database::{Executor, rows, statements};
use jiff::Timestamp;
use jiff::civil::DateTime;
use serde_json::Value;
use uuid::Uuid;

use super::Result;
use super::audit::NewAuditEntry;
use super::sessions::{RefreshClient, without_zone};

rows! {
    /// A token.
    #[derive(Debug)]
    pub(crate) struct TokenRow {
        pub(crate) id: i64,
        pub(crate) revoked: Option<bool>,
        pub(crate) session_id: Option<Uuid>,
        pub(crate) updated_at: Option<Timestamp>,
        /// Whether GoTrue will not be used any more.
        pub(crate) is_taken_over: bool,
    }

    /// An unused token.
    #[derive(Debug)]
    pub(crate) struct ActiveRow {
        pub(crate) token: Option<String>,
        pub(crate) parent: Option<String>,
    }
}

statements! {
    /// Finds a token.
    pub(crate) async fn find_by_token(token: &str) -> Option<TokenRow> {
        "select t.id, t.revoked, t.session_id, t.updated_at,
                exists (select 1 from innkeeper_takeover where finished_at is not null) as is_taken_over
           from refresh_tokens t
          where t.token = :token"
    }

    /// Finds the newest unused token of a session.
    pub(crate) async fn find_active(session_id: Uuid) -> Option<ActiveRow> {
        "select t.token, t.parent
           from refresh_tokens t
          where t.session_id = :session_id
            and t.revoked is not true
          order by t.id desc
          limit 1"
    }

    /// Exchanges an unused token for this one, and writes the audit entry if `is_audited`. Returns `false` and
    /// changes nothing if another request was faster.
    pub(crate) async fn exchange(
        token: &str, next: &str, client: RefreshClient<'_>, entry: &NewAuditEntry, is_audited: bool,
    ) -> bool
    where {
        token: &str,
        next: &str,
        refreshed_at: DateTime = without_zone(entry.at),
        now: Timestamp = entry.at,
        user_agent: Option<&str> = client.user_agent,
        ip: Option<&str> = client.address,
        audit_id: Uuid = entry.id,
        audit_payload: &Value = &entry.payload,
        audit_address: &str = &entry.address,
        audited: bool = is_audited,
    }
    { include_str!("refresh_tokens/exchange.sql") }

    async fn count_adopted(token: &str, session_id: Uuid, now: Timestamp) -> u64 {
        include_str!("refresh_tokens/adopt_family.sql")
    }

    /// Returns the id of a session's newest token.
    pub(crate) async fn newest_of_session(session_id: Uuid) -> Option<i64> {
        "select t.id from refresh_tokens t where t.session_id = :session_id order by t.id desc limit 1"
    }
}

/// Assigns the whole family of a token to one session: to a session that one of its tokens already has,
/// or else to this new one. Returns whether any token was without a session.
pub(crate) async fn adopt_family(
    conn: &dyn Executor,
    token: &str,
    session_id: Uuid,
    now: Timestamp,
) -> Result<bool> {
    Ok(count_adopted(conn, token, session_id, now).await? > 0)
}
