//! `GET` and `PUT /user`: the caller's own account, and its sessions.

use std::sync::Arc;

use innkeeper_rest::{Response, resource};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::body::JsonBody;
use crate::app::App;
use crate::audit::AuditAction;
use crate::caller::AccessToken;
use crate::client::ClientInfo;
use crate::error::{AuthError, Result};
use crate::error_code::ErrorCode;
use crate::input::parse_id;
use crate::store;
use crate::store::sessions::SessionInfo;
use crate::user::User;
use crate::user::change::{self, UserChange};

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
        Ok(token.caller(&self.app, &client).await?.user)
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
        let conn = self.app.shared().await?;
        let current = caller.session.as_ref().map(|session| session.id);
        let sessions = store::sessions::list_of_user(&conn, caller.user.id, current).await?;
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
        let ended = end_session(&self.app, user.id, &id).await?;
        let conn = self.app.shared().await?;
        self.app
            .audit(&conn, AuditAction::Logout, &user, &client)
            .await?;
        Ok(ended)
    }
}

/// Ends a session of a user; 404 if it does not exist.
pub(crate) async fn end_session(app: &App, user_id: Uuid, id: &str) -> Result<Response> {
    let id = parse_id(id, "session_id")?;
    let conn = app.shared().await?;
    if store::sessions::delete_one_of_user(&conn, user_id, id).await? {
        return Ok(Response::no_content());
    }
    Err(AuthError::refused(
        ErrorCode::SessionNotFound,
        "Session not found",
    ))
}
