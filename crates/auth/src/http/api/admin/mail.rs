//! `/admin/mail`: the outbox.

use std::sync::Arc;

use innkeeper_rest::{Request, Response, resource};
use schemars::JsonSchema;
use serde::Serialize;

use super::paging::{describe_page, read_page, to_i64};
use crate::app::App;
use crate::base::error::Result;
use crate::base::input::non_empty;
use crate::base::input::parse_id;
use crate::outside::mail::{MailState, MailSummary};

pub(crate) struct Mail {
    pub(crate) app: Arc<App>,
}

/// A page of mails.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MailList")]
struct MailList {
    mails: Vec<MailSummary>,
}

#[resource("/mail")]
#[security(service)]
impl Mail {
    /// Returns a page of mails, newest first, without their content.
    #[get]
    #[responds(200, MailList)]
    async fn list(
        &self,
        #[param] page: Option<String>,
        #[param] per_page: Option<String>,
        #[param] state: Option<String>,
        #[request] request: &Request,
    ) -> Result<Response> {
        let page = read_page(request, page.as_deref(), per_page.as_deref())?;
        let state = non_empty(state.as_deref())
            .map(MailState::from_request)
            .transpose()?;
        let conn = self.app.shared().await?;
        let (limit, offset) = (to_i64(page.limit()), to_i64(page.offset()));
        let (mails, total) = self.app.mailer.list(&conn, state, limit, offset).await?;
        let response = describe_page(request, self.app.config.profile, &page, total);
        Ok(response.entity(MailList { mails }))
    }

    /// Sends a waiting or failed mail at once.
    #[post("/{mail_id}/retry")]
    async fn retry(&self, mail_id: String) -> Result<MailSummary> {
        let id = parse_id(&mail_id, "mail_id")?;
        let conn = self.app.shared().await?;
        self.app.mailer.retry(&conn, id).await
    }
}
