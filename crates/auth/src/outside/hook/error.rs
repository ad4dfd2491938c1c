//! Errors of hooks, and what the client is told about them.

use std::borrow::Cow;
use std::time::Duration;

use ::http::StatusCode;

use crate::base::error::AuthError;
use crate::base::error_code::ErrorCode;

/// A hook that did not answer, answered something invalid, or refused the request.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HookError {
    /// The hook did not answer in time.
    #[error("Failed to reach hook within maximum time of {} seconds", .0.as_secs_f64())]
    TimedOut(Duration),
    /// No attempt could connect; the cause is for the log.
    #[error("Failed to reach hook after maximum retries")]
    Unreachable(String),
    /// The hook is busy, and asks to wait for longer than the time limit.
    #[error("Service currently unavailable due to hook")]
    Busy,
    /// The answer, or a part of it, is longer than this limit in bytes.
    #[error("Payload size exceeded size limit of {0} bytes")]
    TooLarge(usize),
    /// The answer is not JSON; holds its content type.
    #[error("Invalid JSON response. Received content-type: {0}")]
    NotJson(String),
    /// The answer has a status that hooks do not use.
    #[error("{}", status_message(*.0))]
    Status(u16),
    /// The answer is JSON of another shape than expected.
    #[error("The hook gave an answer that cannot be used: {0}")]
    InvalidOutput(String),
    /// The application refuses the request.
    #[error("{message}")]
    Refused { status: StatusCode, message: String },
    /// The database failed under a function, or the function raised an exception.
    #[error("{0}")]
    Database(AuthError),
}

impl HookError {
    /// Whether another attempt may succeed.
    pub(crate) fn is_temporary(&self) -> bool {
        match self {
            Self::TooLarge(_) | Self::NotJson(_) | Self::InvalidOutput(_) => false,
            Self::Refused { status, .. } => {
                status.is_server_error() || *status == StatusCode::TOO_MANY_REQUESTS
            }
            Self::TimedOut(_)
            | Self::Unreachable(_)
            | Self::Busy
            | Self::Status(_)
            | Self::Database(_) => true,
        }
    }

    /// Returns what happened, for the log.
    pub(crate) fn cause(&self) -> String {
        match self {
            Self::Unreachable(cause) => cause.clone(),
            Self::Database(error) => {
                let inner = std::error::Error::source(error);
                inner.map_or_else(|| error.to_string(), ToString::to_string)
            }
            other => other.to_string(),
        }
    }
}

fn status_message(status: u16) -> Cow<'static, str> {
    match status {
        400 => "Invalid payload sent to hook".into(),
        401 => "Hook requires authorization token".into(),
        other => format!("Unexpected status code returned from hook: {other}").into(),
    }
}

impl From<HookError> for AuthError {
    fn from(error: HookError) -> Self {
        let message = error.to_string();
        let code = match error {
            HookError::TimedOut(_) => ErrorCode::HookTimeout,
            HookError::Unreachable(_) => ErrorCode::HookTimeoutAfterRetry,
            HookError::TooLarge(_) => ErrorCode::HookPayloadOverSizeLimit,
            HookError::NotJson(_) => ErrorCode::HookPayloadInvalidContentType,
            HookError::Refused { status, .. } if status != StatusCode::INTERNAL_SERVER_ERROR => {
                return Self::refused_as(status, ErrorCode::Unknown, message);
            }
            HookError::Refused { .. }
            | HookError::Busy
            | HookError::Status(_)
            | HookError::InvalidOutput(_) => ErrorCode::UnexpectedFailure,
            HookError::Database(error) => return error,
        };
        Self::refused(code, message)
    }
}
