//! Ids of requests.

use std::collections::HashSet;

use innkeeper_rest::filter::{RequestId, RequestIds, Trace};
use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, HeaderName, RestApi, resource};

use crate::errors::log::Log;

struct Echo;

#[resource("/echo")]
impl Echo {
    #[get]
    fn id(&self, #[value] id: RequestId) -> String {
        id.to_string()
    }
}

fn client(ids: RequestIds) -> Client {
    let app = App::new().filter(ids).mount("/", RestApi::new(Echo));
    Client::new(app).unwrap()
}

#[tokio::test]
async fn the_id_of_a_client_is_kept_and_sent_back() {
    let client = client(RequestIds::new());
    for id in ["abc", "A-1_b.c:d/e+f=", "x".repeat(128).as_str()] {
        let response = client.get("/echo").header("x-request-id", id).send().await;
        assert_eq!(response.text(), id);
        assert_eq!(response.header("x-request-id"), Some(id));
    }
}

#[tokio::test]
async fn a_request_without_id_is_given_one_of_its_own() {
    let client = client(RequestIds::new());
    let mut seen = HashSet::new();
    for _ in 0..100 {
        let response = client.get("/echo").send().await;
        let id = response.text();
        assert_eq!(response.header("x-request-id"), Some(id.as_str()));
        assert!(
            id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit()),
            "{id}"
        );
        assert!(seen.insert(id), "an id was given twice");
    }
}

#[tokio::test]
async fn a_malformed_id_is_replaced() {
    let client = client(RequestIds::new());
    let long = "x".repeat(129);
    for id in ["", "a b", "a\tb", "a\"b", "<script>", "a,b", &long] {
        let response = client.get("/echo").header("x-request-id", id).send().await;
        assert_ne!(response.text(), id);
        assert_eq!(response.text().len(), 32, "{id}");
    }
    let request = client.get("/echo").header("x-request-id", b"\xff\xfe");
    assert_eq!(request.send().await.text().len(), 32);
}

#[tokio::test]
async fn a_malformed_id_in_another_header_is_replaced_in_log_and_answer() {
    let ids = RequestIds::in_header(HeaderName::from_static("x-trace"));
    let app = App::new().filter(ids).filter(Trace);
    let client = Client::new(app.mount("/", RestApi::new(Echo))).unwrap();
    for id in ["forged\tline", "forged line", &"forged".repeat(100)] {
        let log = Log::start();
        let request = client.get("/echo?token=forged");
        let response = request.header("x-trace", id).send().await;
        let made = response.header("x-trace").unwrap();
        assert_eq!((made.len(), response.text().as_str()), (32, made));
        let text = log.text();
        assert!(text.contains(made) && !text.contains("forged"), "{text}");
    }
}

#[tokio::test]
async fn refusals_have_an_id_too() {
    let client = client(RequestIds::new());
    let response = client.get("/nothing").header("x-request-id", "abc").send();
    let response = response.await;
    assert_eq!(response.status(), 404);
    assert_eq!(response.header("x-request-id"), Some("abc"));
}

#[tokio::test]
async fn the_header_can_be_another() {
    let ids = RequestIds::in_header(HeaderName::from_static("x-trace"));
    let client = client(ids);
    let request = client.get("/echo").header("x-trace", "t1");
    let response = request.header("x-request-id", "r1").send().await;
    assert_eq!(response.text(), "t1");
    assert_eq!(response.header("x-trace"), Some("t1"));
    assert_eq!(response.header("x-request-id"), None);
}
