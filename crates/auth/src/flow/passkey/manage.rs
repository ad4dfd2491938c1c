//! Lists, renames and deletes passkeys, for their owners and for operators.

use http::StatusCode;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::check_level;
use crate::app::App;
use crate::app::audit::{Actor, AuditAction};
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::base::input::non_empty;
use crate::crypto::jwt::Claims;
use crate::flow::caller::Caller;
use crate::flow::user::admin::require_user;
use crate::flow::user::{Object, metadata};
use crate::store;
use crate::store::passkeys::PasskeyRow;

/// The longest name of a passkey, in characters.
const MAX_NAME: usize = 120;

/// A passkey, for its owner.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Passkey {
    pub(crate) id: Uuid,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) friendly_name: String,
    pub(crate) created_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last_used_at: Option<Timestamp>,
}

impl From<PasskeyRow> for Passkey {
    fn from(row: PasskeyRow) -> Self {
        Self {
            id: row.id,
            friendly_name: row.friendly_name,
            created_at: row.created_at,
            last_used_at: row.last_used_at,
        }
    }
}

/// The body of a change.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct PasskeyChange {
    /// A name by which the user knows the passkey, at most 120 characters.
    friendly_name: Option<String>,
}

impl PasskeyChange {
    /// Changes the name.
    pub(crate) fn to_name(name: String) -> Self {
        Self {
            friendly_name: Some(name),
        }
    }
}

/// Returns the passkeys of a user, the oldest first.
pub(crate) async fn list(app: &App, user_id: Uuid) -> Result<Vec<Passkey>> {
    let conn = app.shared().await?;
    let rows = store::passkeys::list(&conn, user_id).await?;
    Ok(rows.into_iter().map(Passkey::from).collect())
}

/// Changes the name of a passkey of the caller.
pub(crate) async fn rename(
    app: &App,
    caller: &Caller,
    id: Uuid,
    change: &PasskeyChange,
    client: &ClientInfo,
) -> Result<Passkey> {
    let name = non_empty(change.friendly_name.as_deref());
    let name = name.ok_or_else(|| AuthError::validation("friendly_name is required"))?;
    if name.chars().count() > MAX_NAME {
        return Err(AuthError::validation(
            "friendly_name must be 120 characters or less",
        ));
    }
    let user = &caller.user;
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let renamed = store::passkeys::rename(&tx, id, user.id, name, app.clock.now()).await?;
    let renamed = renamed.ok_or_else(not_found)?;
    let (action, actor) = (AuditAction::PasskeyUpdated, Actor::User(user));
    app.audit_as(&tx, action, traits(id), actor, client).await?;
    tx.commit().await?;
    Ok(renamed.into())
}

/// Deletes a passkey of the caller.
pub(crate) async fn delete(
    app: &App,
    caller: &Caller,
    id: Uuid,
    client: &ClientInfo,
) -> Result<()> {
    check_level(caller)?;
    let actor = Actor::User(&caller.user);
    remove(app, caller.user.id, id, traits(id), actor, client).await
}

/// Returns the passkeys of a user, for an operator.
pub(crate) async fn list_of_user(app: &App, user_id: Uuid) -> Result<Vec<Passkey>> {
    let conn = app.shared().await?;
    require_user(store::users::find_by_id(&conn, user_id).await?)?;
    list(app, user_id).await
}

/// Deletes a passkey of a user, for an operator.
pub(crate) async fn delete_of_user(
    app: &App,
    user_id: Uuid,
    id: Uuid,
    operator: &Claims,
    client: &ClientInfo,
) -> Result<()> {
    let conn = app.shared().await?;
    require_user(store::users::find_by_id(&conn, user_id).await?)?;
    let mut traits = traits(id);
    traits.insert("user_id".to_owned(), user_id.to_string().into());
    let actor = Actor::Operator(operator);
    remove(app, user_id, id, traits, actor, client).await
}

async fn remove(
    app: &App,
    user_id: Uuid,
    id: Uuid,
    traits: Object,
    actor: Actor<'_>,
    client: &ClientInfo,
) -> Result<()> {
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    if !store::passkeys::delete(&tx, id, user_id).await? {
        return Err(not_found());
    }
    let action = AuditAction::PasskeyDeleted;
    app.audit_as(&tx, action, traits, actor, client).await?;
    tx.commit().await?;
    Ok(())
}

fn traits(id: Uuid) -> Object {
    metadata::member("passkey_id", id.to_string())
}

/// Parses the id of a passkey. A malformed one belongs to nobody.
pub(crate) fn parse_passkey_id(text: &str) -> Result<Uuid> {
    Uuid::parse_str(text).map_err(|_| not_found())
}

/// 404, with the code that GoTrue has for it.
fn not_found() -> AuthError {
    AuthError::refused_as(
        StatusCode::NOT_FOUND,
        ErrorCode::ValidationFailed,
        "Passkey not found",
    )
}
