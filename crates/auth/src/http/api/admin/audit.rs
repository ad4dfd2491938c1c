//! `GET /admin/audit`: the audit log.

use std::sync::Arc;

use innkeeper_rest::{Request, Response, resource};

use super::paging::{describe_page, read_page, to_i64};
use crate::app::App;
use crate::base::error::{AuthError, Result};
use crate::base::input::{escape_like, non_empty};
use crate::config::Profile;
use crate::store;
use crate::store::audit::{AuditEntry, AuditFilter};

pub(crate) struct Audit {
    pub(crate) app: Arc<App>,
}

#[resource("/audit")]
#[security(service)]
impl Audit {
    /// Returns a page of the audit log, newest first.
    #[get]
    #[responds(200, Vec<AuditEntry>)]
    async fn list(
        &self,
        #[param] page: Option<String>,
        #[param] per_page: Option<String>,
        #[param] query: Option<String>,
        #[request] request: &Request,
    ) -> Result<Response> {
        let page = read_page(request, page.as_deref(), per_page.as_deref())?;
        let filter = parse_query(query.as_deref())?;
        let conn = self.app.shared().await?;
        let total = store::audit::count(&conn, &filter).await?;
        let (limit, offset) = (to_i64(page.limit()), to_i64(page.offset()));
        let mut entries = store::audit::list(&conn, &filter, limit, offset).await?;
        if self.app.config.profile == Profile::Gotrue {
            let hidden = entries.iter_mut().filter(|entry| hides_address(entry));
            hidden.for_each(AuditEntry::hide_address);
        }
        let response = describe_page(request, self.app.config.profile, &page, total);
        Ok(response.entity(entries))
    }
}

/// Whether GoTrue has no address in entries of this kind. The database and the log of the server have it.
fn hides_address(entry: &AuditEntry) -> bool {
    matches!(
        entry.action(),
        "login"
            | "logout"
            | "invite_accepted"
            | "user_signedup"
            | "user_invited"
            | "user_deleted"
            | "user_modified"
            | "user_recovery_requested"
            | "user_reauthenticate_requested"
            | "user_confirmation_requested"
            | "user_repeated_signup"
            | "user_updated_password"
            | "token_revoked"
            | "token_refreshed"
    )
}

/// Parses a query: `author:ada@example.com`, `action:login` or `type:account`; a part of the value is enough.
fn parse_query(query: Option<&str>) -> Result<AuditFilter> {
    let mut filter = AuditFilter::default();
    let Some(query) = non_empty(query) else {
        return Ok(filter);
    };
    let (column, value) = query.split_once(':').unwrap_or_default();
    let column = match column {
        "author" => &mut filter.author,
        "action" => &mut filter.action,
        "type" => &mut filter.log_type,
        _ => {
            return Err(AuthError::validation(format!(
                "Invalid query scope: {query}"
            )));
        }
    };
    *column = escape_like(value);
    Ok(filter)
}
