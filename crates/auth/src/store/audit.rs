//! `audit_log_entries`: what happened, for operators.

use innkeeper_auth_queries::queries::audit_log_entries as queries;
use jiff::Timestamp;
use serde_json::Value;
use uuid::Uuid;

use super::{GenericClient, Result};
use crate::audit::Entry;

/// Which entries are wanted; an empty text means all.
#[derive(Debug, Default)]
pub(crate) struct Wanted {
    pub(crate) author: String,
    pub(crate) action: String,
    pub(crate) log_type: String,
}

/// An entry as it is listed.
#[derive(Debug, serde::Serialize, schemars::JsonSchema)]
#[schemars(rename = "AuditEntry")]
pub(crate) struct Listed {
    id: Uuid,
    payload: Value,
    created_at: Option<Timestamp>,
    ip_address: String,
}

/// Adds an entry.
pub(crate) async fn insert(conn: &impl GenericClient, entry: &Entry) -> Result<()> {
    queries::insert_entry()
        .bind(conn, &entry.id, &entry.payload, &entry.at, &entry.address)
        .one()
        .await?;
    Ok(())
}

/// One page of entries, newest first.
pub(crate) async fn list(
    conn: &impl GenericClient,
    wanted: &Wanted,
    size: i64,
    skipped: i64,
) -> Result<Vec<Listed>> {
    let Wanted {
        author,
        action,
        log_type,
    } = wanted;
    let rows = queries::list_entries()
        .bind(conn, author, action, log_type, &size, &skipped)
        .all()
        .await?;
    Ok(rows
        .into_iter()
        .map(|row| Listed {
            id: row.id,
            payload: row.payload.unwrap_or_default(),
            created_at: row.created_at,
            ip_address: row.ip_address,
        })
        .collect())
}

/// How many entries there are.
pub(crate) async fn count(conn: &impl GenericClient, wanted: &Wanted) -> Result<i64> {
    let Wanted {
        author,
        action,
        log_type,
    } = wanted;
    let total = queries::count_entries()
        .bind(conn, author, action, log_type)
        .one()
        .await?;
    Ok(total)
}
