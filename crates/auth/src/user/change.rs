//! `PUT /user`: users change their own account.

use http::StatusCode;
use schemars::JsonSchema;
use serde::Deserialize;

use super::signup::reload;
use super::{
    Object, User, bounds, conflict, email_change, metadata, nonce, notify, password,
    verified_contact,
};
use crate::app::App;
use crate::audit::AuditAction;
use crate::caller::Caller;
use crate::client::ClientInfo;
use crate::config::Profile;
use crate::contact::Email;
use crate::error::{AuthError, Result};
use crate::error_code::ErrorCode;
use crate::one_time::pkce::CodeChallenge;
use crate::one_time::send::PendingMails;
use crate::response_timer::ResponseTimer;
use crate::store::{self, GenericClient};

/// The changes that a user requests.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "UserChange")]
pub(crate) struct UserChange {
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

/// The changes, after the checks.
struct CheckedChange {
    data: Option<Object>,
    nonce: Option<String>,
    hash: Option<String>,
    new_email: Option<Email>,
    challenge: Option<CodeChallenge>,
}

/// Changes the caller's account.
pub(crate) async fn change(
    app: &App,
    caller: &Caller,
    change: UserChange,
    client: &ClientInfo,
) -> Result<User> {
    let challenge = CodeChallenge::parse_pair(
        change.code_challenge.as_deref(),
        change.code_challenge_method.as_deref(),
    )?;
    check_allowed(caller, &change)?;
    let new_email = new_email(&caller.user, &change)?;
    let hash = match &change.password {
        Some(new) => Some(hash_new_password(app, caller, &change, new, client).await?),
        None => None,
    };
    let checked = CheckedChange {
        nonce: nonce::required(app, caller, &change),
        data: change.data,
        hash,
        new_email,
        challenge,
    };
    let by_mail = !is_applied_at_once(app, &caller.user);
    let Some(email) = checked.new_email.as_ref().filter(|_| by_mail) else {
        return apply(app, caller, &checked, client).await;
    };
    let timer = (app.config.profile == Profile::Std).then(ResponseTimer::start);
    let done = apply_with_mail(app, caller, &checked, email, client).await;
    if let Some(timer) = timer {
        timer.wait().await;
    }
    done
}

/// Applies changes with a new email address, within the limits of mails.
async fn apply_with_mail(
    app: &App,
    caller: &Caller,
    change: &CheckedChange,
    email: &Email,
    client: &ClientInfo,
) -> Result<User> {
    email_change::claim_mail(app, &caller.user, email).await?;
    let done = apply(app, caller, change, client).await;
    if done.is_err() {
        email_change::release_mail(app, &caller.user, email).await;
    }
    done
}

/// Applies the changes in one transaction.
async fn apply(
    app: &App,
    caller: &Caller,
    change: &CheckedChange,
    client: &ClientInfo,
) -> Result<User> {
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let user = store::users::lock_by_id(&tx, caller.user.id).await?;
    let mut user = user.ok_or_else(user_not_found)?;
    let mut pending = PendingMails::default();
    if let Some(hash) = &change.hash {
        if let Some(nonce) = &change.nonce
            && let Err(error) = nonce::spend(app, &tx, &user, nonce).await?
        {
            // The guess must stay counted.
            tx.commit().await?;
            return Err(error);
        }
        set_password(app, &tx, caller, hash, client).await?;
    }
    if let Some(data) = &change.data {
        let stored = user.user_metadata.clone();
        metadata::merge(&mut user.user_metadata, data.clone());
        bounds::check_user_metadata(app, &stored, &user.user_metadata)?;
        store::users::set_metadata(&tx, &user, app.clock.now()).await?;
    }
    if let Some(email) = &change.new_email
        && is_applied_at_once(app, &caller.user)
    {
        set_first_email(app, &tx, &user, email).await?;
    } else if let Some(email) = &change.new_email {
        let challenge = change.challenge.as_ref();
        pending = email_change::start(app, &tx, &user, email, challenge, client).await?;
    }
    app.audit(&tx, AuditAction::UserModified, &user, client)
        .await?;
    let user = reload(&tx, user.id).await?;
    if change.hash.is_some() {
        notify::password_changed(app, &tx, &user, client).await?;
    }
    tx.commit().await?;
    drop(conn);
    pending.send(app).await?;
    Ok(user)
}

/// Whether a new email address counts as confirmed at once. An anonymous user who gets one has as good as signed up;
/// all others have an address to lose.
fn is_applied_at_once(app: &App, user: &User) -> bool {
    user.is_anonymous && app.config.mailer.autoconfirm
}

/// Makes an anonymous user permanent.
async fn set_first_email(
    app: &App,
    tx: &impl GenericClient,
    user: &User,
    email: &Email,
) -> Result<()> {
    if !user.is_anonymous {
        // Another request was faster.
        return Err(AuthError::Busy);
    }
    if store::users::is_email_taken(tx, email.as_str(), user.id).await? {
        return Err(conflict::email_exists());
    }
    verified_contact::set_email(app, tx, user.id, email.as_str()).await
}

/// Parses the new email address, if it differs from the current one.
fn new_email(user: &User, change: &UserChange) -> Result<Option<Email>> {
    let Some(text) = change.email.as_deref().filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let email = Email::parse(text)?;
    let is_new = !email.as_str().eq_ignore_ascii_case(&user.email);
    Ok(is_new.then_some(email))
}

/// Refuses changes that this user may not make, whatever the values.
fn check_allowed(caller: &Caller, change: &UserChange) -> Result<()> {
    let user = &caller.user;
    if change.app_metadata.is_some() {
        return Err(AuthError::refused(
            ErrorCode::NotAdmin,
            "Updating app_metadata requires admin privileges",
        ));
    }
    let changes_credentials =
        change.email.is_some() || change.phone.is_some() || change.password.is_some();
    if changes_credentials && caller.lacks_second_factor() {
        return Err(AuthError::refused(
            ErrorCode::InsufficientAal,
            "AAL2 session is required to update email or password when MFA is enabled.",
        ));
    }
    if user.is_sso_user && (changes_credentials || change.nonce.is_some()) {
        return Err(AuthError::refused(
            ErrorCode::UserSsoManaged,
            "Updating email, phone, password of a SSO account only possible via SSO",
        ));
    }
    let adds_identifier = change.email.is_some() || change.phone.is_some();
    if user.is_anonymous && change.password.is_some() && !adds_identifier {
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

/// Checks a new password and what the user proves, and hashes the password. What is wrong with the proof is
/// told first: whether the new password is the old one is only for those who may change it.
async fn hash_new_password(
    app: &App,
    caller: &Caller,
    change: &UserChange,
    new: &str,
    client: &ClientInfo,
) -> Result<String> {
    let user = &caller.user;
    let owner = password::owner_words(Some(&user.email), Some(&user.user_metadata));
    password::check(app, new, &owner).await?;
    let current = change.current_password.as_deref().unwrap_or_default();
    let has_proof = !current.is_empty() || change.nonce.as_deref().is_some_and(|it| !it.is_empty());
    let is_old = nonce::is_sign_in_old(app, caller);
    if is_old && !has_proof {
        return Err(AuthError::refused(
            ErrorCode::ReauthenticationNeeded,
            "Password update requires the current password or reauthentication",
        ));
    }
    if needs_current_password(app, caller) || (is_old && !current.is_empty()) {
        check_current_password(app, user, current, client).await?;
    }
    if let Some(nonce) = nonce::required(app, caller, change) {
        if nonce.is_empty() {
            return Err(AuthError::refused(
                ErrorCode::ReauthenticationNeeded,
                "Password update requires reauthentication",
            ));
        }
        nonce::check(app, user, &nonce).await?;
    }
    let turn = password::turn(app, user.name()).await?;
    if user.encrypted_password.is_some() && password::matches(app, Some(user), new).await? {
        return Err(AuthError::refused(
            ErrorCode::SamePassword,
            "New password should be different from the old password.",
        ));
    }
    drop(turn);
    Ok(app.hashes.hash(new).await?)
}

/// Whether the current password is required. Users who signed in with a link or a code may have forgotten
/// it.
fn needs_current_password(app: &App, caller: &Caller) -> bool {
    let session = caller.session.as_ref();
    app.config.security.update_password_require_current_password
        && !session.is_some_and(crate::session::SessionRecord::was_opened_by_mail)
        && caller.user.encrypted_password.is_some()
}

/// Checks the current password. Wrong ones count as failed sign-ins: whoever has stolen a session must not
/// get more guesses.
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
    let _turn = password::turn(app, user.name()).await?;
    if password::matches_within_throttle(app, user, current, client).await? {
        return Ok(());
    }
    Err(AuthError::refused(
        ErrorCode::CurrentPasswordInvalid,
        "The current password is wrong.",
    ))
}

/// Sets the password. Links and codes that were sent before stop working, and other sessions end.
async fn set_password(
    app: &App,
    tx: &impl GenericClient,
    caller: &Caller,
    hash: &str,
    client: &ClientInfo,
) -> Result<()> {
    let id = caller.user.id;
    let hash = password::sealed_for_storage(app, id, hash.to_owned())?;
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
    app.audit(tx, AuditAction::UpdatedPassword, &caller.user, client)
        .await
}

fn user_not_found() -> AuthError {
    AuthError::refused_as(
        StatusCode::FORBIDDEN,
        ErrorCode::UserNotFound,
        "User from sub claim in JWT does not exist",
    )
}
