//! The command that reads the audit log.

use innkeeper_service::clock::Clock;
use serde_json::{Value, json};

use super::OperateError;
use super::users::page_bounds;
use crate::app::prepare::ready;
use crate::base::error::AuthError;
use crate::base::input::escape_like;
use crate::config::Config;
use crate::store;
use crate::store::audit::AuditFilter;

/// Selects a page of the audit log. A part of a value is enough.
#[derive(Debug, Clone, Default)]
pub struct AuditQuery {
    /// The email address, phone number or role of the actor.
    pub author: Option<String>,
    /// The action, such as `login`.
    pub action: Option<String>,
    /// The kind of action: `account`, `team`, `user`, `token` or `provider`.
    pub log_type: Option<String>,
    /// The number of entries on a page.
    pub limit: u32,
    /// The number of the page, from 1.
    pub page: u32,
}

/// Returns a page of entries as `/admin/audit` shows them, newest first, and the number of all of them as `total`.
pub async fn list_audit_log(
    config: &Config,
    clock: &Clock,
    query: &AuditQuery,
) -> Result<Value, OperateError> {
    let app = ready(config, clock).await?;
    let pattern = |text: &Option<String>| escape_like(text.as_deref().unwrap_or_default());
    let filter = AuditFilter {
        author: pattern(&query.author),
        action: pattern(&query.action),
        log_type: pattern(&query.log_type),
    };
    let conn = app.shared().await?;
    let (limit, offset) = page_bounds(query.limit, query.page);
    let bound = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    let total = store::audit::count(&conn, &filter).await;
    let total = total.map_err(AuthError::from)?;
    let entries = store::audit::list(&conn, &filter, bound(limit), bound(offset)).await;
    let entries = entries.map_err(AuthError::from)?;
    Ok(json!({ "entries": entries, "total": total }))
}
