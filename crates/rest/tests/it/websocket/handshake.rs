//! Handshakes that open a websocket, and the responses to others.

use innkeeper_rest::filter::{self, Compress, SecurityHeaders};
use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, RestApi};

use super::wire::{Caller, HANDSHAKE, serve, whole};
use super::{Rooms, app};

#[tokio::test]
async fn the_answer_is_what_the_protocol_says() {
    let server = serve(app());
    let (mut caller, answer) = Caller::ask(&server, "/rooms/1/echo", HANDSHAKE).await;
    assert_eq!(answer.status, 101);
    assert_eq!(answer.header("upgrade"), Some("websocket"));
    assert_eq!(answer.header("connection"), Some("upgrade"));
    // The example in RFC 6455.
    assert_eq!(
        answer.header("sec-websocket-accept"),
        Some("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    );
    for absent in ["content-length", "content-type", "sec-websocket-protocol"] {
        assert_eq!(answer.header(absent), None);
    }
    caller.send(whole(1, "hello")).await;
    assert_eq!(caller.text().await, "hello");
    caller.bye().await;
}

#[tokio::test]
async fn what_follows_the_request_at_once_is_read() {
    let server = serve(app());
    let mut wire = server.connect().await;
    let head = format!("GET /rooms/1/echo HTTP/1.1\r\nHost: test\r\n{HANDSHAKE}\r\n");
    let mut bytes = head.into_bytes();
    bytes.extend(whole(1, "early"));
    wire.send(bytes).await;
    assert_eq!(wire.answer_head().await.status, 101);
    let mut caller = Caller { wire };
    assert_eq!(caller.text().await, "early");
}

#[tokio::test]
async fn a_connection_can_be_used_for_requests_before() {
    let server = serve(app());
    let mut wire = server.connect().await;
    assert_eq!(wire.get("/rooms/both").await.text(), "\"a page\"");
    let plain = wire.get("/rooms/1/echo").await;
    assert_eq!(
        (plain.status, plain.header("upgrade")),
        (426, Some("websocket"))
    );
    wire.send(format!(
        "GET /rooms/both HTTP/1.1\r\nHost: test\r\n{HANDSHAKE}\r\n"
    ))
    .await;
    assert_eq!(wire.answer_head().await.status, 101);
    let mut caller = Caller { wire };
    assert_eq!(caller.frame().await, (2, vec![1, 2, 3]));
}

/// The headers of a handshake and the expected status and code. Each letter is a valid header.
const REFUSED: [(&str, u16, &str); 13] = [
    ("", 426, "websocket_required"),
    ("c upgrade:h2c", 426, "websocket_required"),
    ("u v k", 400, "malformed_handshake"),
    ("connection:close u v k", 400, "malformed_handshake"),
    ("c u k", 400, "malformed_handshake"),
    ("c u v", 400, "malformed_handshake"),
    ("c u v sec-websocket-key:short", 400, "malformed_handshake"),
    ("c u v sec-websocket-key:AAAA", 400, "malformed_handshake"),
    ("c u v k k", 400, "malformed_handshake"),
    ("c u sec-websocket-version:8 k", 426, "websocket_version"),
    ("c u sec-websocket-version:13,8 k", 426, "websocket_version"),
    (
        "c u v k sec-websocket-protocol:a@b",
        400,
        "malformed_handshake",
    ),
    // The handshake is valid, but there is no connection to upgrade.
    ("c u v k", 501, "websocket_impossible"),
];

fn header(word: &str) -> (&str, &str) {
    match word {
        "c" => ("connection", "upgrade"),
        "u" => ("upgrade", "websocket"),
        "v" => ("sec-websocket-version", "13"),
        "k" => ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
        other => other.split_once(':').unwrap(),
    }
}

#[tokio::test]
async fn a_request_that_is_no_handshake_is_refused() {
    let client = Client::new(app()).unwrap();
    for (headers, status, code) in REFUSED {
        let mut request = client.get("/rooms/1/echo");
        for (name, value) in headers.split_whitespace().map(header) {
            request = request.header(name, value);
        }
        let answer = request.send().await;
        let problem: serde_json::Value = answer.json().unwrap();
        let found = (answer.status(), problem["code"].as_str());
        assert_eq!(found, (status, Some(code)), "{headers:?}");
        if status == 426 {
            assert_eq!(answer.header("upgrade"), Some("websocket"));
        }
        let version = (code == "websocket_version").then_some("13");
        assert_eq!(answer.header("sec-websocket-version"), version);
    }
}

#[tokio::test]
async fn header_values_are_read_whatever_their_case_and_number() {
    let server = serve(app());
    let headers = "Connection: keep-alive\r\nConnection: uPGRADE\r\n\
        Upgrade: h2c, WebSocket\r\nSec-WebSocket-Version: 13\r\n\
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    let (mut caller, answer) = Caller::ask(&server, "/rooms/1/echo", headers).await;
    assert_eq!(answer.status, 101);
    caller.send(whole(1, "x")).await;
    assert_eq!(caller.text().await, "x");
}

#[tokio::test]
async fn http_1_0_is_refused() {
    let server = serve(app());
    let mut wire = server.connect().await;
    wire.send(format!(
        "GET /rooms/1/echo HTTP/1.0\r\nHost: test\r\n{HANDSHAKE}\r\n"
    ))
    .await;
    assert_eq!(wire.answer().await.status, 400);
}

#[tokio::test]
async fn other_arguments_are_read_before() {
    let server = serve(app());
    let (mut caller, answer) = Caller::ask(
        &server,
        "/rooms/7/arguments?times=3",
        &format!("{HANDSHAKE}X-Name: Ada\r\n"),
    )
    .await;
    assert_eq!(answer.status, 101);
    assert_eq!(caller.text().await, "7 3 Ada");
    for (target, headers, status, code) in [
        (
            "/rooms/x/arguments?times=3",
            "X-Name: Ada\r\n",
            400,
            "malformed_parameter",
        ),
        (
            "/rooms/7/arguments",
            "X-Name: Ada\r\n",
            400,
            "missing_parameter",
        ),
        (
            "/rooms/7/arguments?times=x",
            "X-Name: Ada\r\n",
            400,
            "malformed_parameter",
        ),
        ("/rooms/7/arguments?times=3", "", 400, "missing_parameter"),
        ("/rooms/0/echo", "", 404, "no_room"),
    ] {
        let headers = format!("{HANDSHAKE}{headers}");
        let mut wire = server.connect().await;
        wire.send(format!("GET {target} HTTP/1.1\r\nHost: t\r\n{headers}\r\n"))
            .await;
        let answer = wire.answer().await;
        assert_eq!(answer.status, status, "{target}");
        assert!(answer.text().contains(code), "{}", answer.text());
        // The connection stays usable for HTTP.
        assert_eq!(wire.get("/rooms/both").await.status, 200);
    }
}

#[tokio::test]
async fn a_handler_that_answers_otherwise_opens_nothing() {
    let server = serve(app());
    let mut wire = server.connect().await;
    wire.send(format!(
        "GET /rooms/fickle HTTP/1.1\r\nHost: test\r\n{HANDSHAKE}\r\n"
    ))
    .await;
    assert_eq!(wire.answer().await.text(), "no websocket after all");
    assert_eq!(wire.get("/rooms/both").await.status, 200);
    wire.half_close().await;
    assert_eq!(wire.rest().await, "");
}

#[tokio::test]
async fn the_best_protocol_both_know_is_agreed_on() {
    let server = serve(app());
    for (offered, agreed) in [
        ("chat.v1, chat.v2", Some("chat.v2")),
        ("chat.v1", Some("chat.v1")),
        ("soap\r\nSec-WebSocket-Protocol: chat.v1", Some("chat.v1")),
        ("CHAT.v1", None),
        ("soap", None),
    ] {
        let headers = format!("{HANDSHAKE}Sec-WebSocket-Protocol: {offered}\r\n");
        let (mut caller, answer) = Caller::ask(&server, "/rooms/protocols", &headers).await;
        assert_eq!(answer.status, 101, "{offered}");
        assert_eq!(answer.header("sec-websocket-protocol"), agreed, "{offered}");
        assert_eq!(caller.text().await, format!("{agreed:?}"));
    }
}

#[tokio::test]
async fn filters_and_layers_around_it_change_nothing() {
    let layer = filter::layer(tower::layer::util::Identity::new());
    let api = RestApi::new(Rooms::default())
        .filter(layer)
        .filter(Compress::new());
    let app = App::new().filter(SecurityHeaders::new()).mount("/", api);
    let server = serve(app);
    let headers = format!("{HANDSHAKE}Accept-Encoding: gzip\r\n");
    let (mut caller, answer) = Caller::ask(&server, "/rooms/1/echo", &headers).await;
    assert_eq!(answer.status, 101);
    assert_eq!(answer.header("content-encoding"), None);
    caller.send(whole(1, "x")).await;
    assert_eq!(caller.text().await, "x");
    caller.bye().await;
}
