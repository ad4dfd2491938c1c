//! The errors of operations with passkeys.

use super::responses::{CAPTCHA, HOOK, OF_USER, Refusals};
use crate::base::error_code::ErrorCode;

/// All of them.
const ANY: Refusals = &[(404, &[ErrorCode::PasskeyDisabled])];

/// Answers of authenticators.
const ANSWER: Refusals = &[(
    400,
    &[
        ErrorCode::WebauthnChallengeExpired,
        ErrorCode::WebauthnChallengeNotFound,
        ErrorCode::WebauthnVerificationFailed,
    ],
)];

const REGISTRATION: Refusals = &[
    (
        403,
        &[ErrorCode::InsufficientAal, ErrorCode::NoAuthorization],
    ),
    (
        422,
        &[ErrorCode::TooManyPasskeys, ErrorCode::ValidationFailed],
    ),
];

/// Returns the errors of a single operation.
pub(super) fn own(path: &str, method: &str) -> &'static [Refusals] {
    match (path, method) {
        ("/passkeys/authentication/options", _) => {
            &[ANY, CAPTCHA, &[(429, &[ErrorCode::OverRequestRateLimit])]]
        }
        ("/passkeys/authentication/verify", _) => &[
            ANY,
            ANSWER,
            HOOK,
            &[(
                403,
                &[
                    ErrorCode::EmailNotConfirmed,
                    ErrorCode::PhoneNotConfirmed,
                    ErrorCode::UnexpectedAudience,
                    ErrorCode::UserBanned,
                ],
            )],
        ],
        ("/passkeys/registration/options", _) => &[ANY, REGISTRATION],
        ("/passkeys/registration/verify", _) => &[
            ANY,
            REGISTRATION,
            ANSWER,
            &[
                (404, &[ErrorCode::UserNotFound]),
                (422, &[ErrorCode::WebauthnCredentialExists]),
            ],
        ],
        ("/passkeys/{id}", "delete") => &[ANY, &[(403, &[ErrorCode::InsufficientAal])]],
        ("/passkeys" | "/passkeys/{id}", _) => &[ANY],
        ("/admin/users/{user_id}/passkeys" | "/admin/users/{user_id}/passkeys/{id}", _) => {
            &[OF_USER]
        }
        _ => &[],
    }
}
