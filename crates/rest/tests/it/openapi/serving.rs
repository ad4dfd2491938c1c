//! Documents served at a path.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, Method, OpenApi, RestApi, Value, resource};

use super::keys;

struct Rooms;

#[resource("/rooms")]
impl Rooms {
    #[get]
    fn list(&self) -> Vec<u32> {
        vec![7]
    }
}

fn client() -> Client {
    let app = App::new()
        .openapi("/openapi.json", OpenApi::new("Rooms", "1"))
        .mount("/", RestApi::new(Rooms))
        .openapi("/none.json", OpenApi::new("None", "1").mount("/elsewhere"));
    Client::new(app).unwrap()
}

#[tokio::test]
async fn a_document_is_served_where_it_was_asked_for() {
    let client = client();
    let response = client.get("/openapi.json").send().await;
    assert_eq!(response.status(), 200);
    assert_eq!(response.header("content-type"), Some("application/json"));
    let document: Value = response.json().unwrap();
    // The document lists APIs that are mounted later, but not the paths of documents.
    assert_eq!(keys(&document["paths"]), ["/rooms"]);
    let none: Value = client.get("/none.json").send().await.json().unwrap();
    assert!(keys(&none["paths"]).is_empty());
}

#[tokio::test]
async fn a_document_is_written_once_when_it_is_asked_for() {
    let written = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&written);
    let openapi = OpenApi::new("Rooms", "1").change(move |document| {
        counter.fetch_add(1, Ordering::SeqCst);
        document["x-changed"] = true.into();
    });
    let app = App::new().openapi("/openapi.json", openapi);
    let client = Client::new(app.mount("/", RestApi::new(Rooms))).unwrap();
    client.get("/rooms").send().await;
    assert_eq!(written.load(Ordering::SeqCst), 0);
    for _ in 0..2 {
        let document: Value = client.get("/openapi.json").send().await.json().unwrap();
        assert_eq!(document["x-changed"], true);
        assert_eq!(keys(&document["paths"]), ["/rooms"]);
    }
    assert_eq!(written.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn only_get_and_head_are_answered_at_its_path_only() {
    let client = client();
    let head = client.request(Method::HEAD, "/openapi.json").send().await;
    assert_eq!((head.status(), head.bytes().len()), (200, 0));
    let post = client.post("/openapi.json").send().await;
    assert_eq!(post.status(), 405);
    assert_eq!(post.header("allow"), Some("GET, HEAD, OPTIONS"));
    let options = client
        .request(Method::OPTIONS, "/openapi.json")
        .send()
        .await;
    assert_eq!(options.status(), 204);
    assert_eq!(client.get("/openapi.json/more").send().await.status(), 404);
    assert_eq!(client.get("/rooms").send().await.text(), "[7]");
}

#[tokio::test]
async fn a_document_that_is_known_is_not_sent_again() {
    let client = client();
    let first = client.get("/openapi.json").send().await;
    let etag = first.header("etag").unwrap();
    let again = client.get("/openapi.json").header("if-none-match", etag);
    let again = again.send().await;
    assert_eq!((again.status(), again.bytes().len()), (304, 0));
}
