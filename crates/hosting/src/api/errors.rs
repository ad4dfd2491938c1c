//! How errors are written: one line of text, or JSON for those who ask for it.

use http::header::ACCEPT;
use innkeeper_rest::{ErrorFormat, Head, Rejection, Response, quality};
use serde::Serialize;

/// Errors may be over in a moment.
const CACHE_CONTROL: &str = "no-store";
/// The endpoints below this path are for programs.
const CONTROL: &str = "/v1/hosting/";

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
}

impl ErrorFormat for Errors {
    fn write(&self, rejection: &Rejection, head: &Head, response: Response) -> Response {
        let response = response.header("cache-control", CACHE_CONTROL);
        if !wants_json(head) {
            let line = rejection.message().replace(['\r', '\n'], " ");
            return response
                .header("vary", "accept")
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
        };
        // Texts and numbers always serialize.
        let body = serde_json::to_vec(&problem).unwrap_or_default();
        response
            .header("vary", "accept")
            .content_type("application/problem+json")
            .body(body)
    }
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
