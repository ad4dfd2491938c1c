//! Which host a request is for.

use innkeeper_rest::{App, RestApi, resource};

use super::wire::{Running, Wire};

struct Rooms;

#[resource("/rooms")]
impl Rooms {
    #[get]
    fn list(&self) -> &'static str {
        "all rooms"
    }
}

fn serve() -> Running {
    Running::start(App::new().mount("/", RestApi::new(Rooms)))
}

/// A header that leaves the request to hyper, and one that does not.
const PATHS: [&str; 2] = ["TE: trailers\r\n", "X-Plain: 1\r\n"];

#[tokio::test]
async fn a_request_names_one_valid_host() {
    let server = serve();
    for path in PATHS {
        for (hosts, status) in [
            ("Host: a\r\n", 200),
            ("hOST: a.example:8080\r\n", 200),
            ("Host: [::1]:80\r\n", 200),
            ("", 400),
            ("Host:\r\n", 400),
            ("Host: a\r\nHost: a\r\n", 400),
            ("Host: a\r\nhost: b\r\n", 400),
            ("Host: a b\r\n", 400),
            ("Host: a/b\r\n", 400),
            ("Host: u@a\r\n", 400),
            ("Host: a:x\r\n", 400),
        ] {
            let mut wire = server.connect().await;
            wire.send(format!("GET /rooms HTTP/1.1\r\n{path}{hosts}\r\n"))
                .await;
            let answer = wire.answer().await;
            assert_eq!(answer.status, status, "{path:?} {hosts:?}");
            if status == 400 {
                assert_eq!(answer.header("connection"), Some("close"), "{hosts:?}");
                assert_eq!(wire.rest().await, "");
            } else {
                assert_eq!(wire.get("/rooms").await.status, 200);
            }
        }
    }
}

#[tokio::test]
async fn a_request_behind_another_is_checked_too() {
    let server = serve();
    for path in PATHS {
        let mut wire = server.connect().await;
        wire.send(format!(
            "GET /rooms HTTP/1.1\r\n{path}Host: a\r\n\r\nGET /rooms HTTP/1.1\r\n\r\n"
        ))
        .await;
        assert_eq!(wire.answer().await.status, 200);
        assert_eq!(wire.answer().await.status, 400);
        assert_eq!(wire.rest().await, "");
    }
}

#[tokio::test]
async fn version_1_0_may_leave_it_out() {
    let server = serve();
    for (hosts, status) in [("", 200), ("Host: a\r\n", 200), ("Host: a b\r\n", 400)] {
        let mut wire = server.connect().await;
        wire.send(format!("GET /rooms HTTP/1.0\r\n{hosts}\r\n"))
            .await;
        assert_eq!(wire.answer().await.status, status, "{hosts:?}");
    }
}

#[tokio::test]
async fn targets_have_the_form_that_their_method_needs() {
    let server = serve();
    for (line, status) in [
        ("GET http://a/rooms", 200),
        ("GET http://u:p@a/rooms", 400),
        ("GET http://u@a/rooms", 400),
        ("GET a:80", 400),
        ("GET *", 400),
        ("OPTIONS *", 204),
    ] {
        let mut wire = server.connect().await;
        wire.send(format!("{line} HTTP/1.1\r\nHost: a\r\n\r\n"))
            .await;
        assert_eq!(wire.answer().await.status, status, "{line}");
        if status < 400 {
            assert_eq!(wire.get("/rooms").await.status, 200, "{line}");
        }
    }
}

#[tokio::test]
async fn only_a_single_chunked_coding_is_decoded() {
    let server = serve();
    for (codings, status) in [
        ("Transfer-Encoding: chunked\r\n", 200),
        ("Transfer-Encoding: Chunked\r\n", 200),
        ("Transfer-Encoding: gzip, chunked\r\n", 501),
        (
            "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n",
            501,
        ),
        ("Transfer-Encoding: x, gzip, chunked\r\n", 501),
        ("Transfer-Encoding: chunked, chunked\r\n", 400),
        ("Transfer-Encoding: gzip\r\n", 400),
    ] {
        let mut wire = server.connect().await;
        wire.send(format!(
            "GET /rooms HTTP/1.1\r\nHost: a\r\n{codings}\r\n0\r\n\r\n"
        ))
        .await;
        assert_eq!(wire.answer().await.status, status, "{codings:?}");
    }
}

fn literal(name: u8, value: &str) -> Vec<u8> {
    let mut field = vec![name, u8::try_from(value.len()).unwrap()];
    field.extend_from_slice(value.as_bytes());
    field
}

/// Returns a frame with a GET request and these further fields.
fn request(stream: u8, fields: &[Vec<u8>]) -> Vec<u8> {
    let block = [
        &[0x82, 0x86][..],
        &literal(0x04, "/rooms"),
        &fields.concat(),
    ]
    .concat();
    let mut frame = vec![
        0,
        0,
        u8::try_from(block.len()).unwrap(),
        1,
        0x5,
        0,
        0,
        0,
        stream,
    ];
    frame.extend_from_slice(&block);
    frame
}

/// Reads frames up to the head of a response, and returns its first byte, which is the indexed status.
async fn status(wire: &mut Wire) -> u8 {
    loop {
        let header = wire.take(9).await;
        let length = usize::from(header[1]) << 8 | usize::from(header[2]);
        let payload = wire.take(length).await;
        if header[3] == 1 {
            return payload[0];
        }
    }
}

#[tokio::test]
async fn http2_has_one_authority_without_a_user() {
    const OK: u8 = 0x88;
    const BAD_REQUEST: u8 = 0x8c;
    let server = serve();
    let mut wire = server.connect().await;
    wire.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await;
    wire.send([0, 0, 0, 4, 0, 0, 0, 0, 0]).await;
    let authority = |value: &str| literal(0x01, value);
    // Field 38 of the static table, as a literal without indexing: `host`.
    let host = |value: &str| [vec![0x0f], literal(38 - 15, value)].concat();
    let cases = [
        (vec![authority("a")], OK),
        (vec![host("a")], OK),
        (vec![authority("a"), host("A")], OK),
        (vec![], BAD_REQUEST),
        (vec![authority("u@a")], BAD_REQUEST),
        (vec![authority("u:p@a")], BAD_REQUEST),
        (vec![authority("a"), host("b")], BAD_REQUEST),
        (vec![authority("a"), host("a"), host("a")], BAD_REQUEST),
        (vec![host("a b")], BAD_REQUEST),
        (vec![authority("a")], OK),
    ];
    for (stream, (fields, expected)) in (1..).step_by(2).zip(cases) {
        wire.send(request(stream, &fields)).await;
        assert_eq!(status(&mut wire).await, expected, "{fields:?}");
    }
}
