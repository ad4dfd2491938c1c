//! One-time tickets, with which pages open consoles.

use innkeeper_hosting::model::Scope;
use jiff::SignedDuration;
use serde_json::{Value, json};

use super::client::{Received, TestSocket};
use super::{CONSOLE, ConsoleBench, READ_ONLY};
use crate::control::assert_refused;
use crate::support::Answer;

/// Makes a ticket.
async fn ticket(bench: &ConsoleBench, body: &str) -> String {
    let path = format!("{CONSOLE}/survival/ticket");
    let answer = bench.bench.post_json(&path, body).await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    answer.json()["ticket"].as_str().unwrap().to_owned()
}

/// Opens a socket like a page of an origin.
async fn open(bench: &ConsoleBench, ticket: &str, origin: &str) -> Result<TestSocket, Answer> {
    let protocols = format!("innkeeper.console.v1, ticket.{ticket}");
    let headers = [("sec-websocket-protocol", &*protocols), ("origin", origin)];
    let target = format!("{CONSOLE}/survival/websocket");
    bench.open_raw(&target, &headers).await
}

#[tokio::test]
async fn a_ticket_opens_a_console_once() {
    let bench = ConsoleBench::start().await;
    let ticket = ticket(&bench, "").await;
    let mut socket = open(&bench, &ticket, "http://inn").await.ok().unwrap();
    assert_eq!(socket.protocol.as_deref(), Some("innkeeper.console.v1"));
    assert_eq!(socket.frame().await["type"], "hello");
    let refused = open(&bench, &ticket, "http://inn").await.err().unwrap();
    assert_refused(&refused, 401, "unauthenticated");
}

#[tokio::test]
async fn a_ticket_works_for_thirty_seconds() {
    let bench = ConsoleBench::start().await;
    let path = format!("{CONSOLE}/survival/ticket");
    let answer = bench.bench.post(&path).await;
    assert_eq!(
        answer.status,
        201,
        "a body is not needed: {}",
        answer.text()
    );
    let expires_at: jiff::Timestamp = answer.json()["expiresAt"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    let seconds = expires_at
        .duration_since(bench.bench.site().clock.now())
        .as_secs();
    assert!((29..=30).contains(&seconds), "{seconds}");
    let (early, late) = (ticket(&bench, "").await, ticket(&bench, "").await);
    bench
        .bench
        .site()
        .clock
        .advance(SignedDuration::from_secs(29));
    assert!(open(&bench, &early, "http://inn").await.is_ok());
    bench
        .bench
        .site()
        .clock
        .advance(SignedDuration::from_secs(2));
    let refused = open(&bench, &late, "http://inn").await.err().unwrap();
    assert_refused(&refused, 401, "unauthenticated");
}

#[tokio::test]
async fn a_ticket_does_not_live_longer_when_the_clock_is_set() {
    let bench = ConsoleBench::start().await;
    for hours in [-1, 1] {
        let ticket = ticket(&bench, "").await;
        let clock = &bench.bench.site().clock;
        clock.advance(SignedDuration::from_hours(hours));
        let refused = open(&bench, &ticket, "http://inn").await.err().unwrap();
        assert_refused(&refused, 401, "unauthenticated");
    }
}

#[tokio::test]
async fn a_ticket_is_for_its_server_and_its_origin() {
    let bench = ConsoleBench::start().await;
    bench.bench.game("creative").await;
    let ticket_text = ticket(&bench, "").await;
    let protocols = format!("innkeeper.console.v1, ticket.{ticket_text}");
    let headers = [("sec-websocket-protocol", &*protocols)];
    let target = format!("{CONSOLE}/creative/websocket");
    let refused = bench.open_raw(&target, &headers).await.err().unwrap();
    assert_refused(&refused, 404, "not_found");
    let bound = ticket(&bench, r#"{"origin":"http://inn"}"#).await;
    let refused = open(&bench, &bound, "http://other").await.err().unwrap();
    assert_refused(&refused, 401, "unauthenticated");
    let bound = ticket(&bench, r#"{"origin":"http://inn"}"#).await;
    assert!(open(&bench, &bound, "http://inn").await.is_ok());
}

#[tokio::test]
async fn pages_of_other_sites_cannot_use_a_ticket() {
    let bench = ConsoleBench::start().await;
    let ticket = ticket(&bench, "").await;
    let refused = open(&bench, &ticket, "https://evil.example")
        .await
        .err()
        .unwrap();
    assert_refused(&refused, 403, "origin_not_allowed");
}

#[tokio::test]
async fn an_invalid_origin_is_refused() {
    let bench = ConsoleBench::start().await;
    let path = format!("{CONSOLE}/survival/ticket");
    for body in [
        json!({"origin": "panel.example"}),
        json!({"origin": "https://*.example"}),
        json!({"origin": ""}),
        json!({"origin": "https://panel.example/page"}),
    ] {
        let answer = bench.bench.post_json(&path, &body.to_string()).await;
        assert_refused(&answer, 422, "invalid_request");
        assert_eq!(answer.json()["errors"][0]["pointer"], "/origin");
    }
    for body in [r#"{"origins":[]}"#, "[]", "{"] {
        let answer = bench.bench.post_json(&path, body).await;
        assert!(
            matches!(answer.status, 400 | 422),
            "{body}: {}",
            answer.text()
        );
    }
}

#[tokio::test]
async fn a_ticket_has_the_rights_of_its_key() {
    let bench = ConsoleBench::start().await;
    let key = bench.bench.key_for(READ_ONLY).await;
    let path = format!("{CONSOLE}/survival/ticket");
    let made = bench.bench.post_by(&key, &path).await;
    let ticket = made.json()["ticket"].as_str().unwrap().to_owned();
    let mut socket = open(&bench, &ticket, "http://inn").await.ok().unwrap();
    let hello = socket.frame().await;
    assert_eq!(hello["scopes"], json!(["game:console:read"]));
    socket.send(&super::command(1, "list")).await;
    let error = socket.frame_of("error").await;
    assert_eq!(error["code"], "insufficient_scope");
    let none = bench.bench.key_for(&[Scope::GameLogs]).await;
    let refused = bench.bench.post_by(&none, &path).await;
    assert_refused(&refused, 403, "insufficient_scope");
    let missing = bench.bench.post(&format!("{CONSOLE}/missing/ticket")).await;
    assert_refused(&missing, 404, "not_found");
}

#[tokio::test]
async fn a_page_gets_tickets_to_connect_again() {
    let bench = ConsoleBench::start().await;
    let first = ticket(&bench, r#"{"origin":"http://inn"}"#).await;
    let mut socket = open(&bench, &first, "http://inn").await.ok().unwrap();
    let hello = socket.frame().await;
    let second = hello["ticket"].as_str().unwrap().to_owned();
    // They are bound like the first one.
    let refused = open(&bench, &second, "http://other").await.err().unwrap();
    assert_refused(&refused, 401, "unauthenticated");
    bench
        .bench
        .site()
        .clock
        .advance(SignedDuration::from_secs(20));
    let next = socket.frame_of("ticket").await;
    let third = next["ticket"].as_str().unwrap();
    assert!(next["expiresAt"].is_string());
    let mut again = open(&bench, third, "http://inn").await.ok().unwrap();
    assert!(again.frame().await["ticket"].is_string());
    // A client with a key needs none.
    let (_, hello) = bench.greeted("").await;
    assert_eq!(hello["ticket"], Value::Null);
}

#[tokio::test]
async fn a_page_is_told_that_it_has_too_many_sockets() {
    let bench = ConsoleBench::start().await;
    let mut open_sockets = Vec::new();
    for _ in 0..5 {
        open_sockets.push(bench.greeted("").await);
    }
    let ticket = ticket(&bench, "").await;
    let mut socket = open(&bench, &ticket, "http://inn").await.ok().unwrap();
    assert_eq!(socket.next().await, Received::Closed(4429));
}
