//! The error format: the body of every error, in the shape of the requested API version.

use http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use http::{Method, StatusCode};
use innkeeper_rest::{ErrorFormat, Head, Rejection, RejectionKind, Response};
use serde_json::{Map, Value, json};

use super::client::query_value;
use super::version::{API_VERSION, V20240101, api_version};
use crate::base::client::ApiVersion;
use crate::base::error::OAuthWord;
use crate::base::error_code::ErrorCode;
use crate::base::raised::Raised;
use crate::config::Profile;
use crate::crypto::password::Weakness;
use crate::http::pages::errors::PageErrors;
use crate::http::pages::paths::is_page;

/// The limit of request bodies, in bytes.
pub(crate) const BODY_LIMIT: u64 = 1024 * 1024;

/// The header that carries the request id to the error format, whichever header the client sent it in.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The header that carries the error code.
pub(crate) const ERROR_CODE: HeaderName = HeaderName::from_static("x-sb-error-code");

/// The message of a request that took too long.
pub(crate) const TIMEOUT_MESSAGE: &str =
    "Processing this request timed out, please retry after a moment.";

/// Writes every error, including those of the framework.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JsonErrors {
    pub(crate) profile: Profile,
}

/// Writes errors as pages for people, and as JSON for programs.
#[derive(Debug, Clone)]
pub(crate) struct ErrorFormats {
    pub(crate) json: JsonErrors,
    /// `None` if the server has no pages.
    pub(crate) pages: Option<PageErrors>,
}

impl ErrorFormat for ErrorFormats {
    fn schemas(&self) -> Vec<(&'static str, Value)> {
        self.json.schemas()
    }

    fn write(&self, rejection: &Rejection, head: &Head, response: Response) -> Response {
        match &self.pages {
            Some(pages) if is_for_people(head) => pages.write(rejection, head, response),
            _ => self.json.write(rejection, head, response),
        }
    }
}

/// Whether a request is for a page: one of the account, or the one that a link of a mail opens.
fn is_for_people(head: &Head) -> bool {
    let path = head.path();
    is_page(path) || (path.trim_end_matches('/') == "/verify" && is_browser(head))
}

/// Whether a request for `/verify` opens a link, or sends the form of the page that a link opens. Programs send JSON,
/// some of them with the content type of forms.
pub(crate) fn is_browser(head: &Head) -> bool {
    let is_form = |kind: &str| kind.starts_with("application/x-www-form-urlencoded");
    head.method() != Method::POST
        || (head.header_text(CONTENT_TYPE).is_some_and(is_form)
            && query_value(head, "token").is_some())
}

/// An error as clients of this server know it.
struct WireError<'a> {
    status: StatusCode,
    code: &'a str,
    message: String,
}

impl<'a> WireError<'a> {
    /// Translates the rejections of the framework into the codes and messages of GoTrue.
    fn of(rejection: &'a Rejection) -> Self {
        let (status, message) = (rejection.status(), rejection.message().to_owned());
        let (status, code, message) = match rejection.kind() {
            RejectionKind::MalformedBody
            | RejectionKind::UnprocessableEntity
            | RejectionKind::UnsupportedMediaType => (
                StatusCode::BAD_REQUEST,
                ErrorCode::BadJson,
                format!(
                    "Could not parse request body as JSON: {}",
                    body_problem(rejection)
                ),
            ),
            RejectionKind::MissingParameter | RejectionKind::MalformedParameter => (
                StatusCode::BAD_REQUEST,
                ErrorCode::ValidationFailed,
                message,
            ),
            RejectionKind::BodyTooLarge => (
                status,
                ErrorCode::RequestEntityTooLarge,
                format!("Request body too large (max {BODY_LIMIT} bytes)"),
            ),
            RejectionKind::Timeout => (
                StatusCode::GATEWAY_TIMEOUT,
                ErrorCode::RequestTimeout,
                TIMEOUT_MESSAGE.to_owned(),
            ),
            RejectionKind::SlowBody => (status, ErrorCode::RequestTimeout, message),
            RejectionKind::Internal => (
                status,
                ErrorCode::UnexpectedFailure,
                "Unexpected failure, please check server logs for more information".to_owned(),
            ),
            RejectionKind::NotFound => (status, ErrorCode::NotFound, message),
            RejectionKind::MethodNotAllowed => (status, ErrorCode::MethodNotAllowed, message),
            _ => {
                let code = rejection.code();
                return Self {
                    status,
                    code,
                    message,
                };
            }
        };
        Self {
            status,
            code: code.as_str(),
            message,
        }
    }
}

/// Says what is wrong with a body, and where.
fn body_problem(rejection: &Rejection) -> String {
    let Some(error) = rejection.errors().first() else {
        return rejection.message().to_owned();
    };
    if error.pointer.is_empty() {
        error.detail.clone()
    } else {
        format!("{}: {}", error.pointer, error.detail)
    }
}

impl ErrorFormat for JsonErrors {
    fn schemas(&self) -> Vec<(&'static str, Value)> {
        vec![("application/json", super::openapi::error_schema())]
    }

    fn write(&self, rejection: &Rejection, head: &Head, response: Response) -> Response {
        let error = WireError::of(rejection);
        let mut written = Response::status(error.status.as_u16());
        *written.headers_mut() = response.headers().clone();
        if self.profile == Profile::Gotrue {
            match rejection.kind() {
                RejectionKind::NotFound => {
                    return written
                        .content_type("text/plain; charset=utf-8")
                        .body("404 page not found\n");
                }
                RejectionKind::MethodNotAllowed => return written,
                _ => {}
            }
        }
        if let Some(OAuthWord(word)) = rejection.details::<OAuthWord>() {
            let body = json!({ "error": word, "error_description": error.message });
            return written
                .content_type("application/json")
                .body(body.to_string());
        }
        let version = api_version(head);
        let body = self.body(rejection, &error, version, head);
        let headers = written.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Ok(code) = HeaderValue::from_str(error.code) {
            headers.insert(ERROR_CODE, code);
        }
        if version == ApiVersion::V20240101 {
            headers.insert(API_VERSION, V20240101);
        }
        written.body(Value::Object(body).to_string())
    }
}

impl JsonErrors {
    fn body(
        self,
        rejection: &Rejection,
        error: &WireError<'_>,
        version: ApiVersion,
        head: &Head,
    ) -> Map<String, Value> {
        let raised = rejection.details::<Raised>();
        let mut body = Map::new();
        // GoTrue has one shape for exceptions of the application.
        let has_one_shape = raised.is_some() && self.profile == Profile::Gotrue;
        if version == ApiVersion::V20240101 || has_one_shape {
            body.insert("code".to_owned(), json!(error.code));
            body.insert("message".to_owned(), json!(error.message));
        } else {
            body.insert("code".to_owned(), json!(error.status.as_u16()));
            body.insert("error_code".to_owned(), json!(error.code));
            body.insert("msg".to_owned(), json!(error.message));
            let id = head.header_text(REQUEST_ID);
            if let Some(id) = id.filter(|_| error.status.is_server_error()) {
                body.insert("error_id".to_owned(), json!(id));
            }
        }
        if let Some(raised) = raised {
            for (name, text) in [("detail", &raised.detail), ("hint", &raised.hint)] {
                if let Some(text) = text {
                    body.insert(name.to_owned(), json!(text));
                }
            }
        }
        if let Some(weakness) = rejection.details::<Weakness>() {
            let reasons = json!({ "reasons": weakness.reasons });
            body.insert("weak_password".to_owned(), reasons);
        }
        body
    }
}
