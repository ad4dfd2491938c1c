//! Responses to conditions and ranges, as bytes on the wire.

use innkeeper_rest::{App, ETag, Response, RestApi, resource};

use crate::server::wire::Running;

struct Films;

#[resource("/films")]
impl Films {
    #[get]
    fn film(&self) -> Response {
        let response = Response::ok()
            .content_type("text/plain")
            .etag(ETag::strong("v1"));
        response.ranges().body("x".repeat(1000))
    }
}

async fn send(headers: &str) -> crate::server::wire::Answer {
    let server = Running::start(App::new().mount("/", RestApi::new(Films)));
    let mut wire = server.connect().await;
    let request = format!("GET /films HTTP/1.1\r\nHost: test\r\n{headers}\r\n");
    // A second request shows that the first response ended where its head says.
    wire.send(format!("{request}{request}")).await;
    let first = wire.answer().await;
    let second = wire.answer().await;
    assert_eq!(first.status, second.status);
    server.stopped().await;
    first
}

#[tokio::test]
async fn a_304_has_neither_length_nor_type_nor_body() {
    let answer = send("If-None-Match: \"v1\"\r\n").await;
    assert_eq!(answer.status, 304);
    for name in [
        "content-length",
        "content-type",
        "transfer-encoding",
        "accept-ranges",
    ] {
        assert_eq!(answer.header(name), None, "{name}");
    }
    assert_eq!(answer.header("etag"), Some("\"v1\""));
    assert!(answer.header("date").is_some());
}

#[tokio::test]
async fn parts_have_the_length_they_say() {
    let one = send("Range: bytes=10-19\r\n").await;
    assert_eq!(
        (one.status, one.header("content-length")),
        (206, Some("10"))
    );
    assert_eq!(one.text(), "xxxxxxxxxx");
    let several = send("Range: bytes=0-9,990-\r\n").await;
    assert_eq!(several.status, 206);
    assert!(several.text().ends_with("--\r\n"));
    assert_eq!(several.header("transfer-encoding"), None);
}

#[tokio::test]
async fn bytes_that_are_no_text_are_no_conditions() {
    for (headers, status) in [
        (&b"If-None-Match: \"\xff\"\r\n"[..], 200),
        (b"If-None-Match: \"\xff\", \"v1\"\r\n", 304),
        (b"If-Match: \"\xff\"\r\n", 412),
        (b"If-Modified-Since: \xff\r\n", 200),
        (b"Range: bytes=\xff\r\n", 200),
        (b"Range: bytes=0-4\r\nIf-Range: \xff\r\n", 200),
    ] {
        let server = Running::start(App::new().mount("/", RestApi::new(Films)));
        let mut wire = server.connect().await;
        wire.send(b"GET /films HTTP/1.1\r\nHost: test\r\n").await;
        wire.send(headers).await;
        wire.send(b"\r\n").await;
        let answer = wire.answer().await;
        assert_eq!(
            answer.status,
            status,
            "{}",
            String::from_utf8_lossy(headers)
        );
        server.stopped().await;
    }
}
