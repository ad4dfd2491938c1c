//! Sources of arguments.

mod brackets;
mod forms;
mod implied;
mod refusals;
mod table;
mod types;
mod values;

use innkeeper_rest::testing::{Client, TestResponse};
use innkeeper_rest::{App, Resource, RestApi, Shared, Value};
use serde_json::json;

/// Returns a client of an application with this resource mounted at `/`.
pub(crate) fn client(resource: impl Resource<Mode = Shared>) -> Client {
    Client::new(App::new().mount("/", RestApi::new(resource))).unwrap()
}

/// Checks the whole response to a malformed parameter.
#[track_caller]
pub(crate) fn assert_malformed(response: &TestResponse, parameter: &str, detail: &str) {
    assert_refused(response, "malformed_parameter", parameter, detail);
}

/// Checks the whole response to a missing parameter.
#[track_caller]
pub(crate) fn assert_missing(response: &TestResponse, source: &str, parameter: &str) {
    let detail = format!("{source} `{parameter}` is missing");
    assert_refused(response, "missing_parameter", parameter, &detail);
}

#[track_caller]
fn assert_refused(response: &TestResponse, code: &str, parameter: &str, detail: &str) {
    let expected = json!({
        "type": "about:blank",
        "title": "Bad Request",
        "status": 400,
        "detail": detail,
        "code": code,
        "parameter": parameter,
    });
    assert_eq!(response.json::<Value>().unwrap(), expected);
    assert_eq!(response.status(), 400);
    assert_eq!(
        response.header("content-type"),
        Some("application/problem+json")
    );
}

/// Checks the whole response to a request whose error is not about one parameter.
#[track_caller]
pub(crate) fn assert_problem(response: &TestResponse, status: u16, code: &str, detail: &str) {
    let body = response.json::<Value>().unwrap_or_default();
    assert_eq!(body["detail"], detail);
    assert_eq!(body["code"], code);
    assert_eq!(body["status"], status);
    assert_eq!(response.status(), status);
}
