//! `audit_log_entries`: the audit log.

use innkeeper_service::database::{rows, statements};
use jiff::Timestamp;
use serde_json::Value;
use uuid::Uuid;

/// Whether an entry matches the filter.
const MATCHES: &str = "(:author = ''
        or a.payload ->> 'actor_username' ilike '%' || :author || '%'
        or a.payload ->> 'actor_name' ilike '%' || :author || '%')
   and (:action = '' or a.payload ->> 'action' ilike '%' || :action || '%')
   and (:log_type = '' or a.payload ->> 'log_type' ilike '%' || :log_type || '%')";

/// An entry to be written.
#[derive(Debug)]
pub(crate) struct NewAuditEntry {
    pub(crate) id: Uuid,
    pub(crate) payload: Value,
    pub(crate) at: Timestamp,
    /// The client's IP address, or the empty string.
    pub(crate) address: String,
}

/// Selects entries. An empty field matches every entry.
#[derive(Debug, Default)]
pub(crate) struct AuditFilter {
    pub(crate) author: String,
    pub(crate) action: String,
    pub(crate) log_type: String,
}

rows! {
    /// An entry of the audit log.
    #[derive(Debug, serde::Serialize, schemars::JsonSchema)]
    pub(crate) struct AuditEntry {
        id: Uuid,
        payload: Value,
        created_at: Option<Timestamp>,
        ip_address: String,
    }
}

impl AuditEntry {
    /// Returns the name of the action.
    pub(crate) fn action(&self) -> &str {
        let action = self.payload.get("action").and_then(Value::as_str);
        action.unwrap_or_default()
    }

    /// Leaves the address of the client out.
    pub(crate) fn hide_address(&mut self) {
        self.ip_address.clear();
    }
}

statements! {
    /// Adds an entry.
    pub(crate) async fn insert(entry: &NewAuditEntry)
    where {
        id: Uuid = entry.id,
        payload: &Value = &entry.payload,
        at: Timestamp = entry.at,
        address: &str = &entry.address,
    }
    {
        "insert into audit_log_entries
                (instance_id, id, payload, created_at, ip_address)
         values ('00000000-0000-0000-0000-000000000000', :id, :payload, :at, :address)"
    }

    /// Returns one page of entries, newest first.
    pub(crate) async fn list(filter: &AuditFilter, limit: i64, offset: i64) -> Vec<AuditEntry>
    where {
        author: &str = &filter.author,
        action: &str = &filter.action,
        log_type: &str = &filter.log_type,
        limit: i64,
        offset: i64,
    }
    {
        "select a.id, coalesce(a.payload, 'null') as payload, a.created_at, a.ip_address
           from audit_log_entries a
          where",
        MATCHES,
        "order by a.created_at desc, a.id limit :limit offset :offset"
    }

    /// Counts the entries that match a filter.
    pub(crate) async fn count(filter: &AuditFilter) -> i64
    where {
        author: &str = &filter.author,
        action: &str = &filter.action,
        log_type: &str = &filter.log_type,
    }
    { "select count(*) from audit_log_entries a where", MATCHES }
}
