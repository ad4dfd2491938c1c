//! `PUT /user`: what users change about themselves.

use http::StatusCode;
use schemars::JsonSchema;
use serde::Deserialize;

use super::signup::reload;
use super::{Object, User, conflict, metadata, nonce, notify, password};
use crate::app::App;
use crate::audit::Action;
use crate::caller::Caller;
use crate::client::ClientInfo;
use crate::config::MessageKind;
use crate::contact::Email;
use crate::error::{AuthError, Result};
use crate::error_code::ErrorCode;
use crate::one_time::pkce::Challenge;
use crate::one_time::send::{self, Letter, Posted};
use crate::one_time::{self, Purpose, TokenKind, frequency};
use crate::store::{self, GenericClient};

/// What a user wants to change.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "UserChange")]
pub(crate) struct Change {
    #[schemars(example = "ada@example.com")]
    pub(crate) email: Option<String>,
    pub(crate) phone: Option<String>,
    #[schemars(example = "correct horse battery staple")]
    pub(crate) password: Option<String>,
    pub(crate) current_password: Option<String>,
    pub(crate) nonce: Option<String>,
    pub(crate) data: Option<Object>,
    pub(crate) app_metadata: Option<Object>,
    pub(crate) code_challenge: Option<String>,
    pub(crate) code_challenge_method: Option<String>,
}

/// A change whose input was checked.
struct Checked {
    data: Option<Object>,
    nonce: Option<String>,
    hash: Option<String>,
    new_email: Option<Email>,
    challenge: Option<Challenge>,
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
    check_allowed(caller, &change)?;
    let new_email = wanted_email(&caller.user, &change)?;
    let hash = match &change.password {
        Some(new) => Some(new_hash(app, caller, &change, (new, client)).await?),
        None => None,
    };
    if let Some(email) = &new_email {
        claim_mail(app, &caller.user, email).await?;
    }
    let checked = Checked {
        nonce: nonce::needed(app, caller, change.nonce),
        data: change.data,
        hash,
        new_email,
        challenge,
    };
    match apply(app, caller, &checked, client).await {
        Ok(user) => Ok(user),
        Err(error) => {
            if let Some(email) = &checked.new_email {
                let kind = MessageKind::EmailChange;
                frequency::release_quietly(app, email.as_str(), kind).await;
            }
            Err(error)
        }
    }
}

/// Makes the change, all of it or nothing.
async fn apply(app: &App, caller: &Caller, change: &Checked, client: &ClientInfo) -> Result<User> {
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let user = store::users::lock_by_id(&tx, caller.user.id).await?;
    let mut user = user.ok_or_else(gone)?;
    let mut posted = Posted::default();
    if let Some(hash) = &change.hash {
        if let Some(nonce) = &change.nonce
            && let Err(error) = nonce::spend(app, &tx, &user, nonce).await?
        {
            // The guess was counted.
            tx.commit().await?;
            return Err(error);
        }
        set_password(app, &tx, caller, hash, client).await?;
    }
    if let Some(data) = &change.data {
        metadata::merge(&mut user.user_metadata, data.clone());
        store::users::set_metadata(&tx, &user, app.clock.now()).await?;
    }
    if let Some(email) = &change.new_email {
        let challenge = change.challenge.as_ref();
        posted = move_to(app, &tx, &user, email, (challenge, client)).await?;
    }
    app.audit(&tx, Action::UserModified, &user, client).await?;
    let user = reload(&tx, user.id).await?;
    if change.hash.is_some() {
        notify::password_changed(app, &tx, &user, client).await?;
    }
    tx.commit().await?;
    drop(conn);
    posted.send(app).await?;
    Ok(user)
}

/// Takes the right to write to the new address. The present one is marked too, so that `/resend` has
/// to wait, but a mistyped address can be corrected at once.
async fn claim_mail(app: &App, user: &User, email: &Email) -> Result<()> {
    app.check_mail()?;
    let conn = app.shared().await?;
    if store::users::is_email_taken(&conn, email.as_str(), user.id).await? {
        return Err(conflict::email_exists());
    }
    let kind = MessageKind::EmailChange;
    frequency::claim(app, &conn, email.as_str(), kind).await?;
    if !user.email.is_empty() {
        match frequency::mark(app, &conn, &user.email, kind).await {
            Ok(()) | Err(AuthError::SentRecently(_)) => {}
            Err(error) => {
                frequency::release_quietly(app, email.as_str(), kind).await;
                return Err(error);
            }
        }
    }
    Ok(())
}

/// The address the user wants to move to, if it is another one.
fn wanted_email(user: &User, change: &Change) -> Result<Option<Email>> {
    let Some(text) = change.email.as_deref().filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let email = Email::parse(text)?;
    let is_another = !email.as_str().eq_ignore_ascii_case(&user.email);
    Ok(is_another.then_some(email))
}

/// Refuses what this user may not change, whatever the values.
fn check_allowed(caller: &Caller, change: &Change) -> Result<()> {
    let user = &caller.user;
    if change.app_metadata.is_some() {
        return Err(AuthError::refused(
            ErrorCode::NotAdmin,
            "Updating app_metadata requires admin privileges",
        ));
    }
    let signs_in = change.email.is_some() || change.phone.is_some() || change.password.is_some();
    if signs_in && caller.lacks_second_factor() {
        return Err(AuthError::refused(
            ErrorCode::InsufficientAal,
            "AAL2 session is required to update email or password when MFA is enabled.",
        ));
    }
    if user.is_sso_user && (signs_in || change.nonce.is_some()) {
        return Err(AuthError::refused(
            ErrorCode::UserSsoManaged,
            "Updating email, phone, password of a SSO account only possible via SSO",
        ));
    }
    let named = change.email.is_some() || change.phone.is_some();
    if user.is_anonymous && change.password.is_some() && !named {
        return Err(AuthError::Unprocessable(
            "Updating password of an anonymous user without an email or phone is not allowed"
                .into(),
        ));
    }
    if let Some(phone) = change.phone.as_deref().filter(|text| !text.is_empty()) {
        let phone = crate::contact::Phone::parse(phone)?;
        if phone.as_str() != user.phone {
            return Err(AuthError::refused(
                ErrorCode::PhoneProviderDisabled,
                "Phone changes are disabled",
            ));
        }
    }
    Ok(())
}

/// Checks everything about a new password that needs no transaction, and hashes it.
async fn new_hash(
    app: &App,
    caller: &Caller,
    change: &Change,
    (new, client): (&str, &ClientInfo),
) -> Result<String> {
    password::check(app, new).await?;
    let user = &caller.user;
    if needs_current_password(app, caller) {
        let current = change.current_password.as_deref().unwrap_or_default();
        check_current_password(app, user, current, client).await?;
    }
    if nonce::needed(app, caller, change.nonce.clone()).is_some_and(|nonce| nonce.is_empty()) {
        return Err(AuthError::refused(
            ErrorCode::ReauthenticationNeeded,
            "Password update requires reauthentication",
        ));
    }
    if user.encrypted_password.is_some() && password::matches(app, Some(user), new).await? {
        return Err(AuthError::refused(
            ErrorCode::SamePassword,
            "New password should be different from the old password.",
        ));
    }
    Ok(app.hashes.hash(new).await?)
}

/// Whoever came by a link or a code may have forgotten the password.
fn needs_current_password(app: &App, caller: &Caller) -> bool {
    let session = caller.session.as_ref();
    app.config.security.update_password_require_current_password
        && !session.is_some_and(crate::session::SessionRecord::was_opened_by_mail)
        && caller.user.encrypted_password.is_some()
}

/// Guesses count as failed sign-ins: whoever has stolen a session must not have more of them.
async fn check_current_password(
    app: &App,
    user: &User,
    current: &str,
    client: &ClientInfo,
) -> Result<()> {
    if current.is_empty() {
        return Err(AuthError::refused(
            ErrorCode::CurrentPasswordRequired,
            "Current password required when setting new password.",
        ));
    }
    let wait = |wait: crate::throttle::RetryAfter| AuthError::Throttled(wait.0);
    let (name, from) = (user.email.as_str(), client.address);
    app.throttle
        .check(name, from, app.clock.now())
        .map_err(wait)?;
    if password::matches(app, Some(user), current).await? {
        return app
            .throttle
            .record_success(name, from, app.clock.now())
            .map_err(wait);
    }
    app.throttle
        .record_failure(name, from, app.clock.now())
        .map_err(wait)?;
    Err(AuthError::refused(
        ErrorCode::CurrentPasswordInvalid,
        "The current password is wrong.",
    ))
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
    let hash = password::to_be_stored(app, id, hash.to_owned())?;
    store::users::set_password(tx, id, Some(&hash), app.clock.now()).await?;
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
) -> Result<Posted> {
    let now = app.clock.now();
    store::users::start_email_change(tx, user.id, email.as_str(), now).await?;
    if let Some(challenge) = challenge {
        send::begin_exchange(app, tx, user, MessageKind::EmailChange, challenge).await?;
    }
    let user = reload(tx, user.id).await?;
    let issue = async |kind, to| {
        let purpose = Purpose {
            user_id: user.id,
            kind,
            relates_to: to,
            pkce: challenge.is_some(),
            carries_password: false,
        };
        one_time::issue(app, tx, purpose).await
    };
    let letter = |to| Letter {
        kind: MessageKind::EmailChange,
        to,
        user: &user,
        client,
    };
    let (there, here) = (email.as_str(), user.email.as_str());
    let new = issue(TokenKind::EmailChangeNew, there).await?;
    let messages = if app.config.mailer.secure_email_change_enabled && !here.is_empty() {
        let current = issue(TokenKind::EmailChangeCurrent, here).await?;
        send::compose_change(app, (letter(there), &new), (letter(here), &current))?
    } else {
        vec![send::compose(app, letter(there), &new)?]
    };
    send::post(app, tx, messages).await
}

fn gone() -> AuthError {
    AuthError::refused_as(
        StatusCode::FORBIDDEN,
        ErrorCode::UserNotFound,
        "User from sub claim in JWT does not exist",
    )
}
