//! Error formats: how rejections are written, chosen per mount.

use http::header::{ACCEPT, HeaderValue};
use serde::Serialize;
use serde_json::{Value, json};

use crate::format::quality;
use crate::head::Head;
use crate::rejection::{FieldError, Rejection};
use crate::response::{Content, ContentType, Response};

/// Writes rejections in the shape a mount's clients expect.
///
/// A format gets the rejection, the head of the request, and a response that already has the status
/// and headers of the rejection. It adds a body, and may change everything else.
///
/// ```
/// use innkeeper_rest::{ErrorFormat, Head, Rejection, Response};
///
/// struct CodeAndMessage;
///
/// impl ErrorFormat for CodeAndMessage {
///     fn write(&self, rejection: &Rejection, _: &Head, response: Response) -> Response {
///         let code = rejection.status().as_u16();
///         response.entity(serde_json::json!({ "code": code, "msg": rejection.message() }))
///     }
/// }
/// ```
pub trait ErrorFormat: Send + Sync + 'static {
    /// Writes the response for a rejection. An entity is sent as JSON.
    fn write(&self, rejection: &Rejection, head: &Head, response: Response) -> Response;

    /// Returns the media types it writes and a JSON schema of each, for OpenAPI documents. A schema with
    /// a `title` becomes a component of that name.
    fn schemas(&self) -> Vec<(&'static str, Value)> {
        Vec::new()
    }
}

/// Problem details (RFC 9457), the default.
///
/// ```
/// use innkeeper_rest::{ErrorFormat, Head, Method, Problem, Rejection, Response};
///
/// let head = Head::new(Method::GET, "/nowhere");
/// let response = Problem.write(&Rejection::not_found(), &head, Response::status(404));
/// assert_eq!(response.media_type(), Some("application/problem+json"));
/// assert_eq!(response.entity_json().unwrap()["detail"], "not found");
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Problem;

#[derive(Serialize)]
struct ProblemDetails<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    title: &'a str,
    status: u16,
    detail: &'a str,
    code: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameter: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    errors: &'a [FieldError],
}

impl ErrorFormat for Problem {
    fn write(&self, rejection: &Rejection, _: &Head, mut response: Response) -> Response {
        let status = rejection.status();
        let details = ProblemDetails {
            kind: "about:blank",
            title: status.canonical_reason().unwrap_or("Error"),
            status: status.as_u16(),
            detail: rejection.message(),
            code: rejection.code(),
            parameter: rejection.parameter(),
            errors: rejection.errors(),
        };
        // Strings and numbers always serialize.
        let body = serde_json::to_vec(&details).unwrap_or_default();
        response.set_content_type(HeaderValue::from_static("application/problem+json"));
        response.set_content(Content::Bytes(body.into()));
        response
    }

    fn schemas(&self) -> Vec<(&'static str, Value)> {
        vec![("application/problem+json", problem_schema())]
    }
}

/// The schema of [`ProblemDetails`].
fn problem_schema() -> Value {
    json!({
        "title": "Problem",
        "description": "What went wrong (RFC 9457).",
        "type": "object",
        "required": ["type", "title", "status", "detail", "code"],
        "properties": {
            "type": { "type": "string", "description": "Always `about:blank`: the status says it." },
            "title": { "type": "string", "description": "The status in words." },
            "status": { "type": "integer", "description": "The status." },
            "detail": { "type": "string", "description": "What went wrong, for people." },
            "code": { "type": "string", "description": "What went wrong, for programs." },
            "parameter": {
                "type": "string",
                "description": "The parameter that is missing or malformed."
            },
            "errors": {
                "type": "array",
                "description": "What is wrong with the entity, value by value.",
                "items": {
                    "type": "object",
                    "required": ["pointer", "detail"],
                    "properties": {
                        "pointer": {
                            "type": "string",
                            "description": "JSON pointer to the value; empty for all of it."
                        },
                        "detail": { "type": "string", "description": "What is wrong with it." }
                    }
                }
            }
        }
    })
}

/// A line of plain text, or problem details for clients that prefer JSON.
///
/// ```
/// use innkeeper_rest::{ErrorFormat, Head, Method, PlainText, Rejection, Response};
///
/// let head = Head::new(Method::GET, "/nowhere");
/// let response = PlainText.write(&Rejection::not_found(), &head, Response::status(404));
/// assert_eq!(&response.bytes().unwrap()[..], b"not found\n");
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct PlainText;

impl ErrorFormat for PlainText {
    fn write(&self, rejection: &Rejection, head: &Head, mut response: Response) -> Response {
        response.set_vary_if(true);
        let accept = head.header_text(ACCEPT).unwrap_or("*/*");
        if quality(accept, "application/json") > quality(accept, "text/plain") {
            return Problem.write(rejection, head, response);
        }
        response.set_content_type(ContentType::Plain);
        response.set_content(Content::Bytes(format!("{}\n", rejection.message()).into()));
        response
    }

    fn schemas(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("text/plain", json!({ "type": "string" })),
            ("application/problem+json", problem_schema()),
        ]
    }
}
