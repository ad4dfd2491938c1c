//! Handlers that answer with a `Response`, which may have a media type of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use innkeeper_rest::testing::{Client, TestResponse};
use innkeeper_rest::{Async, Rejection, Response, resource};
use serde::Serialize;
use serde_json::json;

use crate::sources::{assert_problem, client};

#[derive(Default)]
struct Reports {
    calls: Arc<AtomicU32>,
}

#[resource("/reports")]
impl Reports {
    #[get]
    fn report(&self, #[param(default = 200)] status: u16) -> Response {
        let report = Response::status(status);
        match status {
            200 => report.type_("text/csv").body("a,b"),
            201 => report
                .type_("text/csv")
                .stream(futures_util::stream::iter([Ok::<_, std::io::Error>("a")])),
            203 => report.type_("application/hal+json").entity(json!({"a": 1})),
            204 => report,
            _ => report.entity(json!({"a": 1})),
        }
    }

    #[post]
    fn make(&self) -> Response {
        self.calls.fetch_add(1, Ordering::Relaxed);
        Response::created().entity(json!({"a": 1}))
    }

    #[get("/later")]
    fn later(&self) -> Async<Result<Response, Rejection>> {
        Async::new(async { Ok(Response::ok().type_("text/csv").body("a,b")) })
    }

    #[get("/entity")]
    fn entity(&self) -> Response {
        Response::accepted()
            .header("etag", "\"1\"")
            .entity(json!({"a": 1}))
    }

    #[get("/hidden")]
    fn hidden(&self) -> impl Serialize + use<> {
        [1]
    }
}

async fn get(client: &Client, path: &str, accept: &str) -> TestResponse {
    let request = client.get(format!("/reports{path}"));
    request.header("accept", accept).send().await
}

const JSON: Option<&str> = Some("application/json");

#[tokio::test]
async fn a_response_of_its_own_type_is_sent_whatever_is_accepted() {
    let client = client(Reports::default());
    for (path, status, kind, text) in [
        ("", 200, Some("text/csv"), "a,b"),
        ("/later", 200, Some("text/csv"), "a,b"),
        ("?status=201", 201, Some("text/csv"), "a"),
        (
            "?status=203",
            203,
            Some("application/hal+json"),
            r#"{"a":1}"#,
        ),
        ("?status=204", 204, None, ""),
        // An error, too.
        ("?status=409", 409, JSON, r#"{"a":1}"#),
    ] {
        for accept in [
            "text/csv",
            "text/html",
            "*/*;q=0",
            "*/*",
            "application/json",
        ] {
            let response = get(&client, path, accept).await;
            assert_eq!(response.status(), status, "{path} {accept}");
            assert_eq!(response.header("content-type"), kind, "{path} {accept}");
            assert_eq!(response.text(), text, "{path} {accept}");
        }
    }
}

#[tokio::test]
async fn an_entity_that_is_not_accepted_is_refused_unless_something_was_done() {
    let reports = Reports::default();
    let calls = Arc::clone(&reports.calls);
    let client = client(reports);
    for path in ["/entity", "/hidden"] {
        let refused = get(&client, path, "text/html").await;
        assert_problem(
            &refused,
            406,
            "not_acceptable",
            "none of the accepted media types is available; available: application/json",
        );
        assert_eq!(refused.header("etag"), None, "{path}");
        let accepted = get(&client, path, "text/html, */*;q=0.1").await;
        assert_eq!(accepted.header("content-type"), JSON, "{path}");
    }
    let made = client.post("/reports").header("accept", "text/html");
    let made = made.send().await;
    assert_eq!((made.status(), made.text()), (201, r#"{"a":1}"#.into()));
    assert_eq!(made.header("content-type"), JSON);
    assert_eq!(calls.load(Ordering::Relaxed), 1);
}
