//! How errors are written: one line of text, or JSON for those who ask for it.

use http::header::{ACCEPT, HeaderValue, VARY};
use innkeeper_rest::{ErrorFormat, FieldError, Head, Rejection, Response, quality};
use serde::Serialize;
use serde_json::{Value, json};

/// Errors may be over in a moment.
const CACHE_CONTROL: &str = "no-store";
/// The endpoints below this path are for programs.
const CONTROL: &str = "/v1/hosting/";

/// What is below this path is run by browsers.
const SCRIPTS: &str = "/v1/heo-status";

#[derive(Debug, Clone, Copy)]
pub(super) struct Errors;

/// RFC 9457, with the message under the name that clients look for as well.
#[derive(Serialize)]
struct Problem<'a> {
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

impl ErrorFormat for Errors {
    fn write(&self, rejection: &Rejection, head: &Head, response: Response) -> Response {
        let response = response.header("cache-control", CACHE_CONTROL);
        if head.path().starts_with(SCRIPTS) {
            // A page that asked for a script gets one that does nothing.
            let line = rejection.message().replace(['\r', '\n', '*'], " ");
            return response
                .header("x-content-type-options", "nosniff")
                .header("cross-origin-resource-policy", "cross-origin")
                .content_type("application/javascript; charset=utf-8")
                .body(format!("/* {line} */\n"));
        }
        let response = by_accept(response);
        if !wants_json(head) {
            let line = told(rejection).replace(['\r', '\n'], " ");
            return response
                .content_type("text/plain; charset=utf-8")
                .body(line);
        }
        let status = rejection.status();
        let problem = Problem {
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

/// The schema of [`Problem`].
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
        "description": "What went wrong (RFC 9457).",
        "type": "object",
        "required": ["type", "title", "status", "detail", "message", "code", "instance"],
        "properties": properties,
    })
}

/// Says that the answer depends on what is accepted, besides what it depends on already.
fn by_accept(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.append(VARY, HeaderValue::from_static("accept"));
    response
}

/// What is wrong, in one line. Where the message does not say it, its parts do.
fn told(rejection: &Rejection) -> String {
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

fn wants_json(head: &Head) -> bool {
    if head.path().starts_with(CONTROL) {
        return true;
    }
    let accept = head.header_text(ACCEPT).unwrap_or("*/*");
    let json = ["application/json", "application/problem+json"];
    let json = json.map(|media_type| quality(accept, media_type));
    json.into_iter().max() > Some(quality(accept, "text/plain"))
}
