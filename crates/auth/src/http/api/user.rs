//! `GET` and `PUT /user`: the caller's own account, and its sessions.

use std::sync::Arc;

use innkeeper_rest::{Response, resource};
use schemars::JsonSchema;
use serde::Serialize;

use super::body::JsonBody;
use crate::app::App;
use crate::base::client::ClientInfo;
use crate::base::error::Result;
use crate::base::input::parse_id;
use crate::flow::caller::{AccessToken, Caller};
use crate::flow::session::end;
use crate::flow::user::User;
use crate::flow::user::change::{self, UserChange};
use crate::store;
use crate::store::sessions::SessionInfo;

pub(crate) struct UserResource {
    pub(crate) app: Arc<App>,
}

/// The sessions of an account.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Sessions {
    pub(crate) sessions: Vec<SessionInfo>,
}

#[resource("/")]
#[security(bearer)]
impl UserResource {
    /// Returns the caller's account.
    #[get]
    async fn show(&self, #[value] token: AccessToken, #[value] client: ClientInfo) -> Result<User> {
        let user = token.caller(&self.app, &client).await?.user;
        token.check_audience(&self.app, &client)?;
        Ok(user)
    }

    /// Changes the caller's account.
    #[put]
    async fn change(
        &self,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
        #[entity] body: JsonBody<UserChange>,
    ) -> Result<User> {
        let caller = token.caller(&self.app, &client).await?;
        change::change(&self.app, &caller, body.0, &client).await
    }

    /// Returns the caller's sessions, the most recently used first.
    #[get("/sessions")]
    async fn sessions(
        &self,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
    ) -> Result<Sessions> {
        let caller = token.caller(&self.app, &client).await?;
        let sessions = sessions_of(&self.app, &caller).await?;
        Ok(Sessions { sessions })
    }

    /// Ends one of the caller's sessions.
    #[delete("/sessions/{id}")]
    #[responds(204)]
    async fn end_session(
        &self,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
        id: String,
    ) -> Result<Response> {
        let user = token.caller(&self.app, &client).await?.user;
        let id = parse_id(&id, "session_id")?;
        end::end_one(&self.app, &user, id, &client).await?;
        Ok(Response::no_content())
    }
}

/// Lists the sessions of a caller, the most recently used first.
pub(crate) async fn sessions_of(app: &App, caller: &Caller) -> Result<Vec<SessionInfo>> {
    let conn = app.shared().await?;
    let current = caller.session.as_ref().map(|session| session.id);
    Ok(store::sessions::list_of_user(&conn, caller.user.id, current).await?)
}
