//! `/admin/users/{id}/sessions`: an operator reads the sessions of a user, and signs the user out.

use uuid::Uuid;

use super::{require_user, user_traits};
use crate::app::App;
use crate::app::audit::{Actor, AuditAction};
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::crypto::jwt::Claims;
use crate::store;
use crate::store::sessions::SessionInfo;

/// Returns the sessions of an account, the last used first.
pub(crate) async fn list(app: &App, user_id: Uuid) -> Result<Vec<SessionInfo>> {
    let conn = app.shared().await?;
    require_user(store::users::find_by_id(&conn, user_id).await?)?;
    Ok(store::sessions::list_of_user(&conn, user_id, None).await?)
}

/// Ends one session of an account, or all of them.
pub(crate) async fn end(
    app: &App,
    user_id: Uuid,
    session_id: Option<Uuid>,
    operator: &Claims,
    client: &ClientInfo,
) -> Result<()> {
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let user = require_user(store::users::find_by_id(&tx, user_id).await?)?;
    match session_id {
        None => {
            store::sessions::delete_of_user(&tx, user_id).await?;
        }
        Some(id) => {
            if !store::sessions::delete_one_of_user(&tx, user_id, id).await? {
                return Err(AuthError::refused(
                    ErrorCode::SessionNotFound,
                    "Session not found",
                ));
            }
        }
    }
    let actor = Actor::Operator(operator);
    app.audit_as(&tx, AuditAction::Logout, user_traits(&user), actor, client)
        .await?;
    tx.commit().await?;
    Ok(())
}
