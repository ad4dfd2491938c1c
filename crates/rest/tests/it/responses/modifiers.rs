//! The modifiers of `Response`.

use futures_util::stream;
use innkeeper_rest::Response;
use serde_json::json;

use super::{json, received};
use crate::errors::log::Log;

#[tokio::test]
async fn content_type_and_its_alias_set_the_content_type() {
    let response = received(|| Response::ok().body("<p>").content_type("text/html")).await;
    assert_eq!(response.header("content-type"), Some("text/html"));
    let response = received(|| Response::ok().type_("text/css").body("p{}")).await;
    assert_eq!(response.header("content-type"), Some("text/css"));
    let response = received(|| Response::ok().entity([1]).type_("application/x-list")).await;
    assert_eq!(response.header("content-type"), Some("application/x-list"));
    assert_eq!(response.text(), "[1]");
}

#[tokio::test]
async fn header_sets_a_header_and_replaces_an_earlier_one() {
    let response = received(|| {
        Response::ok()
            .header("X-Shard", "3")
            .header("x-shard", "4")
            .header("Content-Type", "text/csv")
            .body("a,b")
    })
    .await;
    let shards: Vec<_> = response.headers().get_all("x-shard").iter().collect();
    assert_eq!(shards, ["4"]);
    assert_eq!(response.header("content-type"), Some("text/csv"));
}

#[tokio::test]
async fn a_header_that_http_does_not_allow_is_our_mistake() {
    for (name, value) in [
        ("x bad", "v"),
        ("", "v"),
        ("x-evil", "a\r\nset-cookie: b"),
        ("x-evil", "a\0"),
        ("content-type", "text/\nplain"),
    ] {
        let log = Log::start();
        let make = move || {
            Response::ok()
                .header(name, value)
                .entity([1])
                .header("x", "y")
        };
        let response = received(make).await;
        assert_eq!(response.status(), 500, "{name}");
        assert_eq!(json(&response)["detail"], "internal server error");
        assert_eq!(response.header("set-cookie"), None);
        assert!(log.text().contains(&format!("`{name}`")), "{}", log.text());
    }
}

#[tokio::test]
async fn entity_sends_a_serialized_value() {
    let response = received(|| Response::created().entity(json!({"id": 7}))).await;
    assert_eq!(response.status(), 201);
    assert_eq!(response.header("content-type"), Some("application/json"));
    assert_eq!(response.text(), r#"{"id":7}"#);
}

#[tokio::test]
async fn entity_on_an_error_is_sent_instead_of_the_message() {
    let response = received(|| {
        Response::error_with(409, "taken")
            .entity(json!({"by": "ada"}))
            .header("x-why", "taken")
    })
    .await;
    assert_eq!(response.status(), 409);
    assert_eq!(response.header("content-type"), Some("application/json"));
    assert_eq!(response.header("x-why"), Some("taken"));
    assert_eq!(response.text(), r#"{"by":"ada"}"#);
    let response = received(|| Response::not_found().entity("gone")).await;
    assert_eq!(
        (response.status(), response.text()),
        (404, "\"gone\"".into())
    );
}

#[tokio::test]
async fn an_entity_that_cannot_be_serialized_is_our_mistake() {
    let log = Log::start();
    let impossible = || std::collections::BTreeMap::from([((1, 2), 3)]);
    let response = received(move || Response::ok().entity(impossible()).header("x-a", "b")).await;
    assert_eq!(response.status(), 500);
    assert_eq!(json(&response)["detail"], "internal server error");
    assert!(
        log.text().contains("key must be a string"),
        "{}",
        log.text()
    );
}

#[tokio::test]
async fn headers_of_an_error_go_with_its_message() {
    let response = received(|| Response::error_with(429, "slow down").header("retry-after", "3"));
    let response = response.await;
    assert_eq!(response.header("retry-after"), Some("3"));
    assert_eq!(json(&response)["detail"], "slow down");
}

#[tokio::test]
async fn body_writes_raw_bytes() {
    let response = received(|| Response::ok().body(vec![0, 255, 1])).await;
    assert_eq!(response.bytes()[..], [0, 255, 1]);
    assert_eq!(
        response.header("content-type"),
        None,
        "nobody said what it is"
    );
}

#[tokio::test]
async fn stream_sends_chunks_as_they_come() {
    let response = received(|| {
        let chunks = ["one ", "two ", "three"].map(Ok::<_, std::io::Error>);
        Response::ok()
            .content_type("text/plain")
            .stream(stream::iter(chunks))
    })
    .await;
    assert_eq!(response.text(), "one two three");
    assert_eq!(response.header("content-length"), None);
    assert!(response.failure().is_none());
}

#[tokio::test]
async fn the_last_content_wins() {
    let response = received(|| Response::ok().entity([1]).body("two")).await;
    assert_eq!(response.text(), "two");
    let response = received(|| Response::ok().body("one").entity([2])).await;
    assert_eq!(response.text(), "[2]");
}
