//! Passkeys: keys in authenticators with which people sign in, without a password or a name.

pub(crate) mod manage;
pub(crate) mod registration;
pub(crate) mod sign_in;

use http::StatusCode;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::app::App;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::base::input::non_empty;
use crate::crypto::webauthn::{Refusal, RelyingParty};
use crate::flow::caller::Caller;

/// A challenge, to be answered by an authenticator.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PasskeyChallenge")]
pub(crate) struct PasskeyChallenge {
    pub(crate) challenge_id: Uuid,
    /// What `navigator.credentials.create()` or `navigator.credentials.get()` takes as `publicKey`, in JSON.
    pub(crate) options: Value,
    /// Until when it can be answered, in seconds since 1970.
    expires_at: i64,
}

/// The answer of an authenticator.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "PasskeyAnswer")]
pub(crate) struct PasskeyAnswer {
    /// The `challenge_id` of the options.
    challenge_id: Option<String>,
    /// The credential that the browser has returned, in JSON.
    credential: Option<Value>,
}

impl PasskeyAnswer {
    /// Answers this challenge with a credential.
    pub(crate) fn new(challenge_id: String, credential: Option<Value>) -> Self {
        Self {
            challenge_id: Some(challenge_id),
            credential,
        }
    }

    /// Returns the id of the challenge, and the credential.
    fn parts(&self) -> Result<(Uuid, &Value)> {
        let id = non_empty(self.challenge_id.as_deref());
        let id = id.ok_or_else(|| AuthError::validation("challenge_id is required"))?;
        let credential = self.credential.as_ref();
        let credential =
            credential.ok_or_else(|| AuthError::validation("credential is required"))?;
        let id = Uuid::parse_str(id)
            .map_err(|_| AuthError::validation("challenge_id must be a valid UUID"))?;
        Ok((id, credential))
    }
}

/// Returns the state of a ceremony among the stored data of its challenge.
fn stored_state(session_data: &Value) -> &Value {
    session_data.get("state").unwrap_or(&Value::Null)
}

fn relying_party(app: &App) -> Result<RelyingParty> {
    let party = RelyingParty::of(&app.config.webauthn);
    party
        .filter(|_| app.config.webauthn.passkeys_enabled)
        .ok_or_else(|| AuthError::refused(ErrorCode::PasskeyDisabled, "Passkeys are disabled"))
}

/// Returns when a challenge that is made now expires.
fn expiry(app: &App) -> Timestamp {
    let expiry = app.config.webauthn.challenge_expiry;
    let now = app.clock.now();
    now.checked_add(expiry).unwrap_or(now)
}

fn check_expiry(app: &App, expires_at: Timestamp) -> Result<()> {
    if app.clock.now() < expires_at {
        return Ok(());
    }
    Err(AuthError::refused(
        ErrorCode::WebauthnChallengeExpired,
        "Challenge has expired",
    ))
}

/// Refuses a caller who has a second factor and did not use it in this session.
fn check_level(caller: &Caller) -> Result<()> {
    if !caller.lacks_second_factor() {
        return Ok(());
    }
    Err(AuthError::refused_as(
        StatusCode::FORBIDDEN,
        ErrorCode::InsufficientAal,
        "AAL2 session is required to manage passkeys when MFA is enabled",
    ))
}

/// 400 `webauthn_challenge_not_found`.
fn challenge_not_found() -> AuthError {
    AuthError::refused(
        ErrorCode::WebauthnChallengeNotFound,
        "Challenge not found or already used",
    )
}

/// 400 `webauthn_verification_failed`.
fn failed(refusal: &Refusal) -> AuthError {
    AuthError::refused(
        ErrorCode::WebauthnVerificationFailed,
        format!("Credential verification failed: {refusal}"),
    )
}
