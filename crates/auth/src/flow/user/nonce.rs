//! The nonce that a change of password may need. `/reauthenticate` sends it.

use innkeeper_service::database::Executor;
use jiff::{SignedDuration, Timestamp};

use super::User;
use super::change::UserChange;
use crate::app::App;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::config::Profile;
use crate::flow::caller::Caller;
use crate::flow::one_time::{self, MAX_ATTEMPTS, TokenKind, find, gotrue_codes, sms_check};
use crate::store;

/// How old a session may be to change the password without a nonce, in the gotrue profile.
const FRESH_HOURS: i64 = 24;

/// Returns the nonce of the request if one is needed; empty if it is missing. Instead of one that is needed
/// because the sign-in is old, the current password does.
pub(crate) fn required(app: &App, caller: &Caller, change: &UserChange) -> Option<String> {
    let nonce = change.nonce.clone();
    if !app.config.security.update_password_require_reauthentication {
        let has_password = change
            .current_password
            .as_deref()
            .is_some_and(|it| !it.is_empty());
        return nonce.filter(|_| !has_password && is_sign_in_old(app, caller));
    }
    let now = app.clock.now();
    let is_fresh = caller.session.as_ref().is_some_and(|session| {
        let began = session.created_at.unwrap_or(Timestamp::UNIX_EPOCH);
        now.duration_since(began).as_hours() < FRESH_HOURS
    });
    if is_fresh && app.config.profile == Profile::Gotrue {
        return None;
    }
    Some(nonce.unwrap_or_default())
}

/// Whether the user has to prove more than the access token, because it may be stolen. Users who came by a link
/// or a code have read their mail, and may have forgotten the password.
pub(crate) fn is_sign_in_old(app: &App, caller: &Caller) -> bool {
    let security = &app.config.security;
    let Some(max_age) = security.update_password_sign_in_age else {
        return false;
    };
    if security.update_password_require_reauthentication || caller.user.encrypted_password.is_none()
    {
        return false;
    }
    let Some(session) = &caller.session else {
        return true;
    };
    let began = session.created_at.unwrap_or(Timestamp::UNIX_EPOCH);
    !session.was_opened_by_mail() && is_over(app.clock.now(), began, max_age)
}

/// Whether more than this time has passed.
fn is_over(now: Timestamp, began: Timestamp, max_age: SignedDuration) -> bool {
    now.duration_since(began) > max_age
}

/// A nonce that is right, to be used up by the change.
#[derive(Debug)]
pub(crate) enum CheckedNonce {
    /// This server has made it.
    Code(String),
    /// The provider that has made it approves it, once.
    Approved,
}

/// Checks the nonce and does not use it up yet. A wrong guess is counted.
pub(crate) async fn check(app: &App, user: &User, nonce: &str) -> Result<CheckedNonce> {
    if user.email.is_empty() && sms_check::is_made_by_provider(app, &user.phone) {
        return check_with_provider(app, user, nonce).await;
    }
    let checked = CheckedNonce::Code(nonce.to_owned());
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    if store::users::lock_by_id(&tx, user.id).await?.is_none() {
        return Ok(checked);
    }
    let spent = spend(app, &tx, user, &checked).await?;
    if spent.is_err() {
        tx.commit().await?;
    }
    spent.map(|()| checked)
}

async fn check_with_provider(app: &App, user: &User, nonce: &str) -> Result<CheckedNonce> {
    let kind = TokenKind::Reauthentication.name();
    let conn = app.shared().await?;
    if !sms_check::is_nonce_waiting(&conn, user, kind).await? {
        return Err(not_valid());
    }
    if sms_check::is_approved(app, &user.phone, nonce).await {
        return Ok(CheckedNonce::Approved);
    }
    store::one_time_tokens::count_attempt(&conn, user.id, kind, app.clock.now()).await?;
    Err(not_valid())
}

/// Uses the nonce up. The inner error must not roll back, because the guess was counted.
pub(crate) async fn spend(
    app: &App,
    tx: &dyn Executor,
    user: &User,
    nonce: &CheckedNonce,
) -> Result<Result<()>> {
    let kind = TokenKind::Reauthentication;
    let is_right = match nonce {
        CheckedNonce::Code(code) => is_code(app, tx, user, code).await?,
        CheckedNonce::Approved => true,
    };
    if is_right {
        store::one_time_tokens::clear_kind(tx, user.id, kind.name()).await?;
        return Ok(Ok(()));
    }
    let now = app.clock.now();
    store::one_time_tokens::count_attempt(tx, user.id, kind.name(), now).await?;
    Ok(Err(not_valid()))
}

/// Whether this is the nonce that this server, or GoTrue, has sent to the user.
async fn is_code(app: &App, tx: &dyn Executor, user: &User, code: &str) -> Result<bool> {
    let kind = TokenKind::Reauthentication;
    let codes = store::one_time_tokens::list_codes(tx, user.id).await?;
    let row = codes.iter().find(|row| row.kind == kind.name());
    if row.is_some_and(|row| row.attempts >= MAX_ATTEMPTS) {
        return Ok(false);
    }
    let is_ours = row.is_some_and(|row| {
        let stored = row.code_mac.as_deref().unwrap_or_default();
        let lifetime = find::lifetime(app, row.relates_to.as_deref().unwrap_or_default());
        !find::has_expired(app, row.created_at, lifetime)
            && one_time::is_code(app, user.id, kind, code, stored)
    });
    let former = store::one_time_tokens::find_gotrue_hashes(tx, user.id).await?;
    let is_gotrue_code = former.is_some_and(|former| {
        [&user.email, &user.phone].into_iter().any(|address| {
            gotrue_codes::sent_at(&former, kind, address, code)
                .is_some_and(|at| !find::has_expired(app, at, find::lifetime(app, address)))
        })
    });
    Ok(is_ours || is_gotrue_code)
}

fn not_valid() -> AuthError {
    AuthError::refused(
        ErrorCode::ReauthenticationNotValid,
        "Nonce has expired or is invalid",
    )
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};

    #[test]
    fn a_sign_in_is_recent_until_the_last_instant() {
        let began = Timestamp::from_second(1_800_000_000).unwrap();
        let max_age = SignedDuration::from_mins(15);
        let instant = SignedDuration::from_micros(1);
        for (now, expected) in [
            (began, false),
            (began + max_age, false),
            (began + max_age + instant, true),
        ] {
            assert_eq!(super::is_over(now, began, max_age), expected, "{now}");
        }
    }
}
