//! Requests with compressed bodies, well-formed and malformed.

use bytes::Bytes;
use futures_util::stream;
use innkeeper_rest::filter::Decompress;
use innkeeper_rest::testing::{Client, TestResponse};
use innkeeper_rest::{
    App, Body, Filter, IntoReply as _, Next, Rejection, Request, Response, RestApi, resource,
};

use super::{gzip, page, to_brotli};

struct Inbox;

#[resource("/inbox")]
impl Inbox {
    #[post]
    fn text(&self, #[body] text: String) -> String {
        text
    }

    #[post("/numbers")]
    fn numbers(&self, #[entity] numbers: Vec<u32>) -> usize {
        numbers.len()
    }

    #[post("/headers")]
    fn headers(&self, #[request] request: Request) -> String {
        let names = ["content-encoding", "content-length"];
        let there = names.map(|name| request.head().header(name).is_some());
        format!("{there:?}")
    }

    #[post("/large")]
    #[body_limit(1_000_000)]
    async fn large(&self, #[stream] mut body: Body) -> Result<usize, Rejection> {
        let mut size = 0;
        while let Some(chunk) = body.next_chunk().await? {
            assert!(chunk.len() <= 64 * 1024, "it comes in pieces");
            size += chunk.len();
        }
        Ok(size)
    }

    #[post("/unread")]
    fn unread(&self) {}
}

fn client() -> Client {
    let api = RestApi::new(Inbox).filter(Decompress::new());
    Client::new(App::new().body_limit(10_000).mount("/", api)).unwrap()
}

async fn post(path: &str, coding: &str, body: impl Into<Body>) -> TestResponse {
    let client = client();
    let request = client.post(path).header("content-encoding", coding);
    let request = request.header("content-type", "text/plain");
    request.body(body).send().await
}

/// Returns a body that arrives in chunks of this size.
fn in_pieces(bytes: &[u8], size: usize) -> Body {
    let pieces: Vec<_> = bytes.chunks(size).map(Bytes::copy_from_slice).collect();
    Body::from_stream(stream::iter(pieces.into_iter().map(Ok)))
}

#[tokio::test]
async fn bodies_are_unpacked_before_the_handler_reads_them() {
    for (coding, body) in [
        ("gzip", gzip(page())),
        ("x-gzip", gzip(page())),
        ("GZIP", gzip(page())),
        ("br", to_brotli(page())),
        ("identity", page().into()),
        ("", page().into()),
        ("identity, gzip", gzip(page())),
        (
            "gzip",
            [gzip(&page()[..100]), gzip(&page()[100..])].concat(),
        ),
    ] {
        let response = post("/inbox", coding, body).await;
        assert_eq!(
            (response.status(), response.text()),
            (200, page()),
            "{coding}"
        );
    }
    let response = post("/inbox", "gzip", Body::empty()).await;
    assert_eq!((response.status(), response.text()), (200, String::new()));
}

#[tokio::test]
async fn bodies_may_come_in_pieces_of_any_size() {
    for size in [1, 2, 7, 100] {
        for (coding, body) in [("gzip", gzip(page())), ("br", to_brotli(page()))] {
            let response = post("/inbox", coding, in_pieces(&body, size)).await;
            assert_eq!(response.text(), page(), "{coding} in pieces of {size}");
        }
    }
}

#[tokio::test]
async fn entities_are_read_from_unpacked_bodies() {
    let client = client();
    let request = client
        .post("/inbox/numbers")
        .header("content-encoding", "br");
    let request = request.header("content-type", "application/json");
    let response = request.body(to_brotli("[1,2,3]")).send().await;
    assert_eq!((response.status(), response.text()), (200, "3".into()));
}

#[tokio::test]
async fn handlers_see_no_trace_of_the_compression() {
    let client = client();
    let body = gzip(page());
    let request = client
        .post("/inbox/headers")
        .header("content-encoding", "gzip");
    let request = request.header("content-length", body.len().to_string());
    let response = request.body(body).send().await;
    assert_eq!(response.text(), "[false, false]");
}

#[tokio::test]
async fn a_small_body_that_becomes_a_large_one_is_too_large() {
    let zeros = vec![0; 5_000_000];
    for (coding, bomb) in [("gzip", gzip(&zeros)), ("br", to_brotli(&zeros))] {
        assert!(bomb.len() < zeros.len() / 100, "{coding}: {}", bomb.len());
        let response = post("/inbox", coding, bomb.clone()).await;
        assert_eq!(response.status(), 413, "{coding}");
        let body: serde_json::Value = response.json().unwrap();
        assert_eq!(body["detail"], "the body is larger than 10000 bytes");
        let response = post("/inbox/large", coding, bomb.clone()).await;
        assert_eq!(response.status(), 413, "{coding}");
        assert_eq!(post("/inbox/unread", coding, bomb).await.status(), 204);
    }
}

#[tokio::test]
async fn the_limit_of_the_method_holds_for_the_plain_body() {
    // More compressed bytes than the application allows, fewer plain ones than the method does.
    let mut state = 7_u64;
    let noise: Vec<u8> = (0..500_000)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            state.to_be_bytes()[0]
        })
        .collect();
    for (coding, body) in [("gzip", gzip(&noise)), ("br", to_brotli(&noise))] {
        assert!(body.len() > 400_000);
        let response = post("/inbox/large", coding, in_pieces(&body, 60_000)).await;
        assert_eq!((response.status(), response.text()), (200, "500000".into()));
    }
}

/// Reads the body before the limit of a handler applies.
struct Greedy;

impl Filter for Greedy {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        match request.take_body().read_all().await {
            Ok(bytes) => {
                request.set_body(bytes);
                next.run(request).await
            }
            Err(error) => Rejection::from(error).into_reply(),
        }
    }
}

#[tokio::test]
async fn filters_that_read_the_body_are_protected_too() {
    let api = RestApi::new(Inbox).filter(Decompress::new()).filter(Greedy);
    let client = Client::new(App::new().body_limit(10_000).mount("/", api)).unwrap();
    for (size, status) in [(10_000, 200), (10_001, 413), (5_000_000, 413)] {
        let request = client.post("/inbox").header("content-encoding", "gzip");
        let request = request.header("content-type", "text/plain");
        let response = request.body(gzip(vec![b'a'; size])).send().await;
        assert_eq!(response.status(), status, "{size}");
    }
}

#[tokio::test]
async fn what_is_not_compressed_as_it_says_is_refused() {
    let garbled = |mut body: Vec<u8>, place: usize| {
        body[place] ^= 0x55;
        body
    };
    let with_rest = |body: Vec<u8>| [body, b"rest".to_vec()].concat();
    let cut = |body: Vec<u8>| body[..body.len() / 2].to_vec();
    for (coding, body) in [
        ("gzip", page().into_bytes()),
        ("gzip", to_brotli(page())),
        ("gzip", cut(gzip(page()))),
        ("gzip", garbled(gzip(page()), 40)),
        ("gzip", garbled(gzip(page()), gzip(page()).len() - 6)),
        ("gzip", with_rest(gzip(page()))),
        ("gzip", vec![0x1f]),
        ("br", gzip(page())),
        ("br", cut(to_brotli(page()))),
        ("br", with_rest(to_brotli(page()))),
        ("br", vec![0xff; 100]),
    ] {
        for body in [Body::from(body.clone()), in_pieces(&body, 11)] {
            let response = post("/inbox", coding, body).await;
            assert_eq!(response.status(), 400, "{coding}: {}", response.text());
            let body: serde_json::Value = response.json().unwrap();
            let detail = "the body does not match its content encoding";
            assert_eq!(
                (&body["code"], &body["detail"]),
                (&"malformed_body".into(), &detail.into())
            );
        }
    }
}

#[tokio::test]
async fn a_body_that_says_nothing_at_any_length_is_refused() {
    // An endless sequence of empty blocks.
    let header = Bytes::from_static(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
    let nothing = Bytes::from([0, 0, 0, 0xff, 0xff].repeat(1000));
    let endless = stream::unfold(Some(header), move |first| {
        let chunk = first.unwrap_or_else(|| nothing.clone());
        async move { Some((Ok(chunk), None)) }
    });
    let response = post("/inbox", "gzip", Body::from_stream(endless)).await;
    assert_eq!(response.status(), 400);
}

#[tokio::test]
async fn other_codings_are_refused_with_those_that_are_not() {
    for coding in [
        "deflate",
        "zstd",
        "gzip, gzip",
        "gzip, br",
        "nonsense",
        "*",
        "gzip;q=1",
    ] {
        let response = post("/inbox", coding, "hello").await;
        assert_eq!(response.status(), 415, "{coding}");
        assert_eq!(response.header("accept-encoding"), Some("gzip, br"));
        let body: serde_json::Value = response.json().unwrap();
        assert_eq!(body["code"], "unsupported_encoding");
    }
}

#[tokio::test(start_paused = true)]
async fn a_compressed_body_that_does_not_come_is_too_slow() {
    let start = gzip(page());
    let first = Bytes::copy_from_slice(&start[..start.len() / 2]);
    let never = stream::unfold(Some(first), async |first| match first {
        Some(first) => Some((Ok(first), None)),
        None => std::future::pending().await,
    });
    let response = post("/inbox", "gzip", Body::from_stream(never)).await;
    assert_eq!(response.status(), 408);
}
