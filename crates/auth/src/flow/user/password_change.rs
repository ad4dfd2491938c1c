//! Changes of password by the user: what has to be proven, and the effects.

use innkeeper_service::database::Executor;

use super::change::UserChange;
use super::nonce::{self, CheckedNonce};
use super::{Object, User, metadata, password};
use crate::app::App;
use crate::app::audit::AuditAction;
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::flow::caller::Caller;
use crate::store;

/// A new password, after the checks.
#[derive(Debug)]
pub(super) struct NewPassword {
    pub(super) hash: String,
    /// The nonce that the change uses up.
    pub(super) nonce: Option<CheckedNonce>,
}

/// Checks a new password and what the user proves, and hashes the password. What is wrong with the proof is
/// told first: whether the new password is the old one is only for those who may change it.
pub(super) async fn check_and_hash(
    app: &App,
    caller: &Caller,
    change: &UserChange,
    new: &str,
    client: &ClientInfo,
) -> Result<NewPassword> {
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
    let nonce = match nonce::required(app, caller, change) {
        Some(nonce) if nonce.is_empty() => {
            return Err(AuthError::refused(
                ErrorCode::ReauthenticationNeeded,
                "Password update requires reauthentication",
            ));
        }
        Some(nonce) => Some(nonce::check(app, user, &nonce).await?),
        None => None,
    };
    let turn = password::turn(app, user.name()).await?;
    if user.encrypted_password.is_some() && password::matches(app, Some(user), new).await? {
        return Err(AuthError::refused(
            ErrorCode::SamePassword,
            "New password should be different from the old password.",
        ));
    }
    drop(turn);
    let hash = app.hashes.hash(new).await?;
    Ok(NewPassword { hash, nonce })
}

/// Whether a form for a new password has to ask for the current one. Callers whose sign-in is old may prove
/// themselves by a code instead, but the current password always does.
pub(crate) fn asks_for_current_password(app: &App, caller: &Caller) -> bool {
    needs_current_password(app, caller) || nonce::is_sign_in_old(app, caller)
}

/// Whether the current password is required. Users who signed in with a link or a code may have forgotten
/// it.
fn needs_current_password(app: &App, caller: &Caller) -> bool {
    let session = caller.session.as_ref();
    app.config.security.update_password_require_current_password
        && !session.is_some_and(crate::flow::session::SessionRecord::was_opened_by_mail)
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

/// Adds an identity for the email address of a user who has only identities of external providers: with a password the
/// address is a way to sign in, so it is listed, and the last provider can be unlinked.
pub(super) async fn add_email_identity(
    app: &App,
    tx: &dyn Executor,
    user: &mut User,
) -> Result<()> {
    let mut identities = user.identities.iter().flatten();
    let has_one = identities.any(|identity| identity.provider == "email");
    if has_one || user.is_sso_user || user.email.is_empty() || user.email_confirmed_at.is_none() {
        return Ok(());
    }
    let now = app.clock.now();
    let data = metadata::email_identity(&Object::new(), user.id, &user.email, true);
    store::identities::insert(tx, user.id, "email", &data, now).await?;
    let mut providers = metadata::providers(user);
    providers.push("email");
    let mut named = Object::new();
    metadata::set_providers(&mut named, &providers);
    user.app_metadata.extend(named);
    store::users::set_metadata(tx, user, now).await?;
    Ok(())
}

/// Sets the password. Links and codes that were sent before stop working, and other sessions end.
pub(super) async fn set_password(
    app: &App,
    tx: &dyn Executor,
    caller: &Caller,
    hash: &str,
    client: &ClientInfo,
) -> Result<()> {
    let id = caller.user.id;
    let hash = password::sealed_for_storage(app, id, hash.to_owned())?;
    store::users::set_password(tx, id, Some(&hash), app.clock.now()).await?;
    password::clear_sent(app, tx, id).await?;
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
