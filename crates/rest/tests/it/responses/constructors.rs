//! The constructors of `Response`.

use innkeeper_rest::{IntoReply as _, Response, StatusCode};
use serde_json::json;

use super::{json, received};
use crate::errors::log::Log;

#[tokio::test]
async fn constructors_without_a_body_have_their_status() {
    type Make = fn() -> Response;
    let cases: [(Make, u16); 6] = [
        (Response::ok, 200),
        (Response::created, 201),
        (Response::accepted, 202),
        (Response::no_content, 204),
        (Response::not_modified, 304),
        (|| Response::status(418), 418),
    ];
    for (make, status) in cases {
        let response = received(make).await;
        assert_eq!(response.status(), status);
        assert_eq!(response.text(), "");
        assert_eq!(response.header("content-type"), None, "{status}");
        assert_eq!(response.header("location"), None, "{status}");
    }
}

#[tokio::test]
async fn created_at_is_201_with_a_location() {
    let response = received(|| Response::created_at("/users/{id}", 7)).await;
    assert_eq!(response.status(), 201);
    assert_eq!(response.header("location"), Some("/api/users/7"));
    assert_eq!(response.text(), "");
}

#[tokio::test]
async fn see_is_302_with_a_location() {
    let response = received(|| Response::see("https://example.com/elsewhere?a=b#c")).await;
    assert_eq!(response.status(), 302);
    assert_eq!(
        response.header("location"),
        Some("https://example.com/elsewhere?a=b#c")
    );
    let response = received(|| Response::see_at("/users/{id}", "ada")).await;
    assert_eq!(response.status(), 302);
    assert_eq!(response.header("location"), Some("/api/users/ada"));
}

#[tokio::test]
async fn not_found_is_404_with_an_optional_message() {
    let response = received(Response::not_found).await;
    assert_eq!(response.status(), 404);
    assert_eq!(
        response.header("content-type"),
        Some("application/problem+json")
    );
    assert_eq!(
        json(&response),
        json!({
            "type": "about:blank",
            "title": "Not Found",
            "status": 404,
            "detail": "not found",
            "code": "not_found",
        })
    );
    let response = received(|| Response::not_found_with("no such user")).await;
    assert_eq!(response.status(), 404);
    assert_eq!(json(&response)["detail"], "no such user");
}

#[tokio::test]
async fn not_acceptable_is_406_with_an_optional_message() {
    let response = received(Response::not_acceptable).await;
    assert_eq!(response.status(), 406);
    assert_eq!(json(&response)["code"], "not_acceptable");
    let response = received(|| Response::not_acceptable_with("only JSON")).await;
    assert_eq!(response.status(), 406);
    assert_eq!(
        json(&response),
        json!({
            "type": "about:blank",
            "title": "Not Acceptable",
            "status": 406,
            "detail": "only JSON",
            "code": "not_acceptable",
        })
    );
}

#[tokio::test]
async fn error_has_the_given_status_with_an_optional_message() {
    let response = received(|| Response::error(429)).await;
    assert_eq!(response.status(), 429);
    assert_eq!(
        json(&response),
        json!({
            "type": "about:blank",
            "title": "Too Many Requests",
            "status": 429,
            "detail": "too many requests",
            "code": "too_many_requests",
        })
    );
    let response = received(|| Response::error_with(StatusCode::CONFLICT, "taken")).await;
    assert_eq!(response.status(), 409);
    assert_eq!(json(&response)["detail"], "taken");
    assert_eq!(json(&response)["code"], "conflict");
    let response = received(|| Response::error(499)).await;
    assert_eq!(response.status(), 499);
    assert_eq!(json(&response)["detail"], "error");
}

#[tokio::test]
async fn a_message_given_for_a_server_error_is_sent_and_logged() {
    let log = Log::start();
    let response = received(|| Response::error_with(503, "closed for the night")).await;
    assert_eq!(response.status(), 503);
    assert_eq!(json(&response)["detail"], "closed for the night");
    assert!(
        log.text().contains("closed for the night"),
        "{}",
        log.text()
    );
}

#[tokio::test]
async fn an_error_that_is_none_is_our_mistake() {
    for status in [100, 200, 204, 304, 399, 600, 999, 0] {
        let log = Log::start();
        let response = received(move || Response::error_with(status, "oops")).await;
        assert_eq!(response.status(), 500, "{status}");
        assert_eq!(json(&response)["detail"], "internal server error");
        assert!(log.text().contains("ERROR"), "{status}: {}", log.text());
        assert!(log.text().contains(&status.to_string()), "{}", log.text());
    }
}

#[tokio::test]
async fn a_status_that_is_none_is_our_mistake() {
    for status in [0, 99, 600, 1000] {
        let log = Log::start();
        let response = received(move || Response::status(status)).await;
        assert_eq!(response.status(), 500, "{status}");
        assert!(
            log.text()
                .contains(&format!("{status} is not an HTTP status")),
            "{}",
            log.text()
        );
    }
}

#[tokio::test]
async fn a_status_that_is_not_final_is_our_mistake() {
    for status in [100, 101, 103, 199] {
        let log = Log::start();
        let response = received(move || Response::status(status).entity("wait")).await;
        assert_eq!(response.status(), 500, "{status}");
        assert_eq!(json(&response)["detail"], "internal server error");
        let told = format!("{status} is not a final status");
        assert!(log.text().contains(&told), "{}", log.text());
    }
    for status in [StatusCode::CONTINUE, StatusCode::from_u16(700).unwrap()] {
        let response = received(move || status.into_reply()).await;
        assert_eq!(response.status(), 500, "{status}");
    }
}
