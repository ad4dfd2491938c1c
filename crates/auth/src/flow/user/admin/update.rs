//! `PUT /admin/users/{id}`: an operator changes an account.

use innkeeper_service::database::Executor;
use innkeeper_service::duration::parse_go;
use jiff::Timestamp;
use uuid::Uuid;

use super::{AdminUserInput, require_user, user_traits};
use crate::app::App;
use crate::app::audit::{Actor, AuditAction};
use crate::base::client::ClientInfo;
use crate::base::contact::{Email, Phone};
use crate::base::error::{AuthError, Result};
use crate::base::input::non_empty;
use crate::config::Profile;
use crate::crypto::jwt::Claims;
use crate::flow::caller::check_operators_audience;
use crate::flow::one_time::TokenKind;
use crate::flow::user::account::reload;
use crate::flow::user::metadata::{self, email_identity, member, phone_identity};
use crate::flow::user::{Identity, Object, User, bounds, conflict, password};
use crate::store;

/// Changes an account.
pub(crate) async fn update(
    app: &App,
    id: Uuid,
    input: AdminUserInput,
    operator: &Claims,
    client: &ClientInfo,
) -> Result<User> {
    let now = app.clock.now();
    let CheckedUpdate {
        email,
        phone,
        ban,
        hash,
    } = check(app, &input, now).await?;
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let user = require_user(store::users::lock_by_id(&tx, id).await?)?;
    if let Some(email) = &email {
        set_email(app, &tx, &user, email, input.email_confirm == Some(true)).await?;
    }
    if let Some(phone) = &phone {
        set_phone(app, &tx, &user, phone, input.phone_confirm == Some(true)).await?;
    }
    let has_email = email.is_some() || !user.email.is_empty();
    let has_phone = phone.is_some() || !user.phone.is_empty();
    if input.email_confirm == Some(true) && has_email {
        confirm_email(app, &tx, id).await?;
    }
    if input.phone_confirm == Some(true) && has_phone {
        confirm_phone(app, &tx, id).await?;
    }
    if let Some(hash) = hash {
        let hash = password::sealed_for_storage(app, id, hash)?;
        store::users::set_password(&tx, id, Some(&hash), now).await?;
        password::clear_sent(app, &tx, id).await?;
        store::sessions::delete_of_user(&tx, id).await?;
    }
    if let Some(role) = non_empty(input.role.as_deref()) {
        store::users::set_role(&tx, id, role, now).await?;
    }
    if let Some(aud) = non_empty(input.aud.as_deref()) {
        check_operators_audience(app, aud)?;
        store::users::set_audience(&tx, id, aud, now).await?;
    }
    if let Some(Ban(until)) = ban {
        store::users::set_banned_until(&tx, id, until, now).await?;
    }
    set_metadata(app, &tx, id, input).await?;
    let before = user;
    let mut user = reload(&tx, id).await?;
    let actor = Actor::Operator(operator);
    app.audit_as(
        &tx,
        AuditAction::UserModified,
        user_traits(&user),
        actor,
        client,
    )
    .await?;
    tx.commit().await?;
    if app.config.profile == Profile::Gotrue {
        user.identities = Some(identities_shown(before.identities, user.identities));
        // GoTrue has not read this column back yet.
        user.confirmed_at = before.confirmed_at;
    }
    Ok(user)
}

/// Returns the identities as GoTrue shows them after a change: as they were before, and those that are new.
fn identities_shown(before: Option<Vec<Identity>>, after: Option<Vec<Identity>>) -> Vec<Identity> {
    let mut shown = before.unwrap_or_default();
    for identity in after.into_iter().flatten() {
        if !shown
            .iter()
            .any(|known| known.identity_id == identity.identity_id)
        {
            shown.push(identity);
        }
    }
    shown
}

/// The end of a ban; `None` lifts it.
struct Ban(Option<Timestamp>);

/// The input of a change, after the checks.
struct CheckedUpdate {
    email: Option<Email>,
    phone: Option<Phone>,
    ban: Option<Ban>,
    /// The hash of the new password.
    hash: Option<String>,
}

/// Checks the input of a change.
async fn check(app: &App, input: &AdminUserInput, now: Timestamp) -> Result<CheckedUpdate> {
    if non_empty(input.password_hash.as_deref()).is_some() {
        return Err(AuthError::validation(
            "A password hash can only be given when a user is created",
        ));
    }
    let email = non_empty(input.email.as_deref())
        .map(Email::parse)
        .transpose()?;
    let phone = non_empty(input.phone.as_deref())
        .map(Phone::parse)
        .transpose()?;
    let ban = non_empty(input.ban_duration.as_deref())
        .map(|text| ban_end(text, now).map(Ban))
        .transpose()?;
    let hash = match input.password.as_deref() {
        Some(new) => {
            let (address, data) = (input.email.as_deref(), input.user_metadata.as_ref());
            password::check(app, new, &password::owner_words(address, data)).await?;
            Some(app.hashes.hash(new).await?)
        }
        None => None,
    };
    Ok(CheckedUpdate {
        email,
        phone,
        ban,
        hash,
    })
}

/// Changes the email address.
async fn set_email(
    app: &App,
    tx: &dyn Executor,
    user: &User,
    email: &Email,
    verified: bool,
) -> Result<()> {
    let email = email.as_str();
    if email == user.email {
        return Ok(());
    }
    if store::users::is_email_taken(tx, email, user.id).await? {
        return Err(conflict::email_exists());
    }
    let now = app.clock.now();
    store::users::set_email(tx, user.id, Some(email), now)
        .await
        .map_err(conflict::of_constraint)?;
    // Links that were sent to the old address stop working.
    store::one_time_tokens::clear_all(tx, user.id).await?;
    let mut changes = member("email", email);
    changes.insert("email_verified".to_owned(), verified.into());
    if !store::identities::merge(tx, user.id, "email", &changes, now).await? {
        let data = email_identity(&Object::new(), user.id, email, verified);
        store::identities::insert(tx, user.id, "email", &data, now).await?;
    }
    Ok(())
}

/// Changes the phone number.
async fn set_phone(
    app: &App,
    tx: &dyn Executor,
    user: &User,
    phone: &Phone,
    verified: bool,
) -> Result<()> {
    let phone = phone.as_str();
    if phone == user.phone {
        return Ok(());
    }
    if store::users::is_phone_taken(tx, phone, user.id).await? {
        return Err(conflict::phone_exists());
    }
    let now = app.clock.now();
    store::users::set_phone(tx, user.id, Some(phone), now)
        .await
        .map_err(conflict::of_constraint)?;
    // The nonce went to the old number.
    let nonce = TokenKind::Reauthentication.name();
    store::one_time_tokens::clear_kind(tx, user.id, nonce).await?;
    let mut changes = member("phone", phone);
    changes.insert("phone_verified".to_owned(), verified.into());
    if !store::identities::merge(tx, user.id, "phone", &changes, now).await? {
        let data = phone_identity(&Object::new(), user.id, phone, verified);
        store::identities::insert(tx, user.id, "phone", &data, now).await?;
    }
    Ok(())
}

async fn confirm_email(app: &App, tx: &dyn Executor, id: Uuid) -> Result<()> {
    let now = app.clock.now();
    store::users::confirm_email(tx, id, now).await?;
    let verified = member("email_verified", true);
    match app.config.profile {
        Profile::Std => {
            store::identities::merge(tx, id, "email", &verified, now).await?;
        }
        Profile::Gotrue => {
            let mut user = reload(tx, id).await?;
            user.user_metadata.extend(verified);
            store::users::set_metadata(tx, &user, now).await?;
        }
    }
    Ok(())
}

async fn confirm_phone(app: &App, tx: &dyn Executor, id: Uuid) -> Result<()> {
    let now = app.clock.now();
    store::users::confirm_phone(tx, id, now).await?;
    if app.config.profile == Profile::Std {
        let verified = member("phone_verified", true);
        store::identities::merge(tx, id, "phone", &verified, now).await?;
    }
    Ok(())
}

async fn set_metadata(app: &App, tx: &dyn Executor, id: Uuid, input: AdminUserInput) -> Result<()> {
    let mut user = reload(tx, id).await?;
    if let Some(changes) = input.user_metadata {
        let stored = user.user_metadata.clone();
        metadata::merge(&mut user.user_metadata, changes);
        bounds::check_user_metadata(app, &stored, &user.user_metadata)?;
    }
    if let Some(changes) = input.app_metadata {
        let stored = user.app_metadata.clone();
        metadata::merge(&mut user.app_metadata, changes);
        bounds::check_app_metadata(app, &stored, &user.app_metadata)?;
    }
    // GoTrue keeps what the operator says.
    if app.config.profile == Profile::Std {
        metadata::refresh_providers(&mut user);
    }
    store::users::set_metadata(tx, &user, app.clock.now()).await?;
    Ok(())
}

/// Parses the length of a ban, and returns its end; `none` lifts it.
pub(crate) fn ban_end(text: &str, now: Timestamp) -> Result<Option<Timestamp>> {
    if text == "none" {
        return Ok(None);
    }
    let length = parse_go(text).map_err(|error| {
        AuthError::validation(format!("invalid format for ban duration: {error}"))
    })?;
    let end = now.checked_add(length).map_err(|_| {
        AuthError::validation("invalid format for ban duration: too far in the future")
    })?;
    Ok(Some(end))
}
