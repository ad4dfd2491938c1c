//! Which format is read and sent.

use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, Cbor, MessagePack, RestApi, Value, resource};

struct Rooms;

#[resource("/rooms")]
impl Rooms {
    #[get]
    fn list(&self) -> Vec<u8> {
        vec![1, 2]
    }

    #[get("/text")]
    fn text(&self) -> &'static str {
        "text"
    }

    #[get("/only")]
    #[produces("application/cbor")]
    fn only(&self) -> Vec<u8> {
        vec![1]
    }

    #[post]
    fn add(&self, room: u8) -> u8 {
        room
    }

    #[post("/only")]
    #[consumes("application/cbor")]
    fn only_cbor(&self, room: u8) -> u8 {
        room
    }
}

fn client() -> Client {
    let api = RestApi::new(Rooms).register(Cbor).register(MessagePack);
    Client::new(App::new().mount("/", api)).unwrap()
}

#[tokio::test]
async fn the_format_that_is_accepted_is_sent_under_the_name_it_was_asked_for() {
    let client = client();
    for (accept, content_type, body) in [
        ("*/*", "application/json", &b"[1,2]"[..]),
        ("application/*", "application/json", b"[1,2]"),
        ("application/cbor", "application/cbor", b"\x82\x01\x02"),
        (
            "application/msgpack",
            "application/msgpack",
            b"\x92\x01\x02",
        ),
        (
            "application/x-msgpack",
            "application/x-msgpack",
            b"\x92\x01\x02",
        ),
        (
            "application/vnd.msgpack",
            "application/vnd.msgpack",
            b"\x92\x01\x02",
        ),
        (
            "application/json;q=0.5, application/cbor",
            "application/cbor",
            b"\x82\x01\x02",
        ),
        (
            "application/cbor;q=0.5, application/msgpack;q=0.6",
            "application/msgpack",
            b"\x92\x01\x02",
        ),
        (
            "application/json;q=0, */*",
            "application/cbor",
            b"\x82\x01\x02",
        ),
    ] {
        let response = client.get("/rooms").header("accept", accept).send().await;
        assert_eq!(
            response.header("content-type"),
            Some(content_type),
            "{accept}"
        );
        assert_eq!(response.bytes().as_ref(), body, "{accept}");
        assert_eq!(response.header("vary"), Some("accept"), "{accept}");
    }
    let refused = client
        .get("/rooms")
        .header("accept", "application/xml")
        .send()
        .await;
    assert_eq!(refused.status(), 406);
    assert!(refused.text().contains("application/msgpack"));
}

#[tokio::test]
async fn texts_and_single_types_are_sent_too() {
    let client = client();
    let text = client
        .get("/rooms/text")
        .header("accept", "application/cbor")
        .send()
        .await;
    assert_eq!(text.bytes().as_ref(), b"\x64text");
    let only = client.get("/rooms/only").send().await;
    assert_eq!(
        (only.header("content-type"), only.bytes().as_ref()),
        (Some("application/cbor"), &b"\x81\x01"[..])
    );
    let refused = client
        .get("/rooms/only")
        .header("accept", "application/json")
        .send()
        .await;
    assert_eq!(refused.status(), 406);
}

#[tokio::test]
async fn every_name_is_read() {
    let client = client();
    for (content_type, status) in [
        ("application/cbor", 200),
        ("APPLICATION/CBOR; charset=utf-8", 200),
        ("application/msgpack", 200),
        ("application/x-msgpack", 200),
        ("application/vnd.msgpack", 200),
        ("application/xml", 415),
    ] {
        let request = client.post("/rooms").header("content-type", content_type);
        let response = request.body(vec![7]).send().await;
        assert_eq!(response.status(), status, "{content_type}");
    }
    let request = client
        .post("/rooms/only")
        .header("content-type", "application/msgpack");
    assert_eq!(request.body(vec![7]).send().await.status(), 415);
}

#[tokio::test]
async fn what_is_not_registered_is_not_known() {
    let client = Client::new(App::new().mount("/", RestApi::new(Rooms).register(MessagePack)));
    // The client cannot be built because a method sends CBOR.
    assert!(
        client
            .err()
            .unwrap()
            .to_string()
            .contains("`application/cbor`")
    );
}

#[tokio::test]
async fn errors_are_problem_details_in_json_whatever_is_accepted() {
    let client = client();
    for accept in ["application/cbor", "application/msgpack"] {
        let request = client.post("/rooms").header("accept", accept).body("x");
        let response = request.send().await;
        assert_eq!(
            response.header("content-type"),
            Some("application/problem+json")
        );
        assert_eq!(response.json::<Value>().unwrap()["code"], "malformed_body");
    }
}
