//! Refusals of requests, with the codes of the control endpoints.

use std::borrow::Cow;

use http::header::{HeaderValue, RETRY_AFTER};
use innkeeper_rest::Rejection;

use crate::base::error_code::ControlErrorCode;
use crate::machines::key::KeyError;
use crate::model::Scope;

/// Returns a refusal with a code and its usual status.
pub(super) fn refusal(code: ControlErrorCode, message: impl Into<Cow<'static, str>>) -> Rejection {
    Rejection::new(code.status(), code.as_str(), message)
}

/// Returns the refusal of a request that cannot be answered for now. The cause is logged.
pub(super) fn unavailable(cause: impl Into<String>) -> Rejection {
    let message = "the service is not available at the moment; try again later";
    refusal(ControlErrorCode::Unavailable, message)
        .with_header(RETRY_AFTER, HeaderValue::from_static("10"))
        .with_cause(cause.into())
}

/// Returns the refusal of a key that lacks a scope.
pub(super) fn insufficient_scope(scope: &str) -> Rejection {
    let message = format!("the API key does not have the scope `{scope}`");
    refusal(ControlErrorCode::InsufficientScope, message)
}

/// Returns the refusal of a key.
pub(super) fn key_refusal(error: &KeyError) -> Rejection {
    let code = match error {
        KeyError::Unauthenticated => ControlErrorCode::Unauthenticated,
        KeyError::Expired => ControlErrorCode::KeyExpired,
        KeyError::Revoked => ControlErrorCode::KeyRevoked,
        KeyError::AddressNotAllowed { .. } => ControlErrorCode::IpNotAllowed,
        KeyError::Unavailable(cause) => return unavailable(cause.clone()),
    };
    refusal(code, error.to_string())
}

/// Refuses a key that lacks a scope, which only some requests to a route need.
pub(super) fn require_scope(
    key: &crate::machines::key::VerifiedKey,
    scope: Scope,
) -> Result<(), Rejection> {
    if key.allows(scope) {
        return Ok(());
    }
    Err(insufficient_scope(scope.word()))
}
