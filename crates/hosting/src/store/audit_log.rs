//! `audit_log`: who did what.

use innkeeper_service::database::statements;
use jiff::Timestamp;
use serde_json::Value;

use crate::model::AuditEntry;

statements! {
    /// Adds an entry.
    pub(crate) async fn insert(entry: &AuditEntry)
    where {
        at: Timestamp = entry.at,
        customer_id: Option<&str> = entry.customer_id.as_deref(),
        actor: &str = entry.actor.as_str(),
        event: &str = entry.event,
        target: Option<&str> = entry.target.as_deref(),
        address: Option<String> = entry.address.map(|address| address.to_string()),
        request_id: Option<&str> = entry.request_id.as_deref(),
        outcome: &str = &entry.outcome,
        details: &Value = &entry.details,
    }
    {
        "insert into audit_log
                (at, customer_id, actor, event, target, address, request_id, outcome, details)
         values (:at, :customer_id, :actor, :event, :target, :address, :request_id, :outcome, :details)"
    }

    /// Deletes the entries before a time.
    pub(crate) async fn delete_before(before: Timestamp) -> u64 {
        "delete from audit_log where at < :before"
    }
}
