//! Events over sockets: each is sent at once, until the client leaves or the server stops.

use std::io::Write as _;
use std::sync::Arc;

use bytes::Bytes;
use flate2::write::GzDecoder;
use futures_util::stream;
use http_body_util::{BodyExt as _, Empty};
use hyper_util::rt::{TokioExecutor, TokioIo};
use innkeeper_rest::filter::{self, Compress};
use innkeeper_rest::{App, Event, Events, RestApi, resource};
use tokio::net::TcpStream;
use tokio::sync::{Mutex, Semaphore, mpsc};

use crate::server::wire::{Running, soon};

struct News {
    /// Items that the test sends.
    items: Mutex<Option<mpsc::Receiver<&'static str>>>,
    /// Gets a permit when the stream is dropped.
    left: Arc<Semaphore>,
}

/// Adds a permit when it is dropped.
struct Leaving(Arc<Semaphore>);

impl Drop for Leaving {
    fn drop(&mut self) {
        self.0.add_permits(1);
    }
}

#[resource("/news")]
impl News {
    #[get]
    async fn listen(&self) -> Events {
        let items = self.items.lock().await.take().unwrap();
        let state = (items, Leaving(Arc::clone(&self.left)));
        Events::new(stream::unfold(state, async |(mut items, leaving)| {
            let event = Event::text(items.recv().await?);
            Some((event, (items, leaving)))
        }))
    }
}

struct Setup {
    server: Running,
    items: mpsc::Sender<&'static str>,
    left: Arc<Semaphore>,
}

fn serve(arrange: impl FnOnce(RestApi) -> RestApi) -> Setup {
    let (items, receiver) = mpsc::channel(8);
    let left = Arc::new(Semaphore::new(0));
    let news = News {
        items: Mutex::new(Some(receiver)),
        left: Arc::clone(&left),
    };
    let app = App::new().mount("/", arrange(RestApi::new(news)));
    Setup {
        server: Running::start(app),
        items,
        left,
    }
}

const GET: &str = "GET /news HTTP/1.1\r\nHost: test\r\n\r\n";

#[tokio::test]
async fn each_event_arrives_when_it_is_there() {
    let setup = serve(|api| api);
    let mut wire = setup.server.connect().await;
    wire.send(GET).await;
    // The head comes first: a browser then reports the stream as open.
    let head = wire.answer_head().await;
    assert_eq!(head.header("content-type"), Some("text/event-stream"));
    assert_eq!(head.header("transfer-encoding"), Some("chunked"));
    for item in ["one", "two"] {
        setup.items.send(item).await.unwrap();
        assert_eq!(wire.chunk().await, format!("data: {item}\n\n").as_bytes());
    }
    drop(setup.items);
    assert_eq!(wire.chunk().await, b"");
    // The connection can be reused.
    assert_eq!(wire.get("/elsewhere").await.status, 404);
}

#[tokio::test]
async fn a_stream_is_dropped_when_its_client_leaves() {
    let setup = serve(|api| api);
    let mut wire = setup.server.connect().await;
    wire.send(GET).await;
    wire.answer_head().await;
    drop(wire);
    let _gone = soon(setup.left.acquire()).await.unwrap();
}

#[tokio::test]
async fn a_stream_ends_when_the_server_stops() {
    // Waiting for the stream to end would take half a minute.
    let setup = serve(|api| api);
    let mut wire = setup.server.connect().await;
    wire.send(GET).await;
    wire.answer_head().await;
    setup.items.send("one").await.unwrap();
    assert_eq!(wire.chunk().await, b"data: one\n\n");
    setup.server.stop.now();
    assert_eq!(wire.chunk().await, b"");
    assert_eq!(wire.rest().await, "");
    let _gone = soon(setup.left.acquire()).await.unwrap();
    setup.server.ended().await;
}

#[tokio::test]
async fn a_stream_over_http2_ends_when_the_server_stops() {
    let setup = serve(|api| api);
    let stream = TcpStream::connect(setup.server.address).await.unwrap();
    let (mut sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream))
            .await
            .unwrap();
    let connection = tokio::spawn(connection);
    let request = http::Request::get("http://test/news");
    let request = request.body(Empty::<Bytes>::new()).unwrap();
    let mut answer = soon(sender.send_request(request)).await.unwrap();
    setup.items.send("one").await.unwrap();
    let frame = soon(answer.frame()).await.unwrap().unwrap();
    assert_eq!(frame.into_data().unwrap(), "data: one\n\n");
    setup.server.stop.now();
    assert_eq!(soon(answer.collect()).await.unwrap().to_bytes(), "");
    setup.server.ended().await;
    drop(sender);
    soon(connection).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_layer_around_it_changes_nothing() {
    let setup = serve(|api| api.filter(filter::layer(tower::layer::util::Identity::new())));
    let mut wire = setup.server.connect().await;
    wire.send(GET).await;
    wire.answer_head().await;
    setup.items.send("one").await.unwrap();
    assert_eq!(wire.chunk().await, b"data: one\n\n");
    setup.server.stop.now();
    assert_eq!(wire.chunk().await, b"");
    setup.server.ended().await;
}

#[tokio::test]
async fn compressed_events_can_be_read_one_by_one_and_end_as_they_should() {
    let events = Compress::builder().types(["text/event-stream"]);
    let events = events.build().unwrap();
    let setup = serve(|api| api.filter(events));
    let mut wire = setup.server.connect().await;
    wire.send("GET /news HTTP/1.1\r\nHost: test\r\nAccept-Encoding: gzip\r\n\r\n")
        .await;
    setup.items.send("one").await.unwrap();
    let head = wire.answer_head().await;
    assert_eq!(head.header("content-encoding"), Some("gzip"));
    let mut decoder = GzDecoder::new(Vec::new());
    decoder.write_all(&wire.chunk().await).unwrap();
    decoder.flush().unwrap();
    assert_eq!(decoder.get_ref(), b"data: one\n\n");
    setup.items.send("two").await.unwrap();
    decoder.write_all(&wire.chunk().await).unwrap();
    decoder.flush().unwrap();
    assert_eq!(decoder.get_ref(), b"data: one\n\ndata: two\n\n");
    setup.server.stop.now();
    loop {
        let chunk = wire.chunk().await;
        if chunk.is_empty() {
            break;
        }
        decoder.write_all(&chunk).unwrap();
    }
    // `finish` fails if the last bytes are missing.
    assert_eq!(decoder.finish().unwrap(), b"data: one\n\ndata: two\n\n");
    setup.server.ended().await;
}

#[tokio::test]
async fn head_does_not_start_the_stream() {
    let setup = serve(|api| api);
    let mut wire = setup.server.connect().await;
    wire.send("HEAD /news HTTP/1.1\r\nHost: test\r\n\r\n").await;
    let head = wire.answer_head().await;
    assert_eq!(head.header("content-type"), Some("text/event-stream"));
    let _gone = soon(setup.left.acquire()).await.unwrap();
    assert_eq!(wire.get("/elsewhere").await.status, 404);
}
