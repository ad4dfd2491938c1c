//! Validation of entities that implement `Validate`, and of arguments with rules.

mod context;
mod entities;
mod parameters;
mod schema;

use innkeeper_rest::testing::{Client, TestResponse};
use innkeeper_rest::{App, Resource, RestApi, Shared, Value};
use serde_json::json;

fn client(resource: impl Resource<Mode = Shared>) -> Client {
    Client::new(App::new().mount("/", RestApi::new(resource))).unwrap()
}

/// Checks the whole response to a request with invalid values.
#[track_caller]
fn assert_invalid(response: &TestResponse, detail: &str, errors: &Value) {
    let expected = json!({
        "type": "about:blank",
        "title": "Unprocessable Entity",
        "status": 422,
        "detail": detail,
        "code": "validation_failed",
        "errors": errors,
    });
    assert_eq!(response.json::<Value>().unwrap(), expected);
    assert_eq!(response.status(), 422);
    assert_eq!(
        response.header("content-type"),
        Some("application/problem+json")
    );
}
