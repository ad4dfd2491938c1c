//! Request bodies: JSON, forms, multipart, text and octets.

use bytes::Bytes;
use innkeeper_rest::testing::TestResponse;
use innkeeper_rest::{Body, resource};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::sources::{assert_problem, client};

#[derive(Debug, Serialize, Deserialize)]
struct User {
    name: String,
    age: u8,
    #[serde(default)]
    tags: Vec<String>,
}

struct Inbox;

#[resource("/in")]
impl Inbox {
    #[post("/user")]
    fn user(&self, user: User) -> User {
        user
    }

    #[post("/optional")]
    fn optional(&self, user: Option<User>) -> Option<User> {
        user
    }

    #[post("/any")]
    fn any(&self, any: Value) -> Value {
        any
    }

    #[post("/text")]
    fn text(&self, text: String) -> String {
        text
    }

    #[post("/number")]
    fn number(&self, number: u16) -> u16 {
        number
    }

    #[post("/octets")]
    fn octets(&self, octets: Vec<u8>) -> usize {
        octets.len()
    }
}

async fn post(path: &str, content_type: &str, body: impl Into<Body>) -> TestResponse {
    let client = client(Inbox);
    let request = client.post(format!("/in/{path}"));
    request
        .header("content-type", content_type)
        .body(body)
        .send()
        .await
}

const ADA: &str = r#"{"name":"Ada","age":36,"tags":["x","y"]}"#;

#[tokio::test]
async fn json_is_read() {
    for content_type in [
        "application/json",
        "Application/JSON",
        "application/json; charset=utf-8",
        "application/json;charset=\"UTF-8\"",
        "application/json; profile=x",
        "application/vnd.api+json",
        "application/merge-patch+json; charset=utf8",
        "",
        "  ",
    ] {
        let response = post("user", content_type, ADA).await;
        assert_eq!(response.text(), ADA, "{content_type}");
    }
}

#[tokio::test]
async fn a_body_without_content_type_is_json() {
    let client = client(Inbox);
    let response = client.post("/in/user").body(ADA).send().await;
    assert_eq!(response.text(), ADA);
    let empty = client.post("/in/user").send().await;
    assert_problem(
        &empty,
        400,
        "malformed_body",
        "the body is empty; expected JSON",
    );
}

#[tokio::test]
async fn forms_are_read() {
    let form = "name=Ada+L%C3%BCv&age=36&tags=x&tags=y";
    let response = post("user", "application/x-www-form-urlencoded", form).await;
    assert_eq!(
        response.text(),
        r#"{"name":"Ada Lüv","age":36,"tags":["x","y"]}"#
    );
}

#[tokio::test]
async fn multipart_forms_are_read() {
    let body = "--b\r\ncontent-disposition: form-data; name=\"name\"\r\n\r\nA&d=a\r\n\
                --b\r\ncontent-disposition: form-data; name=\"photo\"; filename=\"a.png\"\r\n\r\n\0\r\n\
                --b\r\ncontent-disposition: form-data; name=\"age\"\r\n\r\n36\r\n\
                --b\r\ncontent-disposition: form-data; name=\"tags\"\r\n\r\nx\r\n\
                --b\r\ncontent-disposition: form-data; name=\"tags\"\r\n\r\n\r\n--b--\r\n";
    let response = post("user", "multipart/form-data; boundary=b", body).await;
    assert_eq!(
        response.text(),
        r#"{"name":"A&d=a","age":36,"tags":["x",""]}"#
    );
}

#[tokio::test]
async fn text_is_read() {
    let text = post("text", "text/plain", "ü & co").await;
    assert_eq!(text.text(), "ü & co");
    let number = post("number", "text/plain; charset=utf-8", "512").await;
    assert_eq!(number.text(), "512");
    let wrong = post("number", "text/plain", "many").await;
    assert_eq!(
        wrong.json::<Value>().unwrap()["errors"],
        json!([{"pointer": "", "detail": "expected a whole number between 0 and 65535"}])
    );
    assert_eq!(wrong.status(), 422);
}

#[tokio::test]
async fn octets_are_read() {
    let bytes = Bytes::from_static(&[0, 255, 13, 10]);
    let octets = post("octets", "application/octet-stream", bytes.clone()).await;
    assert_eq!(octets.text(), "4");
    let text = post("text", "application/octet-stream", "plain").await;
    assert_eq!(text.text(), "plain");
    let no_text = post("text", "application/octet-stream", bytes).await;
    assert_eq!(no_text.status(), 422);
}

#[tokio::test]
async fn an_optional_entity_is_read_from_a_form() {
    let form = "application/x-www-form-urlencoded";
    let ada = json!({"name": "Ada", "age": 36, "tags": []});
    let response = post("optional", form, "name=Ada&age=36").await;
    assert_eq!(response.json::<Value>().unwrap(), ada);
    let response = post("optional", form, "").await;
    assert_eq!(response.text(), "null");
    assert_eq!(post("optional", form, "name=Ada").await.status(), 422);
}

#[tokio::test]
async fn a_whole_number_may_be_written_with_a_fraction_of_zero() {
    let json = "application/json";
    let response = post("user", json, r#"{"name": "Ada", "age": 36.0}"#).await;
    assert_eq!(response.json::<Value>().unwrap()["age"], 36);
    assert_eq!(post("number", json, "7.0e0").await.text(), "7");
    // A value that need not be whole keeps its fraction.
    assert_eq!(post("any", json, "[7.0]").await.text(), "[7.0]");
    for body in ["7.5", "-7.0", "65536.0", "1e300", "9007199254740994.0"] {
        assert_eq!(post("number", json, body).await.status(), 422, "{body}");
    }
}

#[tokio::test]
async fn an_optional_entity_is_none_for_an_empty_body() {
    let client = client(Inbox);
    let empty = client.post("/in/optional").send().await;
    assert_eq!(empty.text(), "null");
    let typed = post("optional", "application/json", "").await;
    assert_eq!(typed.text(), "null");
    // The size of this body is not known before it is read.
    let nothing = Body::from_stream(futures_util::stream::empty());
    let streamed = post("optional", "application/json", nothing).await;
    assert_eq!(streamed.text(), "null");
    let null = post("optional", "application/json", "null").await;
    assert_eq!(null.text(), "null");
    let there = post("optional", "application/json", ADA).await;
    assert_eq!(there.text(), ADA);
    let broken = post("optional", "application/json", "{").await;
    assert_eq!(broken.status(), 400);
}

#[tokio::test]
async fn a_body_in_many_chunks_is_one_body() {
    let chunks = ADA.as_bytes().chunks(3).map(|c| Ok(Bytes::from(c)));
    let body = Body::from_stream(futures_util::stream::iter(chunks));
    let response = post("user", "application/json", body).await;
    assert_eq!(response.text(), ADA);
}

#[tokio::test]
async fn an_unknown_content_type_is_unsupported() {
    let response = post("user", "application/xml; charset=utf-8", "<user/>").await;
    assert_problem(
        &response,
        415,
        "unsupported_media_type",
        "content type `application/xml` is not supported; send application/json, \
         application/x-www-form-urlencoded, multipart/form-data, text/plain, \
         application/octet-stream",
    );
    assert_eq!(
        response.header("content-type"),
        Some("application/problem+json")
    );
    for content_type in [
        "json",
        "text/html",
        "application/jsonx",
        "x+json/y",
        "\u{fc}",
    ] {
        let response = post("user", content_type, ADA).await;
        assert_eq!(response.status(), 415, "{content_type}");
    }
}

#[tokio::test]
async fn a_charset_other_than_utf_8_is_unsupported() {
    for (content_type, body) in [
        ("application/json; charset=iso-8859-1", ADA),
        ("application/json; x=y; Charset=\"UTF-16\"", ADA),
        ("application/problem+json;charset=latin1", ADA),
        (
            "application/x-www-form-urlencoded; charset=windows-1252",
            "name=a&age=1",
        ),
        ("text/plain; charset=koi8-r", "x"),
    ] {
        let response = post("any", content_type, body).await;
        let detail = response.json::<Value>().unwrap()["detail"].to_string();
        assert_eq!(response.status(), 415, "{content_type}");
        assert!(detail.contains("harset="), "{detail}");
    }
    let ascii = post("any", "application/json; charset=us-ascii", "1").await;
    assert_eq!(ascii.status(), 200);
}
