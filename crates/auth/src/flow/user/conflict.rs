//! Errors of an email address, phone number or id that another account has, perhaps in another audience.

use innkeeper_service::database::DatabaseError;

use crate::base::error::AuthError;
use crate::base::error_code::ErrorCode;

/// 422 `email_exists`.
pub(crate) fn email_exists() -> AuthError {
    AuthError::refused(
        ErrorCode::EmailExists,
        "A user with this email address has already been registered",
    )
}

/// 422 `phone_exists`.
pub(crate) fn phone_exists() -> AuthError {
    AuthError::refused(
        ErrorCode::PhoneExists,
        "Phone number already registered by another user",
    )
}

/// Converts the violation of a unique constraint of `users`; other errors pass.
pub(crate) fn of_constraint(error: DatabaseError) -> AuthError {
    match error.constraint() {
        Some("users_email_partial_key") => email_exists(),
        Some("users_phone_key") => AuthError::refused(
            ErrorCode::PhoneExists,
            "A user with this phone number has already been registered",
        ),
        Some("users_pkey") => AuthError::refused_as(
            http::StatusCode::UNPROCESSABLE_ENTITY,
            ErrorCode::Conflict,
            "A user with this id already exists",
        ),
        _ => error.into(),
    }
}
