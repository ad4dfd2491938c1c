//! Creates, resets and reads accounts.

use innkeeper_service::database::Executor;
use jiff::Timestamp;
use uuid::Uuid;

use super::metadata::{self, signup_identity, signup_metadata};
use super::shown::unconfirmed_user;
use super::signup_request::Signup;
use super::{Object, User, by_contact, conflict, password};
use crate::app::App;
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::config::HookKind;
use crate::flow::hook;
use crate::store;
use crate::store::users::{NewUser, RepeatedSignup};

/// Calls the hook that may reject a new account, and returns the id for it. Returns `None`, without a call,
/// if the email address or phone number has an account.
pub(crate) async fn approve(
    app: &App,
    signup: &Signup,
    client: &ClientInfo,
) -> Result<Option<Uuid>> {
    let id = Uuid::new_v4();
    if !app.hooks.is_on(HookKind::BeforeUserCreated) {
        return Ok(Some(id));
    }
    let conn = app.shared().await?;
    let known = by_contact::find(&conn, &signup.aud, &signup.contact).await?;
    if known.is_some() {
        return Ok(None);
    }
    let user = User {
        confirmation_sent_at: None,
        user_metadata: signup.data.clone(),
        identities: Some(Vec::new()),
        ..unconfirmed_user(app, signup, id, Uuid::nil())
    };
    hook::accounts::before_user_created(app, &user, client).await?;
    Ok(Some(id))
}

/// Creates an account with an identity for its email address or phone number.
pub(crate) async fn create(
    app: &App,
    tx: &dyn Executor,
    signup: &Signup,
    approved: Option<Uuid>,
    hash: Option<String>,
    confirmed_at: Option<Timestamp>,
) -> Result<Uuid> {
    let now = app.clock.now();
    // The account that the address had a moment ago is gone; the hook was not called for a new one.
    let id = approved.ok_or(AuthError::Busy)?;
    let contact = &signup.contact;
    let (profile, is_confirmed) = (app.config.profile, confirmed_at.is_some());
    let data = signup_identity(profile, &signup.data, id, contact, is_confirmed);
    let hash = hash.map(|hash| password::sealed_for_storage(app, id, hash));
    let mut app_metadata = Object::new();
    metadata::set_providers(&mut app_metadata, &[contact.provider()]);
    let user = NewUser {
        id,
        aud: signup.aud.clone(),
        role: app.config.jwt.default_group_name.clone(),
        email: contact.email().map(|email| email.as_str().to_owned()),
        phone: contact.phone().map(|phone| phone.as_str().to_owned()),
        encrypted_password: hash.transpose()?,
        email_confirmed_at: confirmed_at.filter(|_| contact.email().is_some()),
        phone_confirmed_at: confirmed_at.filter(|_| contact.phone().is_some()),
        app_metadata,
        user_metadata: signup_metadata(&data, contact, is_confirmed),
        ..NewUser::default()
    };
    store::users::insert(tx, &user, now)
        .await
        .map_err(conflict::of_constraint)?;
    store::identities::insert(tx, id, contact.provider(), &data, now).await?;
    Ok(id)
}

/// Whether another account has the email address or phone number.
pub(super) fn is_taken_error(error: &AuthError) -> bool {
    matches!(
        error,
        AuthError::Refused {
            code: ErrorCode::EmailExists | ErrorCode::PhoneExists,
            ..
        }
    )
}

/// Resets an account that was never confirmed for a new sign-up: the newest data counts, and earlier sessions
/// end.
pub(super) async fn start_over(
    app: &App,
    tx: &dyn Executor,
    mut user: User,
    signup: &Signup,
    encrypted_password: Option<String>,
    is_confirmed: bool,
) -> Result<()> {
    let now = app.clock.now();
    let id = user.id;
    let (profile, contact) = (app.config.profile, &signup.contact);
    let data = signup_identity(profile, &signup.data, id, contact, is_confirmed);
    let provider = contact.provider();
    metadata::set_providers(&mut user.app_metadata, &[provider]);
    store::sessions::delete_of_user(tx, id).await?;
    store::identities::delete_others(tx, id, provider).await?;
    if !store::identities::replace(tx, id, provider, &data, now).await? {
        store::identities::insert(tx, id, provider, &data, now).await?;
    }
    let repeated = RepeatedSignup {
        encrypted_password: encrypted_password.as_deref(),
        app_metadata: user.app_metadata,
        user_metadata: signup_metadata(&data, contact, is_confirmed),
    };
    store::users::overwrite_unconfirmed(tx, id, repeated, now).await?;
    Ok(())
}

/// Reads an account again, within the transaction that changed it.
pub(crate) async fn reload(conn: &dyn Executor, id: Uuid) -> Result<User> {
    store::users::find_by_id(conn, id)
        .await?
        .ok_or_else(|| AuthError::internal("an account vanished in its own transaction"))
}

/// 422 `signup_disabled`.
pub(crate) fn signup_disabled() -> AuthError {
    AuthError::refused(
        ErrorCode::SignupDisabled,
        "Signups not allowed for this instance",
    )
}
