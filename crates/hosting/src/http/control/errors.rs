//! Errors of the control endpoints: problem details with a code, always in JSON.

use http::StatusCode;
use http::header::RETRY_AFTER;
use innkeeper_rest::{ErrorFormat, FieldError, Head, Rejection, RejectionKind, Response};
use serde::Serialize;
use serde_json::{Value, json};

use crate::base::error_code::ControlErrorCode;
use crate::http::edge::REQUEST_ID;
use crate::http::errors::CACHE_CONTROL;
use crate::machines::ActionRecord;
use crate::model::PublicState;

/// The error format of the control endpoints.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ControlErrors;

/// What an error tells about the machine that it is about.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct MachineContext {
    /// The state of the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) state: Option<PublicState>,
    /// The action that is in the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) action: Option<ActionRecord>,
}

/// Problem details (RFC 9457), with the message also under the name `message`, which many clients read.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ControlProblem<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    title: &'a str,
    status: u16,
    detail: &'a str,
    message: &'a str,
    code: &'static str,
    instance: &'a str,
    request_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameter: Option<&'a str>,
    #[serde(skip_serializing_if = "<[FieldError]>::is_empty")]
    errors: &'a [FieldError],
    #[serde(flatten)]
    machine: Option<&'a MachineContext>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after: Option<u64>,
}

impl ErrorFormat for ControlErrors {
    fn write(&self, rejection: &Rejection, head: &Head, response: Response) -> Response {
        let status = rejection.status();
        let retry_after = rejection.headers().get(RETRY_AFTER);
        let retry_after = retry_after.and_then(|seconds| seconds.to_str().ok());
        let problem = ControlProblem {
            kind: "about:blank",
            title: status.canonical_reason().unwrap_or("Error"),
            status: status.as_u16(),
            detail: rejection.message(),
            message: rejection.message(),
            code: code_of(rejection).as_str(),
            instance: head.path(),
            request_id: head.header_text(&REQUEST_ID).unwrap_or_default(),
            parameter: rejection.parameter(),
            errors: rejection.errors(),
            machine: rejection.details(),
            retry_after: retry_after.and_then(|seconds| seconds.parse().ok()),
        };
        // Texts and numbers always serialize.
        let body = serde_json::to_vec(&problem).unwrap_or_default();
        response
            .header("cache-control", CACHE_CONTROL)
            .content_type("application/problem+json")
            .body(body)
    }

    fn schemas(&self) -> Vec<(&'static str, Value)> {
        vec![("application/problem+json", problem_schema())]
    }
}

/// Returns the code of a rejection, which may be one of the framework.
fn code_of(rejection: &Rejection) -> ControlErrorCode {
    let code = match rejection.kind() {
        RejectionKind::MissingParameter
        | RejectionKind::MalformedParameter
        | RejectionKind::MalformedBody
        | RejectionKind::UnprocessableEntity
        | RejectionKind::Invalid => Some(ControlErrorCode::InvalidRequest),
        RejectionKind::BodyTooLarge => Some(ControlErrorCode::PayloadTooLarge),
        RejectionKind::SlowBody | RejectionKind::Timeout => Some(ControlErrorCode::RequestTimeout),
        RejectionKind::Internal => Some(ControlErrorCode::Internal),
        _ => ControlErrorCode::parse(rejection.code()),
    };
    let code = code.filter(|code| code.allows(rejection.status()));
    code.unwrap_or_else(|| usual_code(rejection.status()))
}

/// Returns the code for a status of a part that has codes of its own.
fn usual_code(status: StatusCode) -> ControlErrorCode {
    let mut codes = ControlErrorCode::ALL.iter();
    let specific = match status {
        StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY => {
            Some(&ControlErrorCode::InvalidRequest)
        }
        StatusCode::UNAUTHORIZED => Some(&ControlErrorCode::Unauthenticated),
        StatusCode::FORBIDDEN => Some(&ControlErrorCode::InsufficientScope),
        StatusCode::CONFLICT => Some(&ControlErrorCode::InvalidState),
        StatusCode::SERVICE_UNAVAILABLE => Some(&ControlErrorCode::Unavailable),
        _ => codes.find(|code| code.status() == status),
    };
    let general = if status.is_client_error() {
        ControlErrorCode::InvalidRequest
    } else {
        ControlErrorCode::Internal
    };
    specific.copied().unwrap_or(general)
}

/// Returns the error for a header that is not valid.
pub(crate) fn invalid_header(name: &'static str, problem: &str) -> Rejection {
    Rejection::malformed_parameter("header", name, problem)
}

/// Returns the error for a machine or an action that does not exist, is somebody else's, or has an id that
/// no machine can have. It must not tell which.
pub(crate) fn not_found() -> Rejection {
    Rejection::not_found()
}

/// Returns the schema of [`ControlProblem`].
fn problem_schema() -> Value {
    let text = |about: &str| json!({ "type": "string", "description": about });
    let codes: Vec<&str> = ControlErrorCode::ALL
        .iter()
        .map(|code| code.as_str())
        .collect();
    let states: Vec<&str> = PublicState::ALL.iter().map(|state| state.word()).collect();
    json!({
        "title": "ControlProblem",
        "description": "Problem details (RFC 9457) of a control endpoint.",
        "type": "object",
        "required": [
            "type", "title", "status", "detail", "message", "code", "instance", "requestId"
        ],
        "properties": {
            "type": text("Always `about:blank`."),
            "title": text("The status in words."),
            "status": { "type": "integer", "description": "The status." },
            "detail": text("What went wrong, for people."),
            "message": text("The same as `detail`."),
            "code": { "enum": codes, "description": "What went wrong, for programs." },
            "instance": text("The path of the request."),
            "requestId": text("The id of the request in logs."),
            "parameter": text("The parameter or header that is missing or malformed."),
            "errors": {
                "type": "array",
                "description": "What is wrong with the body, value by value.",
                "items": {
                    "type": "object",
                    "required": ["pointer", "detail"],
                    "properties": {
                        "pointer": text("A JSON pointer (RFC 6901)."),
                        "detail": text("What is wrong with the value."),
                    },
                },
            },
            "state": { "enum": states, "description": "The state of the machine." },
            "action": {
                "type": "object",
                "description": "The action that is in the way, as `GET /v1/hosting/actions/{id}` returns it.",
            },
            "retryAfter": { "type": "integer", "description": "How many seconds to wait." },
        },
    })
}

#[cfg(test)]
mod tests {
    use http::StatusCode;
    use innkeeper_rest::Rejection;

    use super::{code_of, usual_code};
    use crate::base::error_code::ControlErrorCode;

    #[test]
    fn every_error_of_the_framework_has_a_code_of_the_page() {
        let status = StatusCode::SERVICE_UNAVAILABLE;
        let foreign = Rejection::new(status, "limiter_unavailable", "");
        for (rejection, code) in [
            (Rejection::not_found(), ControlErrorCode::NotFound),
            (
                Rejection::missing_parameter("header", "x"),
                ControlErrorCode::InvalidRequest,
            ),
            (
                Rejection::malformed_body(""),
                ControlErrorCode::InvalidRequest,
            ),
            (
                Rejection::unprocessable(Vec::new()),
                ControlErrorCode::InvalidRequest,
            ),
            (Rejection::internal("cause"), ControlErrorCode::Internal),
            (foreign, ControlErrorCode::Unavailable),
        ] {
            assert_eq!(code_of(&rejection), code, "{rejection}");
            assert!(code.allows(rejection.status()), "{rejection}");
        }
    }

    #[test]
    fn a_code_with_a_status_that_it_does_not_have_is_replaced() {
        let odd = Rejection::new(StatusCode::CONFLICT, "not_found", "");
        assert_eq!(code_of(&odd), ControlErrorCode::InvalidState);
        for status in 400..=599 {
            let Ok(status) = StatusCode::from_u16(status) else {
                continue;
            };
            let code = usual_code(status);
            let is_general = matches!(
                code,
                ControlErrorCode::InvalidRequest | ControlErrorCode::Internal
            );
            assert!(code.allows(status) || is_general, "{status}: {code}");
        }
    }
}
