//! The errors of this server, with the messages that clients read.

use std::borrow::Cow;
use std::time::Duration;

use http::StatusCode;
use http::header::{HeaderValue, RETRY_AFTER};
use innkeeper_rest::{IntoReply, Rejection, ReplyKind, Response};
use innkeeper_service::database::DatabaseError;
use tokio_postgres::error::SqlState;

use crate::base::contact::{InvalidEmail, InvalidPhone};
use crate::base::error_code::ErrorCode;
use crate::base::raised::Raised;
use crate::base::weakness::Weakness;

/// Every error of this server. `Display` writes the message for the client.
#[derive(Debug, thiserror::Error)]
pub enum AuthError {
    /// A value of the request is missing or not valid: 400 `validation_failed`.
    #[error("{0}")]
    Validation(Cow<'static, str>),
    /// As [`Validation`](Self::Validation), where clients expect 422.
    #[error("{0}")]
    Unprocessable(Cow<'static, str>),
    /// An error with a code and a message of its own.
    #[error("{message}")]
    Refused {
        /// One of the code's [statuses](ErrorCode::statuses).
        status: StatusCode,
        /// The word for programs.
        code: ErrorCode,
        /// The sentence for people.
        message: Cow<'static, str>,
    },
    /// An error in the form of OAuth 2, which the grants by id token have.
    #[error("{description}")]
    OAuth {
        /// The word for programs.
        error: &'static str,
        /// The sentence for people.
        description: Cow<'static, str>,
    },
    /// The user or the password is wrong; the client never learns which.
    #[error("Invalid login credentials")]
    InvalidCredentials,
    /// Too many sign-ins with this identifier from this address have failed; the seconds to wait.
    #[error("Too many failed attempts, try again in {0} seconds")]
    Throttled(u64),
    /// The client sent too many requests of one kind; the seconds to wait.
    #[error("Request rate limit reached")]
    RequestLimit(u64),
    /// The last mail to this address was sent too recently; the seconds to wait.
    #[error("For security purposes, you can only request this after {0} seconds.")]
    SentRecently(u64),
    /// The whole server has reached its limit of mails; the seconds to wait.
    #[error("Email rate limit exceeded, try again in {0} seconds")]
    MailLimit(u64),
    /// The last text message to this number was sent too recently; the seconds to wait.
    #[error("For security purposes, you can only request this after {0} seconds.")]
    SmsSentRecently(u64),
    /// The whole server has reached its limit of text messages; the seconds to wait.
    #[error("SMS rate limit exceeded, try again in {0} seconds")]
    SmsLimit(u64),
    /// The password does not meet the policy.
    #[error("{}", .0.message)]
    WeakPassword(Weakness),
    /// The database does not answer.
    #[error("The database is not available, try again later")]
    Unavailable(#[source] DatabaseError),
    /// The server has not reached its database since the start.
    #[error("The server is starting and waits for its database, try again later")]
    Starting,
    /// A trigger or a function of the application raised an exception that clients may read.
    #[error("{}", .0.message)]
    Raised(Box<Raised>),
    /// The captcha could not be verified; the cause is for the log.
    #[error("The captcha cannot be verified at the moment, try again later")]
    CaptchaUnavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// Too many password checks are waiting.
    #[error("The server is busy, try again later")]
    Busy,
    /// An internal error; the cause is for the log.
    #[error("Unexpected failure, please check server logs for more information")]
    Internal(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// The word of an error in the form of OAuth 2, for the error format.
#[derive(Debug)]
pub(crate) struct OAuthWord(pub(crate) &'static str);

/// The result of flows and handlers.
pub(crate) type Result<T> = std::result::Result<T, AuthError>;

impl AuthError {
    /// Creates a 400 `validation_failed`.
    pub fn validation(message: impl Into<Cow<'static, str>>) -> Self {
        Self::Validation(message.into())
    }

    /// Creates an error with the usual status of its code.
    pub fn refused(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self::refused_as(code.status(), code, message)
    }

    /// Creates an error with another status of its code, as GoTrue has it.
    pub fn refused_as(
        status: StatusCode,
        code: ErrorCode,
        message: impl Into<Cow<'static, str>>,
    ) -> Self {
        debug_assert!(code.allows(status), "{code} is never sent with {status}");
        Self::Refused {
            status,
            code,
            message: message.into(),
        }
    }

    /// Creates an error whose cause is for the log only.
    pub fn internal(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Internal(cause.into())
    }

    /// Returns the HTTP status.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::Unprocessable(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Refused { status, .. } => *status,
            Self::Raised(raised) => raised.status,
            other => other.known_code().status(),
        }
    }

    /// Returns the code as clients read it: that of this server, or the SQLSTATE of the application.
    pub fn code(&self) -> &str {
        match self {
            Self::Raised(raised) => &raised.sql_state,
            other => other.known_code().as_str(),
        }
    }

    fn known_code(&self) -> ErrorCode {
        match self {
            Self::Validation(_) | Self::Unprocessable(_) | Self::OAuth { .. } => {
                ErrorCode::ValidationFailed
            }
            Self::Refused { code, .. } => *code,
            Self::InvalidCredentials => ErrorCode::InvalidCredentials,
            Self::Throttled(_) | Self::RequestLimit(_) => ErrorCode::OverRequestRateLimit,
            Self::SentRecently(_) | Self::MailLimit(_) => ErrorCode::OverEmailSendRateLimit,
            Self::SmsSentRecently(_) | Self::SmsLimit(_) => ErrorCode::OverSmsSendRateLimit,
            Self::WeakPassword(_) => ErrorCode::WeakPassword,
            Self::Unavailable(_) | Self::Starting => ErrorCode::DatabaseUnavailable,
            Self::CaptchaUnavailable(_) => ErrorCode::CaptchaUnavailable,
            Self::Busy => ErrorCode::ServerBusy,
            Self::Raised(_) | Self::Internal(_) => ErrorCode::UnexpectedFailure,
        }
    }

    /// Returns how long the client should wait, if waiting helps.
    fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Throttled(seconds)
            | Self::RequestLimit(seconds)
            | Self::SentRecently(seconds)
            | Self::MailLimit(seconds)
            | Self::SmsSentRecently(seconds)
            | Self::SmsLimit(seconds) => Some(Duration::from_secs(*seconds)),
            Self::Unavailable(_) | Self::Starting | Self::CaptchaUnavailable(_) | Self::Busy => {
                Some(Duration::from_secs(1))
            }
            _ => None,
        }
    }

    /// Converts the error into the rejection that the error format writes.
    pub fn into_rejection(self) -> Rejection {
        let code = self.code().to_owned();
        let mut rejection = Rejection::new(self.status(), code, self.to_string());
        if let Some(wait) = self.retry_after() {
            rejection = rejection.with_header(RETRY_AFTER, HeaderValue::from(wait.as_secs()));
        }
        match self {
            Self::WeakPassword(weakness) => rejection.with_details(weakness),
            Self::OAuth { error, .. } => rejection.with_details(OAuthWord(error)),
            Self::Raised(raised) => {
                raised.log();
                rejection.with_details(*raised)
            }
            Self::Internal(cause) | Self::CaptchaUnavailable(cause) => rejection.with_cause(cause),
            Self::Unavailable(cause) => rejection.with_cause(cause),
            _ => rejection,
        }
    }
}

impl IntoReply for AuthError {
    const KIND: ReplyKind = ReplyKind::Error;

    fn into_reply(self) -> Response {
        self.into_rejection().into_reply()
    }
}

impl From<DatabaseError> for AuthError {
    fn from(error: DatabaseError) -> Self {
        if error.is_unavailable() {
            Self::Unavailable(error)
        } else if let Some(raised) = Raised::of(&error) {
            Self::Raised(Box::new(raised))
        } else if is_unstorable(&error) {
            Self::validation("A text is too long or contains a character that cannot be stored")
        } else {
            Self::internal(error)
        }
    }
}

/// Whether the client sent a text that no column takes: too long, or with U+0000 in it. Bodies are
/// checked before; this is for headers and queries.
fn is_unstorable(error: &DatabaseError) -> bool {
    let DatabaseError::Sql(error) = error else {
        return false;
    };
    let refused = [
        SqlState::STRING_DATA_RIGHT_TRUNCATION,
        SqlState::CHARACTER_NOT_IN_REPERTOIRE,
        SqlState::UNTRANSLATABLE_CHARACTER,
    ];
    error.code().is_some_and(|code| refused.contains(code))
}

impl From<tokio_postgres::Error> for AuthError {
    fn from(error: tokio_postgres::Error) -> Self {
        DatabaseError::from(error).into()
    }
}

impl From<InvalidEmail> for AuthError {
    fn from(error: InvalidEmail) -> Self {
        Self::validation(error.to_string())
    }
}

impl From<InvalidPhone> for AuthError {
    fn from(error: InvalidPhone) -> Self {
        Self::validation(error.to_string())
    }
}

impl From<Weakness> for AuthError {
    fn from(weakness: Weakness) -> Self {
        Self::WeakPassword(weakness)
    }
}
