//! Origins that may open a websocket.

use innkeeper_rest::Origins;

use super::app;
use super::wire::{Caller, HANDSHAKE, serve};

/// Returns the status for a handshake with these headers; the host is `test:8080`.
async fn status(server: &crate::server::wire::Running, target: &str, headers: &str) -> u16 {
    let headers = format!("{HANDSHAKE}{headers}");
    Caller::ask(server, target, &headers).await.1.status
}

#[tokio::test]
async fn pages_of_the_same_host_are_let_in_and_no_others() {
    let server = serve(app());
    for (headers, expected) in [
        // Clients that are not browsers send no origin.
        ("", 101),
        ("Origin: http://test:8080\r\n", 101),
        ("Origin: https://test:8080\r\n", 101),
        ("Origin: http://test\r\n", 403),
        ("Origin: http://test:80\r\n", 403),
        ("Origin: http://test:8081\r\n", 403),
        ("Origin: http://other:8080\r\n", 403),
        ("Origin: http://a.test:8080\r\n", 403),
        ("Origin: http://test:8080.evil.org\r\n", 403),
        ("Origin: http://test:8080/\r\n", 403),
        ("Origin: http://test:8080@evil.org\r\n", 403),
        ("Origin: ftp://test:8080\r\n", 403),
        ("Origin: test:8080\r\n", 403),
        ("Origin: null\r\n", 403),
        ("Origin: \r\n", 403),
        ("Origin: \u{e4}\r\n", 403),
        (
            "Origin: http://test:8080\r\nOrigin: http://evil.org\r\n",
            403,
        ),
    ] {
        let found = status(&server, "/rooms/1/echo", headers).await;
        assert_eq!(found, expected, "{headers:?}");
    }
}

#[tokio::test]
async fn the_default_port_may_be_named_or_not() {
    let server = serve(app());
    for (host, origin, expected) in [
        ("example.com", "https://example.com", 101),
        ("example.com:443", "https://example.com", 101),
        ("example.com:80", "http://example.com", 101),
        ("EXAMPLE.com", "https://example.com", 101),
        ("example.com:443", "http://example.com", 403),
        ("example.com:0443", "https://example.com", 403),
        ("[::1]:8080", "http://[::1]:8080", 101),
        ("[::1]:8080", "http://[::1]:8081", 403),
    ] {
        let mut wire = server.connect().await;
        wire.send(format!(
            "GET /rooms/1/echo HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\n{HANDSHAKE}\r\n"
        ))
        .await;
        assert_eq!(wire.answer_head().await.status, expected, "{host} {origin}");
    }
}

#[tokio::test]
async fn pages_of_listed_origins_are_let_in_and_no_others() {
    let server = serve(app());
    for (origin, expected) in [
        ("https://example.com", 101),
        ("https://shop.example.com", 101),
        ("http://localhost:5173", 101),
        ("https://a.shop.example.com", 403),
        ("https://example.com.evil.org", 403),
        ("http://example.com", 403),
        // The server's own origin is not listed.
        ("http://test:8080", 403),
        ("null", 403),
    ] {
        let headers = format!("Origin: {origin}\r\n");
        let found = status(&server, "/rooms/listed", &headers).await;
        assert_eq!(found, expected, "{origin}");
    }
}

#[tokio::test]
async fn the_servers_own_pages_can_be_let_in_beside_listed_ones() {
    let server = serve(app());
    for (origin, expected) in [
        ("https://example.com", 101),
        ("http://test:8080", 101),
        ("http://test:8081", 403),
        ("https://evil.org", 403),
    ] {
        let mut wire = server.connect().await;
        wire.send(format!(
            "GET /rooms/listed-or-own HTTP/1.1\r\nHost: test:8080\r\nOrigin: {origin}\r\n{HANDSHAKE}\r\n"
        ))
        .await;
        assert_eq!(wire.answer_head().await.status, expected, "{origin}");
    }
}

#[tokio::test]
async fn everybody_is_let_in_where_that_was_said() {
    let server = serve(app());
    for origin in ["https://evil.org", "null", "what?"] {
        let headers = format!("Origin: {origin}\r\n");
        assert_eq!(status(&server, "/rooms/public", &headers).await, 101);
    }
}

#[tokio::test]
async fn a_refusal_says_why_and_leaves_the_connection_open() {
    let server = serve(app());
    let mut wire = server.connect().await;
    wire.send(format!(
        "GET /rooms/1/echo HTTP/1.1\r\nHost: test\r\nOrigin: http://evil.org\r\n{HANDSHAKE}\r\n"
    ))
    .await;
    let answer = wire.answer().await;
    assert_eq!(answer.status, 403);
    assert!(answer.text().contains("origin_not_allowed"));
    assert_eq!(wire.get("/rooms/both").await.status, 200);
}

#[test]
fn what_is_no_origin_is_found_when_the_list_is_made() {
    let wrong = Origins::these(["https://example.com", "*", "https://a/b"]).unwrap_err();
    assert_eq!(wrong.problems().len(), 2);
}
