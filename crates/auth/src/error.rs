//! What can go wrong, in the words a client may read, and the two shapes it is written in.

use std::borrow::Cow;
use std::time::Duration;

use http::StatusCode;
use http::header::{HeaderValue, RETRY_AFTER};
use innkeeper_rest::{IntoReply, Rejection, ReplyKind, Response};
use innkeeper_service::database::DatabaseError;
use tokio_postgres::error::SqlState;

use crate::contact::{InvalidEmail, InvalidPhone};
use crate::password::{HashError, PolicyError, Weakness};
use crate::raised::Raised;

/// Every failure of this server. `Display` is the message for the client.
#[derive(Debug, thiserror::Error)]
pub enum AuthError {
    /// A request that cannot be understood or is against a rule: 400 `validation_failed`.
    #[error("{0}")]
    Validation(Cow<'static, str>),
    /// As [`Validation`](Self::Validation), where clients expect 422.
    #[error("{0}")]
    Unprocessable(Cow<'static, str>),
    /// A failure with its status, code and message in one place of the code only.
    #[error("{message}")]
    Refused {
        /// The HTTP status.
        status: StatusCode,
        /// The word for programs.
        code: &'static str,
        /// The sentence for people.
        message: Cow<'static, str>,
    },
    /// Wrong user or wrong password; the client never learns which.
    #[error("Invalid login credentials")]
    InvalidCredentials,
    /// Too many failed sign-ins with this identifier from this address.
    #[error("Too many failed attempts, try again in {0} seconds")]
    Throttled(u64),
    /// Something was sent to this address only a moment ago.
    #[error("For security purposes, you can only request this after {0} seconds.")]
    SentRecently(u64),
    /// The whole server has sent as many mails as it may for now.
    #[error("Email rate limit exceeded, try again in {0} seconds")]
    MailLimit(u64),
    /// A password that the policy refuses.
    #[error("{}", .0.message)]
    WeakPassword(Weakness),
    /// The database does not answer now.
    #[error("The database is not available, try again later")]
    Unavailable(#[source] DatabaseError),
    /// The database has not been reached since the start.
    #[error("The server is starting and waits for its database, try again later")]
    Starting,
    /// A trigger or a function of the application refused, in words that are meant to be read.
    #[error("{}", .0.message)]
    Raised(Box<Raised>),
    /// The captcha could not be judged; the cause is for the log.
    #[error("The captcha cannot be verified at the moment, try again later")]
    CaptchaUnavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// More password checks are waiting than can be done in time.
    #[error("The server is busy, try again later")]
    Busy,
    /// Anything else; the cause is for the log.
    #[error("Unexpected failure, please check server logs for more information")]
    Internal(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// What flows and resources return.
pub(crate) type Result<T> = std::result::Result<T, AuthError>;

impl AuthError {
    /// 400 `validation_failed` with this message.
    pub fn validation(message: impl Into<Cow<'static, str>>) -> Self {
        Self::Validation(message.into())
    }

    /// A failure with this status, code and message.
    pub fn refused(status: u16, code: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self::Refused {
            status: StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
            code,
            message: message.into(),
        }
    }

    /// A failure that is nobody's fault outside.
    pub fn internal(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Internal(cause.into())
    }

    /// The status and the word for programs.
    pub fn parts(&self) -> (StatusCode, &str) {
        match self {
            Self::Validation(_) => (StatusCode::BAD_REQUEST, "validation_failed"),
            Self::Unprocessable(_) => (StatusCode::UNPROCESSABLE_ENTITY, "validation_failed"),
            Self::Refused { status, code, .. } => (*status, code),
            Self::InvalidCredentials => (StatusCode::BAD_REQUEST, "invalid_credentials"),
            Self::Throttled(_) => (StatusCode::TOO_MANY_REQUESTS, "over_request_rate_limit"),
            Self::SentRecently(_) | Self::MailLimit(_) => {
                (StatusCode::TOO_MANY_REQUESTS, "over_email_send_rate_limit")
            }
            Self::WeakPassword(_) => (StatusCode::UNPROCESSABLE_ENTITY, "weak_password"),
            Self::Unavailable(_) | Self::Starting => {
                (StatusCode::SERVICE_UNAVAILABLE, "database_unavailable")
            }
            Self::Raised(raised) => (raised.status, &raised.state),
            Self::CaptchaUnavailable(_) => (StatusCode::SERVICE_UNAVAILABLE, "captcha_unavailable"),
            Self::Busy => (StatusCode::SERVICE_UNAVAILABLE, "server_busy"),
            Self::Internal(_) => (StatusCode::INTERNAL_SERVER_ERROR, "unexpected_failure"),
        }
    }

    /// How long the client should wait, if waiting helps.
    fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Throttled(seconds) | Self::SentRecently(seconds) | Self::MailLimit(seconds) => {
                Some(Duration::from_secs(*seconds))
            }
            Self::Unavailable(_) | Self::Starting | Self::CaptchaUnavailable(_) | Self::Busy => {
                Some(Duration::from_secs(1))
            }
            _ => None,
        }
    }

    /// The rejection that the error format writes.
    pub fn into_rejection(self) -> Rejection {
        let (status, code) = self.parts();
        let mut rejection = Rejection::new(status, code.to_owned(), self.to_string());
        if let Some(wait) = self.retry_after() {
            rejection = rejection.with_header(RETRY_AFTER, HeaderValue::from(wait.as_secs()));
        }
        match self {
            Self::WeakPassword(weakness) => weakness
                .reasons
                .iter()
                .fold(rejection, |rejection, reason| {
                    rejection.with_error("/password", *reason)
                }),
            Self::Raised(raised) => raised.explain(rejection),
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
            Self::validation("A text is too long or holds a character that cannot be stored")
        } else {
            Self::internal(error)
        }
    }
}

/// Whether the client sent a text that no column takes: too long, or with U+0000 in it. Bodies are
/// looked at before; this is for headers and queries.
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

impl From<PolicyError> for AuthError {
    fn from(error: PolicyError) -> Self {
        match error {
            PolicyError::TooLong(_) => Self::validation(error.to_string()),
            PolicyError::Unavailable => Self::internal(error),
        }
    }
}

impl From<HashError> for AuthError {
    fn from(error: HashError) -> Self {
        match error {
            HashError::Busy => Self::Busy,
            HashError::Failed => Self::internal(error),
        }
    }
}

impl From<Weakness> for AuthError {
    fn from(weakness: Weakness) -> Self {
        Self::WeakPassword(weakness)
    }
}
