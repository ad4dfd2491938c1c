//! Streams, compressed chunk by chunk.

use std::io::Write as _;
use std::pin::Pin;
use std::task::Poll;

use bytes::Bytes;
use flate2::write::GzDecoder;
use futures_util::stream;
use http_body::Body as _;
use http_body_util::BodyExt as _;
use innkeeper_rest::filter::Compress;
use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, BoxError, ReplyBody, Response, RestApi, resource};
use tokio::sync::{Mutex, mpsc};
use tower::ServiceExt as _;

use super::{get, page, plain, vary};
use crate::server::wire::Running;

type Chunk = Result<Bytes, BoxError>;

struct Streams {
    /// Chunks that the test sends.
    chunks: Mutex<Option<mpsc::Receiver<Chunk>>>,
}

fn chunks(count: usize) -> impl futures_core::Stream<Item = Chunk> {
    stream::iter((0..count).map(|_| Ok(Bytes::from(page()))))
}

#[resource("/streams")]
impl Streams {
    #[get]
    async fn slow(&self) -> Response {
        let chunks = self.chunks.lock().await.take().unwrap();
        let chunks = stream::unfold(chunks, async |mut chunks| {
            Some((chunks.recv().await?, chunks))
        });
        Response::ok().content_type("text/plain").stream(chunks)
    }

    #[get("/fast")]
    fn fast(&self) -> Response {
        Response::ok().content_type("text/plain").stream(chunks(50))
    }

    #[get("/sized")]
    fn sized(&self) -> Response {
        let size = page().len() as u64 * 50;
        let response = Response::ok().content_type("text/plain");
        response.stream_sized(chunks(50), size)
    }

    #[get("/events")]
    fn events(&self) -> Response {
        let response = Response::ok().content_type("text/event-stream");
        response.stream(chunks(1))
    }

    #[get("/empty")]
    fn empty(&self) -> Response {
        Response::ok().content_type("text/plain").stream(chunks(0))
    }

    #[get("/large")]
    fn large(&self) -> Response {
        let response = Response::ok().content_type("text/plain");
        response.body(page().repeat(500))
    }

    #[get("/broken")]
    fn broken(&self) -> Response {
        let chunks = [Ok(Bytes::from(page())), Err(BoxError::from("torn"))];
        let response = Response::ok().content_type("text/plain");
        response.stream(stream::iter(chunks))
    }
}

fn app() -> (App, mpsc::Sender<Chunk>) {
    let (sender, receiver) = mpsc::channel(8);
    let streams = Streams {
        chunks: Mutex::new(Some(receiver)),
    };
    let api = RestApi::new(streams).filter(Compress::new());
    (App::new().mount("/", api), sender)
}

fn client() -> Client {
    Client::new(app().0).unwrap()
}

/// A decoder that returns the text decoded so far.
enum Decoder {
    Gzip(Box<GzDecoder<Vec<u8>>>),
    Brotli(Box<brotli::DecompressorWriter<Vec<u8>>>),
}

impl Decoder {
    fn new(coding: &str) -> Self {
        match coding {
            "gzip" => Self::Gzip(Box::new(GzDecoder::new(Vec::new()))),
            _ => Self::Brotli(Box::new(brotli::DecompressorWriter::new(Vec::new(), 4096))),
        }
    }

    fn read(&mut self, bytes: &[u8]) -> String {
        let out = match self {
            Self::Gzip(decoder) => {
                decoder.write_all(bytes).unwrap();
                decoder.flush().unwrap();
                std::mem::take(decoder.get_mut())
            }
            Self::Brotli(decoder) => {
                decoder.write_all(bytes).unwrap();
                decoder.flush().unwrap();
                std::mem::take(decoder.get_mut())
            }
        };
        String::from_utf8(out).unwrap()
    }
}

async fn next(body: &mut ReplyBody) -> Bytes {
    let frame = Pin::new(body).frame().await.unwrap().unwrap();
    frame.into_data().unwrap()
}

#[tokio::test]
async fn each_chunk_can_be_read_before_the_next_is_there() {
    for coding in ["gzip", "br"] {
        let (app, sender) = app();
        let request = http::Request::get("/streams").header("accept-encoding", coding);
        let request = request.body(String::new()).unwrap();
        let response = app.build().unwrap().oneshot(request).await.unwrap();
        assert_eq!(response.headers()["content-encoding"], coding);
        let mut body = response.into_body();
        let mut decoder = Decoder::new(coding);
        for line in ["one\n", "two\n", "", "three\n"] {
            sender.send(Ok(Bytes::from(line))).await.unwrap();
            if !line.is_empty() {
                let chunk = next(&mut body).await;
                assert_eq!(decoder.read(&chunk), line, "{coding}");
            }
        }
        drop(sender);
        while let Some(frame) = body.frame().await {
            let rest = frame.unwrap().into_data().unwrap();
            assert_eq!(decoder.read(&rest), "");
        }
    }
}

#[tokio::test]
async fn streams_are_compressed_and_have_no_length() {
    let client = client();
    for path in ["/streams/fast", "/streams/sized"] {
        for coding in ["gzip", "br"] {
            let response = get(&client, path, coding).await;
            assert_eq!(plain(&response), (Some(coding), page().repeat(50)));
            assert_eq!(response.header("content-length"), None);
            assert_eq!(vary(&response), "accept-encoding");
        }
    }
    let response = get(&client, "/streams/empty", "gzip").await;
    assert_eq!(plain(&response), (Some("gzip"), String::new()));
}

#[tokio::test]
async fn events_are_left_alone() {
    let response = get(&client(), "/streams/events", "gzip, br").await;
    assert_eq!(plain(&response), (None, page()));
}

#[tokio::test]
async fn large_content_is_compressed_piece_by_piece() {
    for coding in ["gzip", "br"] {
        let (app, _sender) = app();
        let request = http::Request::get("/streams/large").header("accept-encoding", coding);
        let request = request.body(String::new()).unwrap();
        let response = app.build().unwrap().oneshot(request).await.unwrap();
        let mut body = response.into_body();
        let mut turns = 0;
        std::future::poll_fn(|cx| {
            turns += 1;
            loop {
                match std::task::ready!(Pin::new(&mut body).poll_frame(cx)) {
                    Some(frame) => assert!(frame.is_ok()),
                    None => return Poll::Ready(()),
                }
            }
        })
        .await;
        assert!(turns > 10, "{coding}: others have {turns} turns");
    }
    let response = get(&client(), "/streams/large", "br").await;
    assert_eq!(plain(&response), (Some("br"), page().repeat(500)));
    assert!(response.bytes().len() < page().len() * 50);
}

#[tokio::test]
async fn a_stream_that_breaks_off_breaks_off() {
    let response = get(&client(), "/streams/broken", "gzip").await;
    assert_eq!(response.failure().unwrap().to_string(), "torn");
}

#[tokio::test]
async fn over_a_socket_chunks_arrive_as_they_are_sent() {
    let (app, sender) = app();
    let server = Running::start(app);
    let mut wire = server.connect().await;
    wire.send("GET /streams HTTP/1.1\r\nHost: test\r\nAccept-Encoding: gzip\r\n\r\n")
        .await;
    let mut decoder = Decoder::new("gzip");
    sender.send(Ok(Bytes::from("one\n"))).await.unwrap();
    let head = wire.answer_head().await;
    assert_eq!(head.header("content-encoding"), Some("gzip"));
    assert_eq!(head.header("transfer-encoding"), Some("chunked"));
    assert_eq!(decoder.read(&wire.chunk().await), "one\n");
    sender.send(Ok(Bytes::from("two\n"))).await.unwrap();
    assert_eq!(decoder.read(&wire.chunk().await), "two\n");
}

#[tokio::test]
async fn over_a_socket_head_has_no_body_and_no_length() {
    let server = Running::start(app().0);
    let mut wire = server.connect().await;
    wire.send("HEAD /streams/large HTTP/1.1\r\nHost: test\r\nAccept-Encoding: br\r\n\r\n")
        .await;
    let head = wire.answer_head().await;
    assert_eq!(head.header("content-encoding"), Some("br"));
    assert_eq!(head.header("content-length"), None);
    // A body would arrive before the next response.
    assert_eq!(wire.get("/streams/nothing").await.status, 404);
}

#[tokio::test]
async fn trailers_come_after_the_compressed_content() {
    let service = tower::service_fn(async |_: http::Request<innkeeper_rest::Body>| {
        let mut trailers = http::HeaderMap::new();
        trailers.insert("x-checksum", "42".parse().unwrap());
        let body = http_body_util::Full::new(Bytes::from(page()));
        let body = body.with_trailers(async { Some(Ok(trailers)) });
        let response = http::Response::builder().header("content-type", "text/plain");
        Ok::<_, std::convert::Infallible>(response.body(body).unwrap())
    });
    let app = App::new().filter(Compress::new()).service("/", service);
    let request = http::Request::get("/").header("accept-encoding", "gzip");
    let request = request.body(String::new()).unwrap();
    let response = app.build().unwrap().oneshot(request).await.unwrap();
    let body = response.into_body().collect().await.unwrap();
    assert_eq!(body.trailers().unwrap()["x-checksum"], "42");
    assert_eq!(super::gunzip(&body.to_bytes()), page());
}
