//! `DELETE /admin/users/{id}`: an operator deletes an account.

use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use innkeeper_service::database::{DatabaseError, Executor};
use tokio_postgres::error::SqlState;
use uuid::Uuid;

use super::User;
use super::admin::{require_user, user_traits};
use crate::app::App;
use crate::app::audit::{Actor, AuditAction};
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::config::Profile;
use crate::crypto::jwt::Claims;
use crate::store;
use crate::store::users::AnonymisedContacts;

/// The length of the column of phone numbers.
const MAX_PHONE: usize = 15;

/// Deletes an account or, with `soft`, everything in it that identifies its user.
pub(crate) async fn delete(
    app: &App,
    id: Uuid,
    soft: bool,
    operator: &Claims,
    client: &ClientInfo,
) -> Result<()> {
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let user = require_user(store::users::lock_by_id(&tx, id).await?)?;
    let actor = Actor::Operator(operator);
    app.audit_as(
        &tx,
        AuditAction::UserDeleted,
        user_traits(&user),
        actor,
        client,
    )
    .await?;
    if soft {
        soft_delete(app, &tx, &user).await?;
    } else {
        store::users::delete(&tx, id).await.map_err(referenced)?;
    }
    tx.commit()
        .await
        .map_err(|error| referenced(error.into()))?;
    Ok(())
}

/// Converts the violation of a foreign key: tables of the application may refer to accounts.
fn referenced(error: DatabaseError) -> AuthError {
    let DatabaseError::Sql(cause) = &error else {
        return error.into();
    };
    let table = match cause.as_db_error() {
        Some(cause) if *cause.code() == SqlState::FOREIGN_KEY_VIOLATION => cause.table(),
        _ => return error.into(),
    };
    let table = table.unwrap_or("another table");
    AuthError::refused(
        ErrorCode::Conflict,
        format!("The user cannot be deleted: rows of {table} still refer to it"),
    )
}

async fn soft_delete(app: &App, tx: &dyn Executor, user: &User) -> Result<()> {
    if user.deleted_at.is_some() {
        return Ok(());
    }
    let now = app.clock.now();
    let id = user.id;
    store::one_time_tokens::clear_all(tx, id).await?;
    store::sessions::delete_of_user(tx, id).await?;
    store::users::delete_factors(tx, id).await?;
    // GoTrue hides what the user does not have, too.
    let hides_everything = app.config.profile == Profile::Gotrue;
    let hidden = |text: &str| {
        if text.is_empty() && !hides_everything {
            String::new()
        } else {
            anonymous(id, text)
        }
    };
    let short = |text: &str| {
        let mut hidden = hidden(text);
        hidden.truncate(MAX_PHONE);
        hidden
    };
    let contacts = AnonymisedContacts {
        email: Some(hidden(&user.email)).filter(|text| !text.is_empty()),
        phone: Some(short(&user.phone)).filter(|text| !text.is_empty()),
        email_change: hidden(&user.new_email),
        phone_change: short(&user.new_phone),
    };
    store::users::soft_delete(tx, id, &contacts, now).await?;
    for identity in user.identities.iter().flatten() {
        let subject = anonymous(id, &format!("{}:{}", identity.provider, identity.id));
        store::identities::anonymise(tx, identity.identity_id, &subject, now).await?;
    }
    Ok(())
}

/// Returns a hash that replaces an identifying text.
fn anonymous(id: Uuid, text: &str) -> String {
    URL_SAFE_NO_PAD.encode(digest(&SHA256, format!("{id}{text}").as_bytes()))
}
