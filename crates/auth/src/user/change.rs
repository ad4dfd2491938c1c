//! `PUT /user`: what users change about themselves.

use serde::Deserialize;

use super::signup::reload;
use super::{Object, User, metadata, password};
use crate::api::caller::Caller;
use crate::api::client::ClientInfo;
use crate::app::App;
use crate::audit::Action;
use crate::config::{MessageKind, Profile};
use crate::contact::Email;
use crate::error::{AuthError, Result};
use crate::mail::Message;
use crate::one_time::pkce::Challenge;
use crate::one_time::send::{self, Letter};
use crate::one_time::{self, ATTEMPTS, Purpose, TokenKind, former, frequency};
use crate::store::{self, GenericClient};

/// How old a session may be to change a password without a nonce, in the gotrue profile.
const FRESH_HOURS: i64 = 24;

/// What a user wants to change.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Change {
    pub(crate) email: Option<String>,
    pub(crate) phone: Option<String>,
    pub(crate) password: Option<String>,
    pub(crate) current_password: Option<String>,
    pub(crate) nonce: Option<String>,
    pub(crate) data: Option<Object>,
    pub(crate) app_metadata: Option<Object>,
    pub(crate) code_challenge: Option<String>,
    pub(crate) code_challenge_method: Option<String>,
}

/// Changes the caller's account.
pub(crate) async fn change(
    app: &App,
    caller: &Caller,
    change: Change,
    client: &ClientInfo,
) -> Result<User> {
    let challenge = Challenge::read(
        change.code_challenge.as_deref(),
        change.code_challenge_method.as_deref(),
    )?;
    let new_email = wanted_email(&caller.user, &change)?;
    check_allowed(app, caller, &change)?;
    let hash = match &change.password {
        Some(new) => Some(new_hash(app, caller, &change, new).await?),
        None => None,
    };
    if let Some(email) = &new_email {
        app.check_mail()?;
        let conn = app.shared().await?;
        if store::users::is_email_taken(&conn, email.as_str(), caller.user.id).await? {
            return Err(email_exists());
        }
        frequency::claim(app, &conn, email.as_str(), MessageKind::EmailChange).await?;
    }

    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let user = store::users::lock_by_id(&tx, caller.user.id).await?;
    let mut user = user.ok_or_else(gone)?;
    if let Some(hash) = &hash {
        if let Some(nonce) = needed_nonce(app, caller, &change)
            && let Err(error) = spend_nonce(app, &tx, &user, nonce).await?
        {
            tx.commit().await?;
            return Err(error);
        }
        set_password(app, &tx, caller, hash, client).await?;
    }
    if let Some(data) = change.data {
        metadata::merge(&mut user.user_metadata, data);
        store::users::set_metadata(&tx, &user, app.clock.now()).await?;
    }
    let messages = match &new_email {
        Some(email) => move_to(app, &tx, &user, email, (challenge.as_ref(), client)).await?,
        None => Vec::new(),
    };
    app.audit(&tx, Action::UserModified, &user, client).await?;
    let user = reload(&tx, user.id).await?;
    tx.commit().await?;
    if let Some(email) = &new_email {
        send::deliver(app, messages, email.as_str(), MessageKind::EmailChange).await?;
    }
    Ok(user)
}

/// The address the user wants to move to, if it is another one.
fn wanted_email(user: &User, change: &Change) -> Result<Option<Email>> {
    let Some(text) = change.email.as_deref().filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let email = Email::parse(text)?;
    Ok((email.as_str() != user.email).then_some(email))
}

/// Refuses what this user may not change, whatever the values.
fn check_allowed(app: &App, caller: &Caller, change: &Change) -> Result<()> {
    let user = &caller.user;
    let touches_sign_in = change.email.is_some()
        || change.phone.is_some()
        || change.password.is_some()
        || change.nonce.is_some();
    if change.app_metadata.is_some() {
        return Err(AuthError::refused(
            403,
            "not_admin",
            "Updating app_metadata requires admin privileges",
        ));
    }
    if user.is_sso_user && touches_sign_in {
        return Err(AuthError::refused(
            422,
            "user_sso_managed",
            "Updating email, phone, password of a SSO account only possible via SSO",
        ));
    }
    let named = change.email.is_some() || change.phone.is_some();
    if user.is_anonymous && change.password.is_some() && !named {
        return Err(AuthError::Unprocessable(
            "Updating password of an anonymous user without an email or phone is not allowed".into(),
        ));
    }
    if let Some(phone) = change.phone.as_deref().filter(|text| !text.is_empty()) {
        let phone = crate::contact::Phone::parse(phone)?;
        if phone.as_str() != user.phone && !app.config.external.phone_enabled {
            return Err(AuthError::refused(
                400,
                "phone_provider_disabled",
                "Phone changes are disabled",
            ));
        }
    }
    Ok(())
}

/// Checks everything about a new password that needs no transaction, and hashes it.
async fn new_hash(app: &App, caller: &Caller, change: &Change, new: &str) -> Result<String> {
    password::check(app, new).await?;
    let user = &caller.user;
    let security = &app.config.security;
    let opened_by_mail = caller
        .session
        .as_ref()
        .is_some_and(|session| session.was_opened_by_mail());
    if security.update_password_require_current_password
        && !opened_by_mail
        && user.encrypted_password.is_some()
    {
        let Some(current) = change.current_password.as_deref().filter(|it| !it.is_empty()) else {
            return Err(AuthError::refused(
                400,
                "current_password_required",
                "Current password required when setting new password.",
            ));
        };
        if !password::matches(app, Some(user), current).await? {
            return Err(AuthError::refused(
                400,
                "current_password_invalid",
                "Current password required when setting new password.",
            ));
        }
    }
    if needed_nonce(app, caller, change).is_some_and(str::is_empty) {
        return Err(AuthError::refused(
            400,
            "reauthentication_needed",
            "Password update requires reauthentication",
        ));
    }
    if user.encrypted_password.is_some() && password::matches(app, Some(user), new).await? {
        return Err(AuthError::refused(
            422,
            "same_password",
            "New password should be different from the old password.",
        ));
    }
    Ok(app.hashes.hash(new).await?)
}

/// The nonce of the request when one is needed, empty when it is missing.
fn needed_nonce<'a>(app: &App, caller: &Caller, change: &'a Change) -> Option<&'a str> {
    if !app.config.security.update_password_require_reauthentication {
        return None;
    }
    let now = app.clock.now();
    let is_fresh = caller.session.as_ref().is_some_and(|session| {
        let began = session.created_at.unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        now.duration_since(began).as_hours() < FRESH_HOURS
    });
    if is_fresh && app.config.profile == Profile::Gotrue {
        return None;
    }
    Some(change.nonce.as_deref().unwrap_or_default())
}

/// Uses the nonce up. The inner error must not roll back: it counts the guess.
async fn spend_nonce(
    app: &App,
    tx: &impl GenericClient,
    user: &User,
    nonce: &str,
) -> Result<Result<()>> {
    let kind = TokenKind::Reauthentication;
    let codes = store::one_time_tokens::list_codes(tx, user.id).await?;
    let row = codes.iter().find(|row| row.kind == kind.name());
    let lifetime = app.config.mailer.otp_exp;
    let now = app.clock.now();
    let ours = row.is_some_and(|row| {
        let stored = row.code_mac.as_deref().unwrap_or_default();
        row.attempts < ATTEMPTS
            && now.duration_since(row.created_at) <= lifetime
            && one_time::is_code(app, user.id, kind, nonce, stored)
    });
    let tried = row.map_or(0, |row| row.attempts);
    let former = store::one_time_tokens::former_hashes(tx, user.id).await?;
    let theirs = former.is_some_and(|former| {
        tried < ATTEMPTS
            && [&user.email, &user.phone].into_iter().any(|address| {
                former::sent_at(&former, kind, address, nonce)
                    .is_some_and(|at| now.duration_since(at) <= lifetime)
            })
    });
    if ours || theirs {
        store::one_time_tokens::clear_kind(tx, user.id, kind.name()).await?;
        return Ok(Ok(()));
    }
    store::one_time_tokens::count_attempt(tx, user.id, kind.name(), now).await?;
    Ok(Err(AuthError::refused(
        422,
        "reauthentication_not_valid",
        "Nonce has expired or is invalid",
    )))
}

/// Sets the password; nothing that was sent before works, and other sessions end.
async fn set_password(
    app: &App,
    tx: &impl GenericClient,
    caller: &Caller,
    hash: &str,
    client: &ClientInfo,
) -> Result<()> {
    let id = caller.user.id;
    store::users::set_password(tx, id, Some(hash), app.clock.now()).await?;
    store::one_time_tokens::clear_all(tx, id).await?;
    match &caller.session {
        Some(session) => {
            store::sessions::delete_others_of_user(tx, id, session.id).await?;
        }
        None => {
            store::sessions::delete_of_user(tx, id).await?;
        }
    }
    app.audit(tx, Action::UpdatedPassword, &caller.user, client)
        .await
}

/// Begins a change of address: asks at the new one and, if both must agree, at the present one.
pub(crate) async fn move_to(
    app: &App,
    tx: &impl GenericClient,
    user: &User,
    email: &Email,
    (challenge, client): (Option<&Challenge>, &ClientInfo),
) -> Result<Vec<Message>> {
    let now = app.clock.now();
    store::users::start_email_change(tx, user.id, email.as_str(), now).await?;
    if let Some(challenge) = challenge {
        send::begin_exchange(app, tx, user, MessageKind::EmailChange, challenge).await?;
    }
    let user = reload(tx, user.id).await?;
    let redirect_to = app.redirect_to(client);
    let mut asked = vec![(TokenKind::EmailChangeNew, email.as_str())];
    if app.config.mailer.secure_email_change_enabled && !user.email.is_empty() {
        asked.push((TokenKind::EmailChangeCurrent, user.email.as_str()));
    }
    let mut messages = Vec::with_capacity(asked.len());
    for (kind, to) in asked {
        let purpose = Purpose {
            user_id: user.id,
            kind,
            relates_to: to,
            pkce: challenge.is_some(),
            carries_password: false,
        };
        let secret = one_time::issue(app, tx, purpose).await?;
        let letter = Letter {
            kind: MessageKind::EmailChange,
            to,
            user: &user,
            redirect_to: &redirect_to,
        };
        messages.push(send::compose(app, letter, &secret)?);
    }
    Ok(messages)
}

pub(crate) fn email_exists() -> AuthError {
    AuthError::refused(
        422,
        "email_exists",
        "A user with this email address has already been registered",
    )
}

fn gone() -> AuthError {
    AuthError::refused(403, "user_not_found", "User from sub claim in JWT does not exist")
}
