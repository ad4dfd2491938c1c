//! Settings of mounts and methods: formats, OPTIONS.

use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, Method, PlainText, RestApi, Value, resource};

use crate::sources::{assert_problem, client};

struct Echo;

#[resource("/echo")]
impl Echo {
    #[post]
    fn echo(&self, any: Value) -> Value {
        any
    }

    #[post("/csv")]
    #[consumes("text/csv; header=present", "text/plain")]
    fn csv(&self, any: String) -> String {
        any
    }

    #[post("/field")]
    fn field(&self, #[param] name: String) -> String {
        name
    }

    #[get]
    fn get(&self) -> u8 {
        1
    }
}

fn json_only() -> Client {
    let api = RestApi::new(Echo).read_everything_as_json();
    Client::new(App::new().mount("/", api)).unwrap()
}

#[tokio::test]
async fn a_mount_may_read_everything_as_json() {
    let client = json_only();
    for content_type in [
        "application/x-www-form-urlencoded",
        "text/plain",
        "application/xml; charset=utf-16",
        "multipart/form-data",
        "nonsense",
    ] {
        let request = client.post("/echo").header("content-type", content_type);
        let response = request.body(r#"{"a":[1]}"#).send().await;
        assert_eq!(response.text(), r#"{"a":[1]}"#, "{content_type}");
    }
    let request = client.post("/echo").header("content-type", "text/plain");
    assert_eq!(request.body("hello").send().await.status(), 400);
}

#[tokio::test]
async fn form_fields_stay_parameters_where_everything_is_json() {
    let response = json_only().post("/echo/field").form("name=a").send().await;
    assert_eq!(response.text(), "a");
}

#[tokio::test]
async fn consumes_is_compared_without_parameters() {
    let client = client(Echo);
    let text = client
        .post("/echo/csv")
        .header("content-type", "text/plain");
    assert_eq!(text.body("a,b").send().await.text(), "a,b");
    // The method allows the type, but no format reads it.
    let csv = client.post("/echo/csv").header("content-type", "text/csv");
    assert_eq!(csv.body("a,b").send().await.status(), 415);
}

#[tokio::test]
async fn unsupported_types_are_refused_in_the_format_of_the_mount() {
    let api = RestApi::new(Echo).errors(PlainText);
    let client = Client::new(App::new().mount("/", api)).unwrap();
    let request = client.post("/echo").header("content-type", "image/gif");
    let response = request.body("GIF89a").send().await;
    assert_eq!(response.status(), 415);
    assert_eq!(
        response.header("content-type"),
        Some("text/plain; charset=utf-8")
    );
    assert!(
        response
            .text()
            .starts_with("content type `image/gif` is not supported")
    );
    let request = client.get("/echo").header("accept", "image/gif");
    assert_eq!(
        request.send().await.text(),
        "none of the accepted media types is available; available: application/json\n"
    );
}

#[tokio::test]
async fn options_is_answered_unless_switched_off() {
    let on = client(Echo).request(Method::OPTIONS, "/echo").send().await;
    assert_eq!(on.status(), 204);
    assert_eq!(on.header("allow"), Some("POST, GET, HEAD, OPTIONS"));
    let api = RestApi::new(Echo).automatic_options(false);
    let client = Client::new(App::new().mount("/", api)).unwrap();
    let off = client.request(Method::OPTIONS, "/echo").send().await;
    assert_problem(&off, 405, "method_not_allowed", "method not allowed");
    assert_eq!(off.header("allow"), Some("POST, GET, HEAD"));
}
