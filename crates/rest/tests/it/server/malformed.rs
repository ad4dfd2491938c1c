//! Bytes that are not HTTP, and unusual HTTP.

use innkeeper_rest::{App, Request, RestApi, resource};

use super::wire::Running;

struct Echo;

#[resource("/echo")]
impl Echo {
    #[get]
    fn host(&self, #[request] request: &Request) -> String {
        request.head().host().unwrap_or("nobody").to_owned()
    }

    #[get("/{word}")]
    fn word(&self, word: &str) -> String {
        word.to_owned()
    }

    #[post]
    fn text(&self, #[body] text: String) -> String {
        text
    }
}

fn serve() -> Running {
    Running::start(App::new().mount("/", RestApi::new(Echo)))
}

/// Sends the bytes on a new connection and expects a 400 without a body, then a clean close.
async fn refused(server: &Running, bytes: &[u8]) {
    let mut wire = server.connect().await;
    wire.send(bytes).await;
    let answer = wire.answer().await;
    let sent = String::from_utf8_lossy(bytes);
    assert_eq!(answer.status, 400, "{sent}");
    assert_eq!(answer.header("content-length"), Some("0"), "{sent}");
    assert_eq!(answer.header("connection"), Some("close"), "{sent}");
    assert_eq!(wire.rest().await, "", "{sent}");
}

#[tokio::test]
async fn a_malformed_request_line_is_a_bodiless_400() {
    let server = serve();
    for line in [
        "GET\r\n\r\n",
        "GET /echo\r\n\r\n",
        "GET /echo FTP/1.1\r\n\r\n",
        "GET  /echo HTTP/1.1\r\n\r\n",
        "G(T /echo HTTP/1.1\r\n\r\n",
        " /echo HTTP/1.1\r\n\r\n",
        "GET /ec\0ho HTTP/1.1\r\n\r\n",
    ] {
        refused(&server, line.as_bytes()).await;
    }
}

#[tokio::test]
async fn other_major_versions_are_505() {
    let server = serve();
    for version in ["0.9", "2.0", "3.0", "9.9"] {
        let mut wire = server.connect().await;
        wire.send(format!("GET /echo HTTP/{version}\r\nHost: test\r\n\r\n"))
            .await;
        let answer = wire.answer().await;
        assert_eq!(answer.status, 505, "{version}");
        assert_eq!(answer.header("content-length"), Some("0"));
        assert_eq!(answer.header("connection"), Some("close"));
        assert_eq!(wire.rest().await, "");
    }
    let mut wire = server.connect().await;
    wire.send("GET /echo HTTP/1.2\r\nHost: test\r\n\r\n").await;
    assert_eq!(wire.answer().await.status, 400);
}

#[tokio::test]
async fn malformed_headers_are_a_bodiless_400() {
    let server = serve();
    for headers in [
        "no colon\r\n",
        "Bad Name: x\r\n",
        ": x\r\n",
        "X-Nul: a\0b\r\n",
        "Content-Length: many\r\n",
        "Content-Length: -1\r\n",
        "Content-Length: 99999999999999999999999\r\n",
        "Content-Length: 5\r\nContent-Length: 6\r\n",
        "Transfer-Encoding: gzip\r\n",
    ] {
        let request = format!("POST /echo HTTP/1.1\r\nHost: test\r\n{headers}\r\n");
        refused(&server, request.as_bytes()).await;
    }
}

/// The body is there for either length, so a server that believes one of them would take the rest for another
/// request.
#[tokio::test]
async fn two_lengths_are_refused_with_the_body_already_there() {
    let server = serve();
    let next = "GET /echo/smuggled HTTP/1.1\r\nHost: test\r\n\r\n";
    for lengths in [(5, 5 + next.len()), (5 + next.len(), 5), (0, 5)] {
        let (first, second) = lengths;
        let request = format!(
            "POST /echo HTTP/1.1\r\nHost: test\r\nContent-Type: text/plain\r\nContent-Length: {first}\r\n\
             Content-Length: {second}\r\n\r\nhello{next}"
        );
        refused(&server, request.as_bytes()).await;
    }
}

#[tokio::test]
async fn garbage_is_a_bodiless_400() {
    let server = serve();
    refused(&server, &[0; 64]).await;
    refused(&server, &[0xff; 64]).await;
    let mixed: Vec<u8> = (1..=255).collect();
    refused(&server, &mixed).await;
    // The start of a TLS handshake, from a client that expects an HTTPS port.
    refused(&server, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03").await;
}

#[tokio::test]
async fn garbage_after_a_request_spoils_only_what_follows() {
    let server = serve();
    let mut wire = server.connect().await;
    wire.send("GET /echo HTTP/1.1\r\nHost: test\r\n\r\n\x01\x02\x03\r\n\r\n")
        .await;
    assert_eq!(wire.answer().await.text(), "test");
    assert_eq!(wire.answer().await.status, 400);
    assert_eq!(wire.rest().await, "");
}

#[tokio::test]
async fn a_target_that_is_not_utf_8_is_refused() {
    let server = serve();
    refused(
        &server,
        b"GET /echo/\xff\xfe HTTP/1.1\r\nHost: test\r\n\r\n",
    )
    .await;
}

#[tokio::test]
async fn malformed_chunks_are_400() {
    let server = serve();
    let mut wire = server.connect().await;
    wire.send("POST /echo HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n")
        .await;
    wire.send("zz\r\nhello\r\n0\r\n\r\n").await;
    let answer = wire.answer().await;
    assert_eq!(answer.status, 400);
    assert!(
        answer.text().contains("the body ended early"),
        "{}",
        answer.text()
    );
    assert_eq!(wire.rest().await, "");
}

/// RFC 9112, 6.3: `Transfer-Encoding` overrides `Content-Length`, against request smuggling.
#[tokio::test]
async fn a_length_beside_chunks_is_not_believed() {
    let server = serve();
    let mut wire = server.connect().await;
    wire.send(concat!(
        "POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 3\r\n",
        "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
    ))
    .await;
    let answer = wire.answer_head().await;
    assert!(matches!(answer.status, 200 | 400), "{}", answer.head);
    assert!(wire.rest().await.ends_with("hello") || answer.status == 400);
}

#[tokio::test]
async fn an_unknown_method_is_405() {
    let server = serve();
    let mut wire = server.connect().await;
    wire.send("FROB /echo HTTP/1.1\r\nHost: test\r\n\r\n").await;
    let answer = wire.answer().await;
    assert_eq!(answer.status, 405);
    assert_eq!(answer.header("allow"), Some("GET, HEAD, POST, OPTIONS"));
    wire.send("frob /nothing HTTP/1.1\r\nHost: test\r\n\r\n")
        .await;
    assert_eq!(wire.answer().await.status, 404);
    assert_eq!(wire.get("/echo").await.status, 200);
}

#[tokio::test]
async fn an_absolute_target_is_understood() {
    let server = serve();
    let mut wire = server.connect().await;
    let answer = wire.get("http://example.com:81/echo/hello?x=1").await;
    assert_eq!((answer.status, answer.text()), (200, "hello"));
    // The host of the target overrides the `Host` header.
    let answer = wire.get("http://example.com:81/echo").await;
    assert_eq!(answer.text(), "example.com:81");
    assert_eq!(wire.get("http://example.com").await.status, 404);
}

#[tokio::test]
async fn targets_without_a_path_are_refused() {
    let server = serve();
    let mut wire = server.connect().await;
    // Without a slash the target is a host name, which only CONNECT takes.
    assert_eq!(wire.get("echo").await.status, 400);
    let mut wire = server.connect().await;
    wire.send("CONNECT example.com:443 HTTP/1.1\r\nHost: test\r\n\r\n")
        .await;
    assert_eq!(wire.answer().await.status, 404);
}

#[tokio::test]
async fn an_upgrade_nobody_offers_is_ignored() {
    let server = serve();
    let mut wire = server.connect().await;
    wire.send(
        "GET /echo HTTP/1.1\r\nHost: test\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
    )
    .await;
    let answer = wire.answer().await;
    assert_eq!((answer.status, answer.text()), (200, "test"));
    assert_eq!(wire.get("/echo").await.status, 200);
}
