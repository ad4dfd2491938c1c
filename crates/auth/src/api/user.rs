//! `GET` and `PUT /user`: the caller's own account, and its sessions.

use std::sync::Arc;

use innkeeper_rest::{Response, resource};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::caller::Bearer;
use super::client::ClientInfo;
use super::input::Lenient;
use crate::app::App;
use crate::audit::Action;
use crate::error::{AuthError, Result};
use crate::store;
use crate::store::sessions::Listed;
use crate::user::User;
use crate::user::change::{self, Change};

pub(crate) struct UserResource {
    pub(crate) app: Arc<App>,
}

/// The sessions of an account.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Sessions {
    pub(crate) sessions: Vec<Listed>,
}

#[resource("/")]
#[security(bearer)]
impl UserResource {
    /// The caller's account.
    #[get]
    async fn show(&self, #[value] bearer: Bearer, #[value] client: ClientInfo) -> Result<User> {
        Ok(bearer.caller(&self.app, &client).await?.user)
    }

    /// Changes the caller's account.
    #[put]
    async fn change(
        &self,
        #[value] bearer: Bearer,
        #[value] client: ClientInfo,
        #[entity] body: Lenient<Change>,
    ) -> Result<User> {
        let caller = bearer.caller(&self.app, &client).await?;
        change::change(&self.app, &caller, body.0, &client).await
    }

    /// The caller's sessions, the one used last first.
    #[get("/sessions")]
    async fn sessions(
        &self,
        #[value] bearer: Bearer,
        #[value] client: ClientInfo,
    ) -> Result<Sessions> {
        let caller = bearer.caller(&self.app, &client).await?;
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
        #[value] bearer: Bearer,
        #[value] client: ClientInfo,
        id: String,
    ) -> Result<Response> {
        let user = bearer.caller(&self.app, &client).await?.user;
        let ended = end_session(&self.app, user.id, &id).await?;
        let conn = self.app.shared().await?;
        self.app
            .audit(&conn, Action::Logout, &user, &client)
            .await?;
        Ok(ended)
    }
}

/// Ends a session of a user, or 404.
pub(crate) async fn end_session(app: &App, user_id: Uuid, id: &str) -> Result<Response> {
    let id = parse_id(id, "session_id")?;
    let conn = app.shared().await?;
    if store::sessions::delete_one_of_user(&conn, user_id, id).await? {
        return Ok(Response::no_content());
    }
    Err(AuthError::refused(
        404,
        "session_not_found",
        "Session not found",
    ))
}

/// An id in a path; a malformed one is 404, as clients expect.
pub(crate) fn parse_id(text: &str, name: &str) -> Result<Uuid> {
    Uuid::parse_str(text).map_err(|_| {
        AuthError::refused(404, "validation_failed", format!("{name} must be an UUID"))
    })
}
