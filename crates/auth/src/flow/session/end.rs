//! The end of sessions by their user.

use uuid::Uuid;

use crate::app::App;
use crate::app::audit::AuditAction;
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::flow::caller::Caller;
use crate::flow::user::User;
use crate::store;

/// Which sessions of the caller end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogoutScope {
    /// All of them.
    Global,
    /// That of the caller.
    Local,
    /// All but that of the caller.
    Others,
}

impl LogoutScope {
    pub(crate) fn parse(name: &str) -> Option<Self> {
        match name {
            "global" => Some(Self::Global),
            "local" => Some(Self::Local),
            "others" => Some(Self::Others),
            _ => None,
        }
    }
}

/// Ends sessions of the caller. Without a session of their own, callers end all.
pub(crate) async fn end(
    app: &App,
    caller: &Caller,
    scope: LogoutScope,
    client: &ClientInfo,
) -> Result<()> {
    let user = &caller.user;
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    match (scope, &caller.session) {
        (LogoutScope::Local, Some(session)) => {
            store::sessions::delete(&tx, session.id).await?;
        }
        (LogoutScope::Others, Some(session)) => {
            store::sessions::delete_others_of_user(&tx, user.id, session.id).await?;
        }
        _ => {
            store::sessions::delete_of_user(&tx, user.id).await?;
        }
    }
    app.audit(&tx, AuditAction::Logout, user, client).await?;
    tx.commit().await?;
    Ok(())
}

/// Ends one session of a user; 404 if the user has no such session.
pub(crate) async fn end_one(app: &App, user: &User, id: Uuid, client: &ClientInfo) -> Result<()> {
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    if !store::sessions::delete_one_of_user(&tx, user.id, id).await? {
        return Err(AuthError::refused(
            ErrorCode::SessionNotFound,
            "Session not found",
        ));
    }
    app.audit(&tx, AuditAction::Logout, user, client).await?;
    tx.commit().await?;
    Ok(())
}
