//! `POST /logout`: ends sessions of the caller.

use std::sync::Arc;

use innkeeper_rest::{Response, resource};

use crate::app::App;
use crate::audit::AuditAction;
use crate::caller::AccessToken;
use crate::client::ClientInfo;
use crate::error::{AuthError, Result};
use crate::store;

pub(crate) struct Logout {
    pub(crate) app: Arc<App>,
}

#[resource("/")]
#[security(bearer)]
impl Logout {
    /// Ends all sessions of the caller, this one, or the others.
    #[post]
    #[responds(204)]
    async fn end(
        &self,
        #[param] scope: Option<String>,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
    ) -> Result<Response> {
        let scope = scope.as_deref().filter(|scope| !scope.is_empty());
        let scope = scope.unwrap_or("global");
        if !["global", "local", "others"].contains(&scope) {
            return Err(AuthError::validation(format!(
                "Unsupported logout scope \"{scope}\""
            )));
        }
        let caller = token.caller(&self.app, &client).await?;
        let user = &caller.user;
        let mut conn = self.app.connection().await?;
        let tx = conn.transaction().await?;
        match (scope, &caller.session) {
            ("local", Some(session)) => {
                store::sessions::delete(&tx, session.id).await?;
            }
            ("others", Some(session)) => {
                store::sessions::delete_others_of_user(&tx, user.id, session.id).await?;
            }
            _ => {
                store::sessions::delete_of_user(&tx, user.id).await?;
            }
        }
        self.app
            .audit(&tx, AuditAction::Logout, user, &client)
            .await?;
        tx.commit().await?;
        Ok(Response::no_content())
    }
}
