//! Formats of error responses.

use innkeeper_rest::testing::{Client, TestResponse};
use innkeeper_rest::{
    App, ErrorFormat, Head, PlainText, Problem, Rejection, Response, RestApi, StatusCode, resource,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::log::Log;

#[derive(Deserialize)]
#[expect(dead_code, reason = "only read to be wrong")]
struct Order {
    amount: u32,
}

struct Orders;

#[resource("/orders")]
impl Orders {
    #[get("/{id}")]
    fn one(&self, id: u32) -> Result<u32, Rejection> {
        if id == 500 {
            return Err(Rejection::internal("the ledger is on fire"));
        }
        Ok(id)
    }

    #[post]
    async fn create(&self, order: Order) -> Response {
        let _ = order;
        Response::created()
    }

    #[get]
    fn busy(&self) -> Result<(), Rejection> {
        let refusal = Rejection::new(StatusCode::TOO_MANY_REQUESTS, "busy", "come back later");
        Err(refusal.with_header(
            innkeeper_rest::HeaderName::from_static("retry-after"),
            innkeeper_rest::HeaderValue::from_static("3"),
        ))
    }
}

fn client(format: impl ErrorFormat) -> Client {
    let api = RestApi::new(Orders).errors(format);
    Client::new(App::new().mount("/", api)).unwrap()
}

fn json(response: &TestResponse) -> Value {
    response.json().unwrap()
}

#[tokio::test]
async fn problem_details_are_the_default() {
    let client = Client::new(App::new().mount("/", RestApi::new(Orders))).unwrap();
    let response = client.get("/orders/x").send().await;
    assert_eq!(response.status(), 400);
    assert_eq!(
        response.header("content-type"),
        Some("application/problem+json")
    );
    let body = json(&response);
    assert_eq!(
        body,
        json!({
            "type": "about:blank",
            "title": "Bad Request",
            "status": 400,
            "detail": body["detail"],
            "code": "malformed_parameter",
            "parameter": "id",
        })
    );
    let detail = body["detail"].as_str().unwrap();
    assert!(detail.starts_with("path parameter `id`: "), "{detail}");
}

#[tokio::test]
async fn problem_details_list_what_is_wrong_with_an_entity() {
    let client = client(Problem);
    let response = client.post("/orders").json(&json!({"amount": "x"})).send();
    let response = response.await;
    assert_eq!(response.status(), 422);
    let body = json(&response);
    assert_eq!(
        body,
        json!({
            "type": "about:blank",
            "title": "Unprocessable Entity",
            "status": 422,
            "detail": "the body does not have the expected shape",
            "code": "unprocessable_entity",
            "errors": [{"pointer": "/amount", "detail": body["errors"][0]["detail"]}],
        })
    );
}

#[tokio::test]
async fn what_went_wrong_inside_is_logged_and_not_sent() {
    let log = Log::start();
    let response = client(Problem).get("/orders/500").send().await;
    assert_eq!(response.status(), 500);
    assert_eq!(
        json(&response),
        json!({
            "type": "about:blank",
            "title": "Internal Server Error",
            "status": 500,
            "detail": "internal server error",
            "code": "internal_error",
        })
    );
    assert!(log.text().contains("the ledger is on fire"));
}

/// Writes `code` as a number for old clients and as a word for new ones.
struct CodeAndMessage;

impl ErrorFormat for CodeAndMessage {
    fn write(&self, rejection: &Rejection, head: &Head, response: Response) -> Response {
        let message = rejection.message();
        match head.header_text("x-api-version") {
            Some("2") => response.entity(json!({"code": rejection.code(), "message": message})),
            _ => response
                .entity(json!({"code": rejection.status().as_u16(), "msg": message}))
                .content_type("application/json; charset=utf-8"),
        }
    }
}

#[tokio::test]
async fn a_format_may_follow_a_request_header() {
    let client = client(CodeAndMessage);
    let old = client.get("/orders").send().await;
    assert_eq!(old.status(), 429);
    assert_eq!(
        old.header("content-type"),
        Some("application/json; charset=utf-8")
    );
    assert_eq!(json(&old), json!({"code": 429, "msg": "come back later"}));
    let new = client.get("/orders").header("x-api-version", "2").send();
    let new = new.await;
    assert_eq!(new.header("content-type"), Some("application/json"));
    assert_eq!(
        json(&new),
        json!({"code": "busy", "message": "come back later"})
    );
    assert_eq!(new.header("retry-after"), Some("3"), "of the rejection");
    let missing = client.get("/elsewhere").send().await;
    assert_eq!(json(&missing), json!({"code": 404, "msg": "not found"}));
}

#[tokio::test]
async fn plain_text_becomes_json_for_clients_that_ask_for_it() {
    let client = client(PlainText);
    for accept in [
        None,
        Some("*/*"),
        Some("text/plain"),
        Some("text/html, */*;q=0.1"),
    ] {
        let mut request = client.get("/orders");
        if let Some(accept) = accept {
            request = request.header("accept", accept);
        }
        let response = request.send().await;
        assert_eq!(response.text(), "come back later\n", "{accept:?}");
        assert_eq!(
            response.header("content-type"),
            Some("text/plain; charset=utf-8")
        );
        assert_eq!(response.header("vary"), Some("accept"));
    }
    let accept = "application/json, text/plain;q=0.5";
    let response = client.get("/orders").header("accept", accept).send().await;
    assert_eq!(
        json(&response),
        json!({
            "type": "about:blank",
            "title": "Too Many Requests",
            "status": 429,
            "detail": "come back later",
            "code": "busy",
        })
    );
}

#[tokio::test]
async fn errors_are_sent_whatever_the_client_accepts() {
    let client = client(Problem);
    let request = client.get("/elsewhere").header("accept", "image/png");
    let response = request.send().await;
    assert_eq!(response.status(), 404);
    assert_eq!(
        response.header("content-type"),
        Some("application/problem+json")
    );
}

/// Sends errors as 200, for clients that only read bodies of successful responses.
struct AlwaysFine;

impl ErrorFormat for AlwaysFine {
    fn write(&self, rejection: &Rejection, _: &Head, response: Response) -> Response {
        let status = rejection.status().as_u16();
        let mut fine = Response::ok()
            .header("x-status", status.to_string())
            .header("cache-control", "no-store")
            .body(rejection.code().to_owned())
            .content_type("text/plain");
        if let Some(wait) = response.headers().get("retry-after") {
            fine.headers_mut().insert("x-wait", wait.clone());
        }
        fine
    }
}

#[tokio::test]
async fn a_format_may_change_status_headers_and_body() {
    let response = client(AlwaysFine).get("/orders").send().await;
    assert_eq!(response.status(), 200);
    assert_eq!(response.header("x-status"), Some("429"));
    assert_eq!(response.header("cache-control"), Some("no-store"));
    assert_eq!(response.header("retry-after"), None);
    assert_eq!(response.header("x-wait"), Some("3"));
    assert_eq!(response.text(), "busy");
}

/// Returns responses that cannot be written.
struct Broken;

impl ErrorFormat for Broken {
    fn write(&self, rejection: &Rejection, _: &Head, response: Response) -> Response {
        match rejection.status().as_u16() {
            404 => response.entity(std::collections::BTreeMap::from([((1, 2), 3)])),
            400 => response.header("no name", "x"),
            _ => Response::not_acceptable(),
        }
    }
}

#[tokio::test]
async fn a_format_that_fails_is_a_500_in_the_default_format() {
    let client = client(Broken);
    for path in ["/elsewhere", "/orders/x", "/orders"] {
        let log = Log::start();
        let response = client.get(path).send().await;
        assert_eq!(response.status(), 500, "{path}");
        assert_eq!(json(&response)["detail"], "internal server error");
        assert!(log.text().contains("failed to write"), "{}", log.text());
    }
}
