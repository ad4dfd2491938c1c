//! The format of errors: one line of text, or problem details for clients that prefer JSON.

use http::StatusCode;
use http::header::{ACCEPT, HeaderValue, VARY};
use innkeeper_rest::{ErrorFormat, FieldError, Head, Rejection, RejectionKind, Response, quality};
use innkeeper_service::html::NotFoundPage;
use serde::Serialize;
use serde_json::{Value, json};

/// Errors may be temporary, so they are not cached.
pub(super) const CACHE_CONTROL: &str = "no-store";

/// The routes below this path are scripts that browsers run.
const SCRIPTS: &str = "/v1/heo-status";

const NOT_FOUND: NotFoundPage = NotFoundPage {
    server: "Innkeeper hosting",
    links: &[
        ("/v1/docs", "API documentation"),
        ("/v1/status.html", "Status of the service"),
    ],
};

/// The error format of the public routes.
#[derive(Debug, Clone, Copy)]
pub(super) struct ErrorResponses;

/// Problem details (RFC 9457), with the message also under the name `message`, which many clients read.
#[derive(Serialize)]
struct ProblemDetails<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    title: &'a str,
    status: u16,
    detail: &'a str,
    message: &'a str,
    code: &'a str,
    instance: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameter: Option<&'a str>,
    #[serde(skip_serializing_if = "<[FieldError]>::is_empty")]
    errors: &'a [FieldError],
}

impl ErrorFormat for ErrorResponses {
    fn write(&self, rejection: &Rejection, head: &Head, response: Response) -> Response {
        let response = response.header("cache-control", CACHE_CONTROL);
        // No page loads a script with another method.
        let is_loaded = rejection.status() != StatusCode::METHOD_NOT_ALLOWED;
        if head.path().starts_with(SCRIPTS) && is_loaded {
            // A page that loads a script gets one that does nothing.
            let line = rejection.message().replace(['\r', '\n', '*'], " ");
            return response
                .header("x-content-type-options", "nosniff")
                .header("cross-origin-resource-policy", "cross-origin")
                .content_type("application/javascript; charset=utf-8")
                .body(format!("/* {line} */\n"));
        }
        let response = vary_by_accept(response);
        if rejection.kind() == RejectionKind::NotFound && NotFoundPage::is_for(head) {
            return NOT_FOUND.write(head.path(), response);
        }
        if !prefers_json(head) {
            let line = message_line(rejection).replace(['\r', '\n'], " ");
            return response
                .content_type("text/plain; charset=utf-8")
                .body(line);
        }
        let status = rejection.status();
        let problem = ProblemDetails {
            kind: "about:blank",
            title: status.canonical_reason().unwrap_or("Error"),
            status: status.as_u16(),
            detail: rejection.message(),
            message: rejection.message(),
            code: rejection.code(),
            instance: head.path(),
            parameter: rejection.parameter(),
            errors: rejection.errors(),
        };
        // Texts and numbers always serialize.
        let body = serde_json::to_vec(&problem).unwrap_or_default();
        response.content_type("application/problem+json").body(body)
    }

    fn schemas(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("text/plain", json!({ "type": "string" })),
            ("application/problem+json", problem_schema()),
        ]
    }
}

/// Returns the schema of [`ProblemDetails`].
fn problem_schema() -> Value {
    let texts = ["type", "title", "detail", "message", "code", "instance"];
    let texts = texts.map(|name| (name.to_owned(), json!({ "type": "string" })));
    let mut properties: serde_json::Map<String, Value> = texts.into_iter().collect();
    let parts = json!({
        "type": "array",
        "items": {
            "type": "object",
            "required": ["pointer", "detail"],
            "properties": { "pointer": { "type": "string" }, "detail": { "type": "string" } },
        },
    });
    properties.extend([
        ("status".to_owned(), json!({ "type": "integer" })),
        ("parameter".to_owned(), json!({ "type": "string" })),
        ("errors".to_owned(), parts),
    ]);
    json!({
        "title": "Problem",
        "description": "Problem details (RFC 9457).",
        "type": "object",
        "required": ["type", "title", "status", "detail", "message", "code", "instance"],
        "properties": properties,
    })
}

/// Adds `Accept` to the headers that the response varies by.
fn vary_by_accept(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.append(VARY, HeaderValue::from_static("accept"));
    response
}

/// Returns the message in one line, with the details of fields that it does not mention.
fn message_line(rejection: &Rejection) -> String {
    let message = rejection.message();
    let parts = rejection.errors().iter();
    let parts = parts
        .filter(|error| !message.contains(&error.detail))
        .map(|error| match error.pointer.trim_start_matches('/') {
            "" => error.detail.clone(),
            field => format!("{field}: {}", error.detail),
        });
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() {
        return message.to_owned();
    }
    format!("{message}: {}", parts.join("; "))
}

fn prefers_json(head: &Head) -> bool {
    let accept = head.header_text(ACCEPT).unwrap_or("*/*");
    let json = ["application/json", "application/problem+json"];
    let json = json.map(|media_type| quality(accept, media_type));
    json.into_iter().max() > Some(quality(accept, "text/plain"))
}
