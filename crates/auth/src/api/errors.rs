//! How failures are written: the two shapes of the clients' and the specification's API.

use http::StatusCode;
use http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use innkeeper_rest::{ErrorFormat, Head, Rejection, Response};
use serde_json::{Map, Value, json};

use super::version::{API_VERSION, V20240101, api_version};
use crate::client::ApiVersion;
use crate::config::Profile;
use crate::raised::is_state;

/// The limit of request bodies.
pub(crate) const BODY_LIMIT: u64 = 1024 * 1024;

/// Where the id of a request stands, whichever header it came in.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Writes every failure, the framework's own included.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Errors {
    pub(crate) profile: Profile,
}

/// A failure in this server's words.
struct Failure {
    status: StatusCode,
    code: String,
    message: String,
}

impl Failure {
    fn of(rejection: &Rejection) -> Self {
        let (status, code, message) = (
            rejection.status(),
            rejection.code(),
            rejection.message().to_owned(),
        );
        let (status, code, message) = match code {
            "malformed_body" | "unprocessable_entity" | "unsupported_media_type" => (
                StatusCode::BAD_REQUEST,
                "bad_json",
                format!(
                    "Could not parse request body as JSON: {}",
                    detail(rejection)
                ),
            ),
            "missing_parameter" | "malformed_parameter" => {
                (StatusCode::BAD_REQUEST, "validation_failed", message)
            }
            "body_too_large" => (
                status,
                "request_entity_too_large",
                format!("Request body too large (max {BODY_LIMIT} bytes)"),
            ),
            "timeout" => (StatusCode::GATEWAY_TIMEOUT, "request_timeout", late()),
            "slow_body" => (status, "request_timeout", message),
            "internal_error" => (
                status,
                "unexpected_failure",
                "Unexpected failure, please check server logs for more information".to_owned(),
            ),
            other => (status, other, message),
        };
        Self {
            status,
            code: code.to_owned(),
            message,
        }
    }
}

/// The text of a request that took too long.
pub(crate) fn late() -> String {
    "Processing this request timed out, please retry after a moment.".to_owned()
}

/// What is wrong with a body, and where.
fn detail(rejection: &Rejection) -> String {
    let Some(error) = rejection.errors().first() else {
        return rejection.message().to_owned();
    };
    if error.pointer.is_empty() {
        error.detail.clone()
    } else {
        format!("{}: {}", error.pointer, error.detail)
    }
}

impl ErrorFormat for Errors {
    fn schemas(&self) -> Vec<(&'static str, Value)> {
        vec![("application/json", super::openapi::error_schema())]
    }

    fn write(&self, rejection: &Rejection, head: &Head, response: Response) -> Response {
        let failure = Failure::of(rejection);
        let mut written = Response::status(failure.status.as_u16());
        *written.headers_mut() = response.headers().clone();
        if self.profile == Profile::Gotrue {
            match rejection.code() {
                "not_found" => {
                    return written
                        .content_type("text/plain; charset=utf-8")
                        .body("404 page not found\n");
                }
                "method_not_allowed" => return written,
                _ => {}
            }
        }
        let is_dated = api_version(head) == ApiVersion::V20240101;
        let raised = is_state(rejection.code());
        let mut body = Map::new();
        // That server has one shape for what the application itself says.
        if is_dated || (raised && self.profile == Profile::Gotrue) {
            body.insert("code".to_owned(), json!(failure.code));
            body.insert("message".to_owned(), json!(failure.message));
        } else {
            body.insert("code".to_owned(), json!(failure.status.as_u16()));
            body.insert("error_code".to_owned(), json!(failure.code));
            body.insert("msg".to_owned(), json!(failure.message));
            let id = head.header_text(REQUEST_ID);
            if let Some(id) = id.filter(|_| failure.status.is_server_error()) {
                body.insert("error_id".to_owned(), json!(id));
            }
        }
        if raised {
            for error in rejection.errors() {
                let name = error.pointer.trim_start_matches('/').to_owned();
                body.insert(name, json!(error.detail));
            }
        }
        if failure.code == "weak_password" {
            let reasons: Vec<&str> = rejection
                .errors()
                .iter()
                .map(|error| error.detail.as_str())
                .collect();
            body.insert("weak_password".to_owned(), json!({ "reasons": reasons }));
        }
        let headers = written.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Ok(code) = HeaderValue::from_str(&failure.code) {
            headers.insert("x-sb-error-code", code);
        }
        if is_dated {
            headers.insert(API_VERSION, V20240101);
        }
        written.body(Value::Object(body).to_string())
    }
}
