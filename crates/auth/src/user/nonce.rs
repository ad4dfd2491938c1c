//! The nonce that a change of password may need. `/reauthenticate` sends it.

use super::User;
use crate::app::App;
use crate::caller::Caller;
use crate::config::Profile;
use crate::error::{AuthError, Result};
use crate::error_code::ErrorCode;
use crate::one_time::{self, MAX_ATTEMPTS, TokenKind, gotrue_codes};
use crate::store::{self, GenericClient};

/// How old a session may be to change the password without a nonce, in the gotrue profile.
const FRESH_HOURS: i64 = 24;

/// Returns the nonce of the request if one is needed; empty if it is missing.
pub(crate) fn required(app: &App, caller: &Caller, nonce: Option<String>) -> Option<String> {
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
    Some(nonce.unwrap_or_default())
}

/// Uses the nonce up. The inner error must not roll back, because the guess was counted.
pub(crate) async fn spend(
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
    let is_ours = row.is_some_and(|row| {
        let stored = row.code_mac.as_deref().unwrap_or_default();
        row.attempts < MAX_ATTEMPTS
            && now.duration_since(row.created_at) <= lifetime
            && one_time::is_code(app, user.id, kind, nonce, stored)
    });
    let attempts = row.map_or(0, |row| row.attempts);
    let former = store::one_time_tokens::find_gotrue_hashes(tx, user.id).await?;
    let is_gotrue_code = former.is_some_and(|former| {
        attempts < MAX_ATTEMPTS
            && [&user.email, &user.phone].into_iter().any(|address| {
                gotrue_codes::sent_at(&former, kind, address, nonce)
                    .is_some_and(|at| now.duration_since(at) <= lifetime)
            })
    });
    if is_ours || is_gotrue_code {
        store::one_time_tokens::clear_kind(tx, user.id, kind.name()).await?;
        return Ok(Ok(()));
    }
    store::one_time_tokens::count_attempt(tx, user.id, kind.name(), now).await?;
    Ok(Err(AuthError::refused(
        ErrorCode::ReauthenticationNotValid,
        "Nonce has expired or is invalid",
    )))
}
