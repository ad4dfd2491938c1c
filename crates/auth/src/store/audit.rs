//! `audit_log_entries`: the audit log.

use innkeeper_auth_queries::queries::audit_log_entries as queries;
use jiff::Timestamp;
use serde_json::Value;
use uuid::Uuid;

use super::{GenericClient, Result};

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

/// An entry of the audit log.
#[derive(Debug, serde::Serialize, schemars::JsonSchema)]
pub(crate) struct AuditEntry {
    id: Uuid,
    payload: Value,
    created_at: Option<Timestamp>,
    ip_address: String,
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

/// Adds an entry.
pub(crate) async fn insert(conn: &impl GenericClient, entry: &NewAuditEntry) -> Result<()> {
    queries::insert_entry()
        .bind(conn, &entry.id, &entry.payload, &entry.at, &entry.address)
        .one()
        .await?;
    Ok(())
}

/// Returns one page of entries, newest first.
pub(crate) async fn list(
    conn: &impl GenericClient,
    filter: &AuditFilter,
    limit: i64,
    offset: i64,
) -> Result<Vec<AuditEntry>> {
    let AuditFilter {
        author,
        action,
        log_type,
    } = filter;
    let rows = queries::list_entries()
        .bind(conn, author, action, log_type, &limit, &offset)
        .all()
        .await?;
    Ok(rows
        .into_iter()
        .map(|row| AuditEntry {
            id: row.id,
            payload: row.payload.unwrap_or_default(),
            created_at: row.created_at,
            ip_address: row.ip_address,
        })
        .collect())
}

/// Counts the entries that match a filter.
pub(crate) async fn count(conn: &impl GenericClient, filter: &AuditFilter) -> Result<i64> {
    let AuditFilter {
        author,
        action,
        log_type,
    } = filter;
    let total = queries::count_entries()
        .bind(conn, author, action, log_type)
        .one()
        .await?;
    Ok(total)
}
