//! `#[derive(ApiError)]`.

use std::fmt;

use innkeeper_rest::testing::{Client, TestResponse};
use innkeeper_rest::{ApiError, App, PlainText, RestApi, StatusCode, resource};
use serde_json::json;

use super::json;
use crate::errors::log::Log;

#[derive(Debug, ApiError)]
enum UserError {
    #[api(status = 404)]
    NotFound,
    #[api(status = 409, code = "taken")]
    EmailTaken { email: String },
    #[api(status = 503)]
    Database(&'static str),
    #[api(transparent)]
    Limit(LimitError),
}

impl fmt::Display for UserError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound => f.write_str("no such user"),
            Self::EmailTaken { email } => write!(f, "{email} is in use"),
            Self::Database(cause) => write!(f, "database: {cause}"),
            Self::Limit(error) => error.fmt(f),
        }
    }
}

#[derive(Debug, ApiError)]
#[api(status = 429, code = "slow_down")]
struct LimitError(u32);

impl fmt::Display for LimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "wait {} seconds", self.0)
    }
}

struct Users;

#[resource("/users")]
impl Users {
    #[get("/{kind}")]
    async fn fail(&self, kind: &str) -> Result<u8, UserError> {
        Err(match kind {
            "missing" => UserError::NotFound,
            "taken" => UserError::EmailTaken {
                email: "ada@example.com".into(),
            },
            "broken" => UserError::Database("password of root is 1234"),
            "limited" => UserError::Limit(LimitError(3)),
            _ => return Ok(1),
        })
    }

    #[get]
    fn limited(&self) -> Result<(), LimitError> {
        Err(LimitError(5))
    }
}

async fn get(path: &str) -> TestResponse {
    let client = Client::new(App::new().mount("/", RestApi::new(Users))).unwrap();
    client.get(path).send().await
}

#[tokio::test]
async fn each_variant_has_its_status_code_and_message() {
    let response = get("/users/missing").await;
    assert_eq!(response.status(), 404);
    assert_eq!(
        json(&response),
        json!({
            "type": "about:blank",
            "title": "Not Found",
            "status": 404,
            "detail": "no such user",
            "code": "not_found",
        })
    );
    let response = get("/users/taken").await;
    assert_eq!(response.status(), 409);
    assert_eq!(json(&response)["code"], "taken");
    assert_eq!(json(&response)["detail"], "ada@example.com is in use");
    assert_eq!(get("/users/fine").await.text(), "1");
}

#[tokio::test]
async fn a_struct_has_one_status() {
    let response = get("/users").await;
    assert_eq!(response.status(), 429);
    assert_eq!(json(&response)["code"], "slow_down");
    assert_eq!(json(&response)["detail"], "wait 5 seconds");
}

#[tokio::test]
async fn a_transparent_variant_answers_as_its_field() {
    let response = get("/users/limited").await;
    assert_eq!(response.status(), 429);
    assert_eq!(json(&response)["code"], "slow_down");
    assert_eq!(json(&response)["detail"], "wait 3 seconds");
}

#[tokio::test]
async fn the_text_of_a_server_error_is_logged_and_not_sent() {
    let log = Log::start();
    let response = get("/users/broken").await;
    assert_eq!(response.status(), 503);
    assert_eq!(
        json(&response),
        json!({
            "type": "about:blank",
            "title": "Service Unavailable",
            "status": 503,
            "detail": "internal server error",
            "code": "database",
        })
    );
    let log = log.text();
    assert!(log.contains("password of root is 1234"), "{log}");
    assert_eq!(log.matches("ERROR").count(), 1, "logged once: {log}");
}

#[tokio::test]
async fn errors_of_clients_are_not_logged() {
    let log = Log::start();
    get("/users/missing").await;
    assert_eq!(log.text(), "");
}

#[tokio::test]
async fn the_message_goes_through_the_format_of_the_mount() {
    let api = RestApi::new(Users).errors(PlainText);
    let client = Client::new(App::new().mount("/", api)).unwrap();
    let response = client.get("/users/missing").send().await;
    assert_eq!(response.text(), "no such user\n");
}

#[test]
fn what_was_derived_can_be_asked() {
    assert_eq!(UserError::NotFound.status(), StatusCode::NOT_FOUND);
    assert_eq!(UserError::Limit(LimitError(1)).code(), "slow_down");
    let statuses: Vec<u16> = UserError::RESPONSES.iter().map(|r| r.status).collect();
    assert_eq!(statuses, [404, 409, 503]);
}
