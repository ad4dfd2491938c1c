//! `innkeeper_recovery_codes`: codes that stand in for a second factor, each once.

use innkeeper_service::database::{rows, statements};
use jiff::Timestamp;
use serde_json::Value;
use uuid::Uuid;

use super::audit::NewAuditEntry;
use super::factors::RaisedRow;

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

rows! {
    /// How many codes a user has.
    #[derive(Debug)]
    pub(crate) struct StatusRow {
        pub(crate) set_id: Uuid,
        pub(crate) total: i64,
        /// The number of codes that were not used.
        pub(crate) remaining: i64,
    }
}

statements! {
    /// Returns how many codes a user has, if any.
    pub(crate) async fn find_status(user_id: Uuid) -> Option<StatusRow> {
        "select r.set_id, count(*) as total, count(*) filter (where r.used_at is null) as remaining
           from innkeeper_recovery_codes r
          where r.user_id = :user_id
          group by r.set_id"
    }

    /// Stores the keyed hashes of a new set of codes, in place of the former set.
    pub(crate) async fn replace(user_id: Uuid, set_id: Uuid, macs: &[Vec<u8>], now: Timestamp) {
        "with gone as (
                delete from innkeeper_recovery_codes
                 where user_id = :user_id)
         insert into innkeeper_recovery_codes (user_id, code_mac, set_id, created_at)
         select :user_id, mac, :set_id, :now
           from unnest(cast(:macs as bytea[])) as mac"
    }

    /// Deletes the codes of a user, and lowers the sessions that were raised with one.
    pub(crate) async fn delete(user_id: Uuid) {
        include_str!("recovery_codes/delete.sql")
    }

    /// Uses up a code and raises the session, and writes the audit entry if `is_audited`. Returns the key and the
    /// counter of the session's refresh tokens, no key if it has the token of version 1, or `None` if the code is
    /// wrong or was used.
    pub(crate) async fn use_up(code: &PresentedCode<'_>, entry: &NewAuditEntry, is_audited: bool) -> Option<RaisedRow>
    where {
        user_id: Uuid = code.user_id,
        session_id: Uuid = code.session_id,
        code_mac: &[u8] = code.code_mac,
        hmac_key: &str = code.hmac_key,
        v1_token: Option<&str> = code.v1_token,
        now: Timestamp = entry.at,
        audit_id: Uuid = entry.id,
        audit_payload: &Value = &entry.payload,
        audit_address: &str = &entry.address,
        audited: bool = is_audited,
    }
    { include_str!("recovery_codes/use_up.sql") }
}
