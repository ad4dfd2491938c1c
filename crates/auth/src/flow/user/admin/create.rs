//! `POST /admin/users`: an operator creates an account.

use jiff::Timestamp;
use uuid::Uuid;

use super::{AdminUserInput, user_traits};
use crate::app::App;
use crate::app::audit::{Actor, AuditAction};
use crate::base::client::ClientInfo;
use crate::base::contact::{Email, Phone};
use crate::base::error::{AuthError, Result};
use crate::base::input::non_empty;
use crate::config::Profile;
use crate::crypto::jwt::Claims;
use crate::crypto::password::{check_import, check_import_cost};
use crate::flow::caller::check_operators_audience;
use crate::flow::user::account::reload;
use crate::flow::user::metadata::{self, email_identity, phone_identity};
use crate::flow::user::{Object, User, bounds, conflict, password};
use crate::store;
use crate::store::users::NewUser;

use super::update::ban_end;

/// Creates an account.
pub(crate) async fn create(
    app: &App,
    aud: &str,
    input: AdminUserInput,
    operator: &Claims,
    client: &ClientInfo,
) -> Result<User> {
    let now = app.clock.now();
    let new = check(app, aud, &input, now).await?;
    let banned_until = match non_empty(input.ban_duration.as_deref()) {
        Some(text) => ban_end(text, now)?,
        None => None,
    };
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    if let Some(email) = &new.email
        && store::users::is_email_taken(&tx, email, Uuid::nil()).await?
    {
        return Err(conflict::email_exists());
    }
    if let Some(phone) = &new.phone
        && store::users::is_phone_taken(&tx, phone, Uuid::nil()).await?
    {
        return Err(conflict::phone_exists());
    }
    store::users::insert(&tx, &new, now)
        .await
        .map_err(conflict::of_constraint)?;
    // GoTrue leaves the identities as they are when an operator confirms the addresses.
    let marks_identities = app.config.profile == Profile::Std;
    if let Some(email) = &new.email {
        let verified = marks_identities && new.email_confirmed_at.is_some();
        let data = email_identity(&Object::new(), new.id, email, verified);
        store::identities::insert(&tx, new.id, "email", &data, now).await?;
    }
    if let Some(phone) = &new.phone {
        let verified = marks_identities && new.phone_confirmed_at.is_some();
        let data = phone_identity(&Object::new(), new.id, phone, verified);
        store::identities::insert(&tx, new.id, "phone", &data, now).await?;
    }
    if banned_until.is_some() {
        store::users::set_banned_until(&tx, new.id, banned_until, now).await?;
    }
    let mut user = reload(&tx, new.id).await?;
    let actor = Actor::Operator(operator);
    let mut traits = user_traits(&user);
    let provider = if new.email.is_some() {
        "email"
    } else {
        "phone"
    };
    traits.insert("provider".to_owned(), provider.into());
    app.audit_as(&tx, AuditAction::UserSignedUp, traits, actor, client)
        .await?;
    tx.commit().await?;
    if app.config.profile == Profile::Gotrue {
        // GoTrue has not read this column back yet.
        user.confirmed_at = None;
    }
    Ok(user)
}

/// Checks the input of a new account.
async fn check(app: &App, aud: &str, input: &AdminUserInput, now: Timestamp) -> Result<NewUser> {
    let email = non_empty(input.email.as_deref())
        .map(Email::parse)
        .transpose()?;
    let phone = non_empty(input.phone.as_deref())
        .map(Phone::parse)
        .transpose()?;
    if email.is_none() && phone.is_none() {
        return Err(AuthError::validation(
            "Cannot create a user without either an email or phone",
        ));
    }
    let id = chosen_id(input)?;
    let aud = non_empty(input.aud.as_deref()).unwrap_or(aud);
    check_operators_audience(app, aud)?;
    if let Some(data) = &input.user_metadata {
        bounds::check_user_metadata(app, &Object::new(), data)?;
    }
    if let Some(data) = &input.app_metadata {
        bounds::check_app_metadata(app, &Object::new(), data)?;
    }
    let hash = hash(app, input).await?;
    let hash = hash.map(|hash| password::sealed_for_storage(app, id, hash));
    let mut providers = Vec::new();
    providers.extend(email.is_some().then_some("email"));
    providers.extend(phone.is_some().then_some("phone"));
    let app_metadata = app_metadata(app, input, &providers);
    let mut user_metadata = input.user_metadata.clone().unwrap_or_default();
    let is_confirmed = input.email_confirm == Some(true) && email.is_some();
    if app.config.profile == Profile::Gotrue && is_confirmed {
        user_metadata.insert("email_verified".to_owned(), true.into());
    }
    let role = non_empty(input.role.as_deref());
    let confirmed =
        |confirm: Option<bool>, exists: bool| (confirm == Some(true) && exists).then_some(now);
    Ok(NewUser {
        id,
        aud: aud.to_owned(),
        role: role
            .unwrap_or(&app.config.jwt.default_group_name)
            .to_owned(),
        encrypted_password: hash.transpose()?,
        email_confirmed_at: confirmed(input.email_confirm, email.is_some()),
        phone_confirmed_at: confirmed(input.phone_confirm, phone.is_some()),
        email: email.map(Email::into_string),
        phone: phone.map(Phone::into_string),
        invited_at: None,
        app_metadata,
        user_metadata,
        is_anonymous: false,
        is_sso_user: false,
    })
}

/// Returns the id of the new account: a chosen one, or a random one.
fn chosen_id(input: &AdminUserInput) -> Result<Uuid> {
    let Some(text) = non_empty(input.id.as_deref()) else {
        return Ok(Uuid::new_v4());
    };
    match Uuid::parse_str(text) {
        Ok(id) if !id.is_nil() => Ok(id),
        Ok(_) => Err(AuthError::validation("ID cannot be a nil uuid")),
        Err(_) => Err(AuthError::validation(
            "ID must conform to the uuid v4 format",
        )),
    }
}

/// Returns the metadata of the server. In the gotrue profile an operator may name other providers in it.
fn app_metadata(app: &App, input: &AdminUserInput, providers: &[&str]) -> Object {
    let mut named = Object::new();
    metadata::set_providers(&mut named, providers);
    let mut sent = input.app_metadata.clone().unwrap_or_default();
    match app.config.profile {
        Profile::Std => {
            sent.extend(named);
            sent
        }
        Profile::Gotrue => {
            metadata::merge(&mut named, sent);
            named
        }
    }
}

/// Hashes the password, or checks the hash that is imported.
async fn hash(app: &App, input: &AdminUserInput) -> Result<Option<String>> {
    let password = non_empty(input.password.as_deref());
    match (password, non_empty(input.password_hash.as_deref())) {
        (Some(_), Some(_)) => Err(AuthError::validation(
            "Only a password or a password hash should be provided",
        )),
        (Some(password), None) => {
            let limit = app.policy().max_bytes;
            if password.len() > limit {
                return Err(AuthError::validation(format!(
                    "Password cannot be longer than {limit} characters"
                )));
            }
            Ok(Some(app.hashes.hash(password).await?))
        }
        (None, Some(hash)) => {
            let checked = match app.config.profile {
                Profile::Std => check_import_cost(hash),
                Profile::Gotrue => check_import(hash),
            };
            checked.map_err(|error| AuthError::validation(error.to_string()))?;
            Ok(Some(hash.to_owned()))
        }
        (None, None) => Ok(None),
    }
}
