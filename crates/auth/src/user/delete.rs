//! `DELETE /admin/users/{id}`.

use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use innkeeper_service::database::DatabaseError;
use tokio_postgres::error::SqlState;
use uuid::Uuid;

use super::User;
use super::admin::{about, found};
use crate::app::App;
use crate::audit::{Action, Actor};
use crate::client::ClientInfo;
use crate::error::{AuthError, Result};
use crate::error_code::ErrorCode;
use crate::jwt::Claims;
use crate::store::users::AnonymisedContacts;
use crate::store::{self, GenericClient};

/// The longest number the column takes.
const LONGEST_PHONE: usize = 15;

/// Deletes an account, or everything in it that says whose it was.
pub(crate) async fn delete(
    app: &App,
    id: Uuid,
    softly: bool,
    operator: &Claims,
    client: &ClientInfo,
) -> Result<()> {
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let user = found(store::users::lock_by_id(&tx, id).await?)?;
    let actor = Actor::Operator(operator);
    app.audit_as(&tx, (Action::UserDeleted, about(&user)), actor, client)
        .await?;
    if softly {
        soft_delete(app, &tx, &user).await?;
    } else {
        store::users::delete(&tx, id).await.map_err(still_used)?;
    }
    tx.commit()
        .await
        .map_err(|error| still_used(error.into()))?;
    Ok(())
}

/// Tables of the application may refer to accounts and not give them up.
fn still_used(error: DatabaseError) -> AuthError {
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

async fn soft_delete(app: &App, tx: &impl GenericClient, user: &User) -> Result<()> {
    if user.deleted_at.is_some() {
        return Ok(());
    }
    let now = app.clock.now();
    let id = user.id;
    store::one_time_tokens::clear_all(tx, id).await?;
    store::sessions::delete_of_user(tx, id).await?;
    store::users::delete_factors(tx, id).await?;
    let hidden = |text: &str| {
        if text.is_empty() {
            String::new()
        } else {
            hide(id, text)
        }
    };
    let short = |text: &str| {
        let mut hidden = hidden(text);
        hidden.truncate(LONGEST_PHONE);
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
        let subject = hide(id, &format!("{}:{}", identity.provider, identity.id));
        store::identities::anonymise(tx, identity.identity_id, &subject, now).await?;
    }
    Ok(())
}

/// A text that stands for another and does not tell it.
fn hide(id: Uuid, text: &str) -> String {
    URL_SAFE_NO_PAD.encode(digest(&SHA256, format!("{id}{text}").as_bytes()))
}
