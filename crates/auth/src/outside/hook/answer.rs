//! Parses the answers of hooks.

use ::http::StatusCode;
use serde::Deserialize;
use serde_json::Value;

use super::error::HookError;
use crate::flow::user::Object;

/// The longest answer, in bytes.
pub(super) const MAX_ANSWER: usize = 200 * 1024;
/// The longest part of a hook's message that is passed on to the client, in characters.
const MAX_MESSAGE: usize = 1000;

/// The `error` of an answer, with which the application refuses a request.
#[derive(Deserialize)]
struct Refusal {
    #[serde(default)]
    http_code: Option<f64>,
    #[serde(default)]
    message: Option<String>,
}

/// Parses an answer: an object, unless it has an `error`.
pub(super) fn parse(answer: &[u8]) -> Result<Object, HookError> {
    if answer.len() > MAX_ANSWER {
        return Err(HookError::TooLarge(MAX_ANSWER));
    }
    let not_json = |_| HookError::NotJson("application/json, but the body is not JSON".to_owned());
    let members = match serde_json::from_slice(answer).map_err(not_json)? {
        Value::Object(members) => members,
        Value::Null => Object::new(),
        _ => return Err(HookError::InvalidOutput("it is not an object".to_owned())),
    };
    let Some(error) = members.get("error").filter(|error| !error.is_null()) else {
        return Ok(members);
    };
    let refusal = Refusal::deserialize(error);
    let Ok(Refusal { http_code, message }) = refusal else {
        let problem = "`error` needs a number `http_code` and a text `message`";
        return Err(HookError::InvalidOutput(problem.to_owned()));
    };
    let message = message.unwrap_or_default();
    if message.is_empty() {
        return Ok(members);
    }
    Err(HookError::Refused {
        status: error_status(http_code),
        message: message.chars().take(MAX_MESSAGE).collect(),
    })
}

/// Returns the status of a refusal, which is always one of an error.
fn error_status(code: Option<f64>) -> StatusCode {
    let errors = 400_u16..=599;
    let named = errors
        .into_iter()
        .find(|status| code == Some(f64::from(*status)));
    named
        .and_then(|status| StatusCode::from_u16(status).ok())
        .unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}
