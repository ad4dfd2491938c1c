//! What can go wrong with a hook, and what the client is told.

use std::borrow::Cow;
use std::time::Duration;

use ::http::StatusCode;
use serde::Deserialize;
use serde_json::Value;

use super::LONGEST_ANSWER;
use crate::error::AuthError;
use crate::error_code::ErrorCode;
use crate::user::Object;

/// More of a hook's words than this is not passed on.
const LONGEST_MESSAGE: usize = 1000;

/// Why a hook did not answer, or what it has against the request.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HookError {
    /// No answer in time.
    #[error("Failed to reach hook within maximum time of {} seconds", .0.as_secs_f64())]
    Late(Duration),
    /// No connection, again and again.
    #[error("Failed to reach hook after maximum retries")]
    Unreachable(String),
    /// It asks to come back later than anybody waits.
    #[error("Service currently unavailable due to hook")]
    Busy,
    /// The answer, or a part of it, is longer than anybody would read.
    #[error("Payload size exceeded size limit of {0} bytes")]
    TooLarge(usize),
    /// The answer is no JSON.
    #[error("Invalid JSON response. Received content-type: {0}")]
    NotJson(String),
    /// An answer with another status.
    #[error("{}", status_message(*.0))]
    Status(u16),
    /// JSON that says something else than was asked.
    #[error("The hook gave an answer that cannot be used: {0}")]
    Output(String),
    /// What the application itself has against the request.
    #[error("{message}")]
    Said { status: StatusCode, message: String },
    /// The database failed under a function, or the function raised an exception.
    #[error("{0}")]
    Database(AuthError),
}

impl HookError {
    /// Whether the same call may succeed a little later.
    pub(crate) fn is_for_now(&self) -> bool {
        match self {
            Self::TooLarge(_) | Self::NotJson(_) | Self::Output(_) => false,
            Self::Said { status, .. } => {
                status.is_server_error() || *status == StatusCode::TOO_MANY_REQUESTS
            }
            Self::Late(_)
            | Self::Unreachable(_)
            | Self::Busy
            | Self::Status(_)
            | Self::Database(_) => true,
        }
    }

    /// What happened, for the log.
    pub(super) fn cause(&self) -> String {
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
            HookError::Late(_) => ErrorCode::HookTimeout,
            HookError::Unreachable(_) => ErrorCode::HookTimeoutAfterRetry,
            HookError::TooLarge(_) => ErrorCode::HookPayloadOverSizeLimit,
            HookError::NotJson(_) => ErrorCode::HookPayloadInvalidContentType,
            HookError::Said { status, .. } if status != StatusCode::INTERNAL_SERVER_ERROR => {
                return Self::refused_as(status, ErrorCode::Unknown, message);
            }
            HookError::Said { .. }
            | HookError::Busy
            | HookError::Status(_)
            | HookError::Output(_) => ErrorCode::UnexpectedFailure,
            HookError::Database(error) => return error,
        };
        Self::refused(code, message)
    }
}

/// What a hook has against a request, in its own words.
#[derive(Deserialize)]
struct Refusal {
    #[serde(default)]
    http_code: Option<f64>,
    #[serde(default)]
    message: Option<String>,
}

/// Reads an answer: an object, unless it says that something is wrong.
pub(super) fn read(answer: &[u8]) -> Result<Object, HookError> {
    if answer.len() > LONGEST_ANSWER {
        return Err(HookError::TooLarge(LONGEST_ANSWER));
    }
    let not_json = |_| HookError::NotJson("application/json, but the body is no JSON".to_owned());
    let members = match serde_json::from_slice(answer).map_err(not_json)? {
        Value::Object(members) => members,
        Value::Null => Object::new(),
        _ => return Err(HookError::Output("it is not an object".to_owned())),
    };
    let Some(error) = members.get("error").filter(|error| !error.is_null()) else {
        return Ok(members);
    };
    let refusal = Refusal::deserialize(error);
    let Ok(Refusal { http_code, message }) = refusal else {
        let problem = "`error` needs a number `http_code` and a text `message`";
        return Err(HookError::Output(problem.to_owned()));
    };
    let message = message.unwrap_or_default();
    if message.is_empty() {
        return Ok(members);
    }
    Err(HookError::Said {
        status: status(http_code),
        message: message.chars().take(LONGEST_MESSAGE).collect(),
    })
}

/// The status of a refusal: that of a failure, whatever the hook says.
fn status(code: Option<f64>) -> StatusCode {
    let failures = 400_u16..=599;
    let named = failures
        .into_iter()
        .find(|status| code == Some(f64::from(*status)));
    named
        .and_then(|status| StatusCode::from_u16(status).ok())
        .unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}
