//! Body sizes: announced lengths, aborted streams, and responses without a body.

use bytes::Bytes;
use futures_util::stream;
use http_body::Body as _;
use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, Response, RestApi, resource};
use tower::ServiceExt as _;

use super::received;

struct Sizes;

#[resource("/")]
impl Sizes {
    #[get("/entity")]
    fn entity(&self) -> [u8; 3] {
        [1, 2, 3]
    }

    #[get("/text")]
    fn text(&self) -> &'static str {
        "twelve bytes"
    }

    #[get("/bytes")]
    fn bytes(&self) -> Bytes {
        Bytes::from_static(b"raw")
    }

    #[get("/empty")]
    fn empty(&self) -> Response {
        Response::ok()
    }

    #[get("/sized")]
    fn sized(&self) -> Response {
        Response::ok().stream_sized(chunks(&["one", "two"]), 6)
    }

    #[get("/unsized")]
    fn unsized_(&self) -> Response {
        Response::ok().stream(chunks(&["one", "two"]))
    }

    #[get("/prepared")]
    fn prepared(&self) -> Response {
        Response::ok()
            .body(Bytes::from_static(PREPARED))
            .content_type("application/json")
    }

    #[get("/missing")]
    fn missing(&self) -> Response {
        Response::not_found()
    }
}

/// JSON with spaces that a serializer would not write.
const PREPARED: &[u8] = br#"{ "keys" : [ 1,2 ]}"#;

fn chunks(
    chunks: &[&'static str],
) -> impl futures_util::Stream<Item = Result<&'static str, std::io::Error>> + use<> {
    let chunks: Vec<_> = chunks.iter().copied().map(Ok).collect();
    stream::iter(chunks)
}

/// Returns the exact size that the response body announces.
async fn announced(path: &str) -> Option<u64> {
    let app = App::new().mount("/", RestApi::new(Sizes)).build().unwrap();
    let request = http::Request::get(path).body(String::new()).unwrap();
    let response = app.oneshot(request).await.unwrap();
    response.body().size_hint().exact()
}

#[tokio::test]
async fn answers_of_known_size_announce_it() {
    assert_eq!(announced("/entity").await, Some(7));
    assert_eq!(announced("/text").await, Some(12));
    assert_eq!(announced("/bytes").await, Some(3));
    assert_eq!(announced("/empty").await, Some(0));
    assert_eq!(announced("/sized").await, Some(6));
    assert!(announced("/missing").await.is_some());
}

#[tokio::test]
async fn a_stream_of_unknown_size_announces_none() {
    assert_eq!(announced("/unsized").await, None);
}

#[tokio::test]
async fn head_of_a_stream_has_the_size_it_would_have() {
    let client = innkeeper_rest::testing::Client::new(App::new().mount("/", RestApi::new(Sizes)));
    let client = client.unwrap();
    let head = |path: &'static str| client.request(http::Method::HEAD, path).send();
    let response = head("/sized").await;
    assert_eq!(response.header("content-length"), Some("6"));
    assert_eq!(response.text(), "");
    assert_eq!(head("/unsized").await.header("content-length"), None);
}

#[tokio::test]
async fn a_sized_stream_is_sent_whole() {
    let response = received(|| Response::ok().stream_sized(chunks(&["ab", "", "c"]), 3)).await;
    assert_eq!(response.text(), "abc");
    assert!(response.failure().is_none());
}

#[tokio::test]
async fn a_stream_that_is_shorter_or_longer_than_its_size_breaks_off() {
    let response = received(|| Response::ok().stream_sized(chunks(&["ab"]), 3)).await;
    let failure = response.failure().unwrap().to_string();
    assert_eq!(failure, "the stream ended before its announced size");
    let response = received(|| Response::ok().stream_sized(chunks(&["ab", "cd"]), 3)).await;
    let failure = response.failure().unwrap().to_string();
    assert_eq!(failure, "the stream is longer than its announced size");
    assert_eq!(response.text(), "ab", "what was sent before");
}

#[tokio::test]
async fn a_stream_that_fails_breaks_off() {
    let response = received(|| {
        let chunks = [Ok("ab"), Err("the disk is gone")];
        Response::ok().stream(stream::iter(chunks))
    })
    .await;
    assert_eq!(response.status(), 200, "it was sent already");
    assert_eq!(response.text(), "ab");
    assert_eq!(response.failure().unwrap().to_string(), "the disk is gone");
}

#[tokio::test]
async fn statuses_without_content_have_neither_body_nor_type() {
    for status in [204, 205, 304] {
        let response = received(move || {
            Response::status(status)
                .content_type("text/plain")
                .header("content-length", "4")
                .header("etag", "\"a\"")
                .body("text")
        })
        .await;
        assert_eq!(response.status(), status);
        assert_eq!(response.text(), "");
        assert_eq!(response.header("content-type"), None, "{status}");
        assert_eq!(response.header("content-length"), None, "{status}");
        assert_eq!(response.header("etag"), Some("\"a\""), "{status}");
    }
}

#[tokio::test]
async fn json_that_is_already_written_is_sent_byte_for_byte() {
    let client = Client::new(App::new().mount("/", RestApi::new(Sizes))).unwrap();
    for accept in ["*/*", "application/json", "text/html, */*;q=0.1"] {
        let response = client.get("/prepared").header("accept", accept).send();
        let response = response.await;
        assert_eq!(response.bytes(), PREPARED);
        assert_eq!(response.header("content-type"), Some("application/json"));
        assert_eq!(response.header("vary"), None);
    }
    assert_eq!(announced("/prepared").await, Some(PREPARED.len() as u64));
}
