//! Second factors of users, for operators.

use innkeeper_service::database::{Executor, Transaction};
use schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

use super::{FactorType, find, name_conflict, not_found};
use crate::app::App;
use crate::app::audit::{Actor, AuditAction};
use crate::base::client::ClientInfo;
use crate::base::contact::Phone;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::base::input::non_empty;
use crate::crypto::jwt::Claims;
use crate::flow::user::admin::require_user;
use crate::flow::user::{Object, User, metadata};
use crate::model::Factor;
use crate::store;

/// The body of a change.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct FactorChange {
    friendly_name: Option<String>,
    /// The number of a phone factor.
    phone: Option<String>,
}

/// Returns the factors of a user.
pub(crate) async fn list(app: &App, user_id: Uuid) -> Result<Vec<Factor>> {
    let conn = app.shared().await?;
    Ok(read_user(&conn, user_id).await?.factors)
}

/// Changes the name or the number of a factor, and returns it.
pub(crate) async fn update(
    app: &App,
    user_id: Uuid,
    id: Uuid,
    change: &FactorChange,
    operator: &Claims,
    client: &ClientInfo,
) -> Result<Factor> {
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let user = read_user(&tx, user_id).await?;
    let factor = find(&user.factors, id)?;
    let kind = FactorType::parse(&factor.factor_type)?;
    let name = non_empty(change.friendly_name.as_deref());
    let phone = non_empty(change.phone.as_deref()).filter(|_| kind == FactorType::Phone);
    let phone = phone.map(Phone::parse).transpose()?;
    let phone = phone.as_ref().map(Phone::as_str);
    store::factors::update(&tx, id, user_id, name, phone, app.clock.now())
        .await
        .map_err(|error| match error.constraint() {
            Some("mfa_factors_user_friendly_name_unique") => {
                name_conflict(name.unwrap_or_default())
            }
            Some("unique_phone_factor_per_user") => AuthError::refused(
                ErrorCode::MfaVerifiedFactorExists,
                "Another factor of the user has this phone number",
            ),
            _ => error.into(),
        })?;
    let traits = traits(&user, factor);
    write_entry(
        app,
        &tx,
        AuditAction::FactorUpdated,
        traits,
        operator,
        client,
    )
    .await?;
    let changed = read_user(&tx, user_id).await?;
    tx.commit().await?;
    find(&changed.factors, id).cloned()
}

/// Removes a factor, and returns it.
pub(crate) async fn delete(
    app: &App,
    user_id: Uuid,
    id: Uuid,
    operator: &Claims,
    client: &ClientInfo,
) -> Result<Factor> {
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let user = read_user(&tx, user_id).await?;
    let factor = find(&user.factors, id)?;
    let kind = FactorType::parse(&factor.factor_type)?;
    if !store::factors::delete(&tx, id, user_id, kind.method()).await? {
        return Err(not_found());
    }
    let traits = traits(&user, factor);
    write_entry(
        app,
        &tx,
        AuditAction::FactorDeleted,
        traits,
        operator,
        client,
    )
    .await?;
    tx.commit().await?;
    Ok(factor.clone())
}

async fn read_user(conn: &dyn Executor, id: Uuid) -> Result<User> {
    require_user(store::users::find_by_id(conn, id).await?)
}

fn traits(user: &User, factor: &Factor) -> Object {
    let mut traits = metadata::member("user_id", user.id.to_string());
    traits.insert("factor_id".to_owned(), factor.id.to_string().into());
    traits.insert("factor_type".to_owned(), factor.factor_type.as_str().into());
    traits
}

async fn write_entry(
    app: &App,
    tx: &Transaction<'_>,
    action: AuditAction,
    traits: Object,
    operator: &Claims,
    client: &ClientInfo,
) -> Result<()> {
    let actor = Actor::Operator(operator);
    app.audit_as(tx, action, traits, actor, client).await
}
