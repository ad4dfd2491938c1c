//! Responses in a media type that the client accepts.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use bytes::Bytes;
use innkeeper_rest::testing::{Client, TestResponse};
use innkeeper_rest::{Response, Value, resource};
use serde_json::json;

use crate::sources::{assert_problem, client};

#[derive(Default)]
struct Out {
    calls: Arc<AtomicU32>,
}

#[resource("/out")]
impl Out {
    #[get("/json")]
    fn json(&self) -> Value {
        self.calls.fetch_add(1, Ordering::Relaxed);
        json!({"a": 1})
    }

    #[get("/text")]
    fn text(&self) -> String {
        "a \"b\"".to_owned()
    }

    #[get("/static")]
    async fn fixed(&self) -> Result<&'static str, Response> {
        Ok("fixed")
    }

    #[get("/nothing")]
    fn nothing(&self) {}

    #[get("/response")]
    fn response(&self) -> Response {
        Response::accepted().entity(json!([1]))
    }

    #[get("/refused")]
    fn refused(&self) -> Result<Value, Response> {
        Err(Response::error_with(409, "taken"))
    }

    #[get("/number")]
    fn number(&self, number: u8) -> u8 {
        number
    }

    #[post("/number")]
    fn post(&self, number: u8) -> u8 {
        self.calls.fetch_add(1, Ordering::Relaxed);
        number
    }

    #[get("/png")]
    #[produces("image/png")]
    fn png(&self) -> Response {
        Response::ok().type_("image/png").body("png")
    }

    #[get("/bytes")]
    fn bytes(&self) -> Result<Bytes, Response> {
        Ok(Bytes::from_static(&[0, 255]))
    }

    #[get("/both")]
    #[produces("text/plain", "application/json")]
    fn both(&self) -> u8 {
        7
    }

    #[get("/charset")]
    #[produces("text/html; charset=utf-8")]
    fn charset(&self) -> Response {
        Response::ok().type_("text/html; charset=utf-8").body("<p>")
    }
}

async fn get(client: &Client, path: &str, accept: &str) -> TestResponse {
    let request = client.get(format!("/out/{path}"));
    request.header("accept", accept).send().await
}

const JSON: Option<&str> = Some("application/json");
const TEXT: Option<&str> = Some("text/plain; charset=utf-8");

#[tokio::test]
async fn a_value_is_json_for_everybody_who_takes_it() {
    let client = client(Out::default());
    let without = client.get("/out/json").send().await;
    assert_eq!(without.text(), r#"{"a":1}"#);
    assert_eq!(without.header("content-type"), JSON);
    for accept in [
        "*/*",
        "application/json",
        "APPLICATION/Json",
        "application/*",
        "application/json;q=0.001",
        "application/json; charset=utf-8",
        "text/html, application/xhtml+xml, */*;q=0.1",
        "text/html;q=0, application/*;q=0.5",
        "*/*;q=0, application/json",
        "",
        " , ,",
    ] {
        let response = get(&client, "json", accept).await;
        assert_eq!(response.status(), 200, "{accept}");
        assert_eq!(response.header("content-type"), JSON, "{accept}");
    }
}

#[tokio::test]
async fn what_cannot_be_parsed_counts_as_anything() {
    let client = client(Out::default());
    for accept in [
        "nonsense",
        "text/html;q=2",
        "text/html;q=0.5555",
        "text/html;q=x",
        "text/html;q=",
        "text/html;q=-1",
        "/",
        "text/",
        "/html",
        "*/html",
        "te xt/html",
        "text/html, nonsense",
        "text/h\"tml",
    ] {
        let response = get(&client, "json", accept).await;
        assert_eq!(response.status(), 200, "{accept}");
    }
    let bytes = client.get("/out/json").header("accept", b"text/\xff");
    assert_eq!(bytes.send().await.status(), 200);
}

#[tokio::test]
async fn what_is_not_accepted_is_not_made() {
    let out = Out::default();
    let calls = Arc::clone(&out.calls);
    let client = client(out);
    for accept in [
        "text/html",
        "text/*",
        "application/json;q=0",
        "application/json;q=0.000",
        "*/*;q=0",
        "application/*;q=0, */*",
        "application/json;q=0, */*;q=1",
        "text/html;level=\"1,2\", text/plain",
    ] {
        let response = get(&client, "json", accept).await;
        assert_problem(
            &response,
            406,
            "not_acceptable",
            "none of the accepted media types is available; available: application/json",
        );
        let post = client.post("/out/number").header("accept", accept);
        assert_eq!(post.json(&1).send().await.status(), 406);
    }
    assert_eq!(calls.load(Ordering::Relaxed), 0);
    // The arguments are not even read.
    let both = get(&client, "number?number=x", "text/html").await;
    assert_eq!(both.status(), 406);
}

#[tokio::test]
async fn several_accept_headers_are_one_list() {
    let client = client(Out::default());
    let accepted = client
        .get("/out/json")
        .header("accept", "text/html")
        .header("accept", "application/json");
    assert_eq!(accepted.send().await.status(), 200);
    let refused = client
        .get("/out/json")
        .header("accept", "*/*")
        .header("accept", "application/json;q=0");
    assert_eq!(refused.send().await.status(), 406);
}

#[tokio::test]
async fn text_is_plain_unless_json_is_asked_for() {
    let client = client(Out::default());
    let plain = client.get("/out/text").send().await;
    assert_eq!(plain.text(), "a \"b\"");
    assert_eq!(plain.header("content-type"), TEXT);
    for (accept, expected) in [
        ("*/*", TEXT),
        ("text/plain", TEXT),
        ("text/*, application/json;q=0.9", TEXT),
        ("application/json, text/plain", TEXT),
        ("application/json", JSON),
        ("application/json, text/plain;q=0.9", JSON),
        ("application/json;q=0.2, text/*;q=0.1", JSON),
        ("text/plain;q=0, */*", JSON),
        ("text/*;q=0.9, text/plain;q=0.1, application/*;q=0.5", JSON),
    ] {
        let response = get(&client, "text", accept).await;
        assert_eq!(response.header("content-type"), expected, "{accept}");
    }
    let json = get(&client, "text", "application/json").await;
    assert_eq!(json.text(), r#""a \"b\"""#);
    let json = get(&client, "static", "application/json").await;
    assert_eq!(json.text(), r#""fixed""#);
    let neither = get(&client, "text", "text/html").await;
    assert_problem(
        &neither,
        406,
        "not_acceptable",
        "none of the accepted media types is available; available: text/plain, application/json",
    );
}

#[tokio::test]
async fn answers_that_could_be_otherwise_vary() {
    let client = client(Out::default());
    for path in ["text", "static", "both"] {
        for accept in ["*/*", "application/json", "text/plain"] {
            let response = get(&client, path, accept).await;
            assert_eq!(response.header("vary"), Some("accept"), "{path} {accept}");
        }
    }
    for path in ["json", "response", "png", "nothing"] {
        let response = get(&client, path, "*/*").await;
        assert_eq!(response.header("vary"), None, "{path}");
    }
}

#[tokio::test]
async fn an_answer_without_content_is_acceptable_to_all() {
    let response = get(&client(Out::default()), "nothing", "text/html").await;
    assert_eq!(response.status(), 204);
}

#[tokio::test]
async fn a_response_is_negotiated_like_a_value() {
    let client = client(Out::default());
    let response = get(&client, "response", "application/json").await;
    assert_eq!((response.status(), response.text()), (202, "[1]".into()));
    assert_eq!(get(&client, "response", "text/html").await.status(), 406);
}

#[tokio::test]
async fn bytes_are_offered_as_octets_alone() {
    let client = client(Out::default());
    for accept in ["application/octet-stream", "application/*", "*/*"] {
        let response = get(&client, "bytes", accept).await;
        assert_eq!(response.bytes(), &[0, 255][..], "{accept}");
        let sent = response.header("content-type");
        assert_eq!(sent, Some("application/octet-stream"));
        assert_eq!(response.header("vary"), None);
    }
    let refused = get(&client, "bytes", "application/json").await;
    assert_problem(
        &refused,
        406,
        "not_acceptable",
        "none of the accepted media types is available; available: application/octet-stream",
    );
}

#[tokio::test]
async fn errors_are_sent_whatever_is_accepted() {
    let client = client(Out::default());
    for accept in ["application/json", "*/*", "application/json;q=0.5, image/*"] {
        let refused = get(&client, "refused", accept).await;
        assert_problem(&refused, 409, "conflict", "taken");
        let missing = get(&client, "number", accept).await;
        assert_eq!(missing.status(), 400);
    }
    for accept in ["image/png", "*/*;q=0", "nonsense"] {
        let nowhere = get(&client, "nowhere", accept).await;
        assert_problem(&nowhere, 404, "not_found", "not found");
        let request = client.delete("/out/json").header("accept", accept);
        assert_eq!(request.send().await.status(), 405);
    }
}

#[tokio::test]
async fn produces_says_what_a_handler_writes_itself() {
    let client = client(Out::default());
    for accept in ["image/png", "image/*", "*/*", "text/html, image/png;q=0.1"] {
        let response = get(&client, "png", accept).await;
        assert_eq!(response.text(), "png");
        assert_eq!(response.header("content-type"), Some("image/png"));
    }
    let response = get(&client, "png", "application/json").await;
    assert_problem(
        &response,
        406,
        "not_acceptable",
        "none of the accepted media types is available; available: image/png",
    );
    let html = get(&client, "charset", "text/html").await;
    assert_eq!(html.text(), "<p>");
    assert_eq!(
        html.header("content-type"),
        Some("text/html; charset=utf-8")
    );
}

#[tokio::test]
async fn produces_chooses_and_orders_formats() {
    let client = client(Out::default());
    let first = client.get("/out/both").send().await;
    assert_eq!(first.header("content-type"), TEXT);
    assert_eq!(first.text(), "7");
    let json = get(&client, "both", "application/json").await;
    assert_eq!(json.header("content-type"), JSON);
    assert_eq!(json.text(), "7");
}
