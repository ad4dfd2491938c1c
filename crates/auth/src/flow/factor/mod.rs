//! Second factors: authenticator apps, phone numbers, security keys and recovery codes.

mod accept;
pub(crate) mod admin;
mod at_rest;
mod base32;
pub(crate) mod challenge;
pub(crate) mod enrol;
mod guess;
mod kind;
pub(crate) mod qr;
pub(crate) mod raise;
pub(crate) mod recovery;
mod totp;
pub(crate) mod unenrol;
pub(crate) mod verify;
mod webauthn;

use http::StatusCode;
use uuid::Uuid;

use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::flow::caller::Caller;
use crate::model::{Factor, SessionRecord};

pub(crate) use kind::FactorType;
pub(crate) use webauthn::KeyInput;

/// Returns the session of a caller. Tokens without one have no level that a factor could raise.
fn session_of(caller: &Caller) -> Result<&SessionRecord> {
    caller.session.as_ref().ok_or_else(|| {
        AuthError::refused_as(
            StatusCode::FORBIDDEN,
            ErrorCode::SessionNotFound,
            "Second factors belong to a session, and the access token has none",
        )
    })
}

/// Refuses callers who have no account that a factor could protect.
pub(crate) fn check_not_anonymous(caller: &Caller) -> Result<()> {
    if !caller.user.is_anonymous {
        return Ok(());
    }
    Err(AuthError::refused_as(
        StatusCode::FORBIDDEN,
        ErrorCode::NoAuthorization,
        "Anonymous user not allowed to perform these actions",
    ))
}

/// Finds a factor among those of its owner.
fn find(factors: &[Factor], id: Uuid) -> Result<&Factor> {
    let found = factors.iter().find(|factor| factor.id == id);
    found.ok_or_else(not_found)
}

/// Refuses a factor that is not the caller's.
pub(crate) fn check_owner(caller: &Caller, id: Uuid) -> Result<()> {
    find(&caller.user.factors, id).map(drop)
}

/// 404 `mfa_factor_not_found`.
pub(crate) fn not_found() -> AuthError {
    AuthError::refused(ErrorCode::MfaFactorNotFound, "Factor not found")
}

/// 422 `mfa_factor_name_conflict`.
fn name_conflict(name: &str) -> AuthError {
    AuthError::refused(
        ErrorCode::MfaFactorNameConflict,
        format!("Another factor of the user has the name {name:?}"),
    )
}
