//! Why a provider could not be used. The reasons are for the log; clients learn less.

use innkeeper_service::outbound::OutboundError;

use super::id_token::IdTokenProblem;
use crate::base::error::AuthError;
use crate::base::error_code::ErrorCode;

/// The reason why a step of a sign-in failed at the provider. No message contains a secret.
#[derive(Debug, thiserror::Error)]
pub(super) enum ExternalError {
    /// The provider could not be reached, or its answer is too long.
    #[error("{0}")]
    Http(#[from] OutboundError),
    /// The provider took too long.
    #[error("no answer in time")]
    TimedOut,
    /// The provider answered with a status that tells of a failure, and nothing more.
    #[error("the provider answered {0}")]
    Status(u16),
    /// The answer is not the JSON that was expected.
    #[error("the provider's answer is not JSON of the expected shape")]
    NotJson,
    /// The provider says what is wrong.
    #[error("the provider answered {error}: {}", description.as_deref().unwrap_or("no description"))]
    Refused {
        /// The error code of OAuth 2.
        error: String,
        description: Option<String>,
    },
    /// The answer lacks a part.
    #[error("the provider's answer has no {0}")]
    Missing(&'static str),
    /// An address is not one of a web server.
    #[error("{0} is not a URL")]
    Address(&'static str),
    /// The callback lacks a parameter, or the stored secrets do.
    #[error("the callback has no {0}")]
    Callback(&'static str),
    /// The discovery document does not fit its issuer.
    #[error("the discovery document is not usable: {0}")]
    Discovery(&'static str),
    /// The id token is not valid.
    #[error("the id token is not valid: {0}")]
    IdToken(#[from] IdTokenProblem),
    /// The client secret cannot be made.
    #[error("the private key of the provider's settings cannot be used")]
    PrivateKey,
    /// The client's request lacks a parameter that the provider needs.
    #[error("{0}")]
    Request(&'static str),
}

/// The step of a sign-in that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// The browser is sent to the provider.
    Authorize,
    /// The code is exchanged for tokens.
    Exchange,
    /// The user is read.
    User,
    /// An id token of a client is verified.
    IdToken,
}

impl ExternalError {
    /// Logs the error, and returns the one for the client.
    pub(super) fn into_auth_error(self, provider: &str, step: Step) -> AuthError {
        if let Self::Request(message) = self {
            return AuthError::validation(message);
        }
        tracing::warn!(
            provider,
            step = ?step,
            error = &self as &dyn std::error::Error,
            "an external provider could not be used"
        );
        let what = match step {
            Step::Authorize => "Error getting the sign-in page of the external provider",
            Step::Exchange => "Unable to exchange external code",
            Step::User => "Error getting user profile from external provider",
            Step::IdToken => "Unable to verify the id token",
        };
        match self {
            Self::Callback(_) => AuthError::refused(
                ErrorCode::BadOauthCallback,
                "OAuth callback with missing authorization code missing",
            ),
            Self::Refused { error, description } if step == Step::Exchange => {
                refused(what, &error, description.as_deref())
            }
            Self::IdToken(problem) if step == Step::IdToken => problem.into(),
            _ => AuthError::refused(ErrorCode::UnexpectedFailure, what),
        }
    }
}

/// Passes on what the provider says about the code. What it says about our credentials is for the log.
fn refused(what: &str, error: &str, description: Option<&str>) -> AuthError {
    if matches!(
        error,
        "invalid_client" | "unauthorized_client" | "incorrect_client_credentials"
    ) {
        return AuthError::refused(ErrorCode::UnexpectedFailure, what.to_owned());
    }
    let message = match description {
        Some(description) => format!("{what}: {}: {}", readable(error), readable(description)),
        None => format!("{what}: {}", readable(error)),
    };
    AuthError::refused(ErrorCode::BadOauthCallback, message)
}

/// Returns a text of a provider without control characters, and not too long.
fn readable(text: &str) -> String {
    let letters = text.chars().filter(|letter| !letter.is_control());
    letters.take(200).collect()
}
