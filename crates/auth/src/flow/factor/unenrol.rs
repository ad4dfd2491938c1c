//! Removes a second factor.

use http::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::{FactorType, find, not_found, session_of};
use crate::app::App;
use crate::app::audit::{Actor, AuditAction};
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::flow::caller::Caller;
use crate::flow::user::{metadata, notify};
use crate::store;

/// The id of what was removed.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RemovedFactor")]
pub(crate) struct RemovedFactor {
    pub(super) id: Uuid,
}

/// Removes a factor of the caller. One that counts can only be removed by a session at the second level.
pub(crate) async fn unenrol(
    app: &App,
    caller: &Caller,
    factor_id: Uuid,
    client: &ClientInfo,
) -> Result<RemovedFactor> {
    let factor = find(&caller.user.factors, factor_id)?;
    let session = session_of(caller)?;
    if factor.is_verified() && !session.has_second_level() {
        return Err(AuthError::refused_as(
            StatusCode::UNPROCESSABLE_ENTITY,
            ErrorCode::InsufficientAal,
            "A verified factor can be removed at AAL2 only",
        ));
    }
    let kind = FactorType::parse(&factor.factor_type)?;
    let user = &caller.user;
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    if !store::factors::delete(&tx, factor.id, user.id, kind.method()).await? {
        return Err(not_found());
    }
    let mut traits = metadata::member("factor_id", factor.id.to_string());
    traits.insert("factor_status".to_owned(), factor.status.as_str().into());
    traits.insert("session_id".to_owned(), session.id.to_string().into());
    let (action, actor) = (AuditAction::FactorUnenrolled, Actor::User(user));
    app.audit_as(&tx, action, traits, actor, client).await?;
    // A factor that was never verified has protected nothing.
    if factor.is_verified() {
        notify::factor_unenrolled(app, &tx, user, kind.name(), client).await?;
    }
    tx.commit().await?;
    app.mailer.wake();
    Ok(RemovedFactor { id: factor.id })
}
