//! `POST /logout`: ends sessions of the caller.

use std::sync::Arc;

use innkeeper_rest::{Response, resource};

use crate::app::App;
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::flow::caller::AccessToken;
use crate::flow::session::end::{self, LogoutScope};

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
        let scope = LogoutScope::parse(scope).ok_or_else(|| {
            AuthError::validation(format!("Unsupported logout scope \"{scope}\""))
        })?;
        let caller = token.caller(&self.app, &client).await?;
        end::end(&self.app, &caller, scope, &client).await?;
        Ok(Response::no_content())
    }
}
