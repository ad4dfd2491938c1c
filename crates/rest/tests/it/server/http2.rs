//! HTTP/2 without TLS, with prior knowledge.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream;
use http::{Method, Request, Version};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http2::{SendRequest, handshake};
use hyper_util::rt::{TokioExecutor, TokioIo};
use innkeeper_rest::{App, Response, RestApi, resource};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use super::wire::{Running, Wire, soon};
use crate::eventually::eventually;

struct Streams {
    gate: Arc<Semaphore>,
    /// Has one permit per handler that has ended or was cancelled.
    left: Arc<Semaphore>,
}

/// Adds a permit when it is dropped.
struct Leaving(Arc<Semaphore>);

impl Drop for Leaving {
    fn drop(&mut self) {
        self.0.add_permits(1);
    }
}

#[resource("/streams")]
impl Streams {
    #[get]
    fn list(&self) -> &'static str {
        "all streams"
    }

    #[post]
    fn echo(&self, #[body] text: String) -> String {
        text
    }

    #[get("/waiting")]
    async fn wait(&self) -> &'static str {
        let _leaving = Leaving(Arc::clone(&self.left));
        self.gate.acquire().await.unwrap().forget();
        "waited"
    }

    #[get("/parts")]
    fn parts(&self) -> Response {
        let parts = ["one ", "two ", "three"].map(Ok::<_, std::io::Error>);
        Response::ok().stream(stream::iter(parts))
    }
}

struct Setup {
    server: Running,
    gate: Arc<Semaphore>,
    left: Arc<Semaphore>,
}

fn serve(configure: impl FnOnce(innkeeper_rest::Server) -> innkeeper_rest::Server) -> Setup {
    let (gate, left) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let streams = Streams {
        gate: Arc::clone(&gate),
        left: Arc::clone(&left),
    };
    let app = App::new().mount("/", RestApi::new(streams)).body_limit(10);
    Setup {
        server: Running::with(app, configure),
        gate,
        left,
    }
}

struct Client {
    send: SendRequest<Full<Bytes>>,
    connection: JoinHandle<Result<(), hyper::Error>>,
    /// A clone of the socket, to break the connection.
    socket: std::net::TcpStream,
}

impl Client {
    async fn connect(server: &Running) -> Self {
        let stream = TcpStream::connect(server.address).await.unwrap();
        let stream = stream.into_std().unwrap();
        let socket = stream.try_clone().unwrap();
        let io = TokioIo::new(TcpStream::from_std(stream).unwrap());
        let (send, connection) = soon(handshake(TokioExecutor::new(), io)).await.unwrap();
        Self {
            send,
            connection: tokio::spawn(connection),
            socket,
        }
    }

    fn request(
        &mut self,
        method: Method,
        path: &str,
        body: &'static str,
    ) -> impl Future<Output = hyper::Result<http::Response<hyper::body::Incoming>>> + use<> {
        let request = Request::builder()
            .method(method)
            .version(Version::HTTP_2)
            .uri(format!("http://test{path}"))
            .body(Full::from(body))
            .unwrap();
        self.send.send_request(request)
    }

    /// Sends a request and returns the status, the announced length and the body.
    async fn answer(
        &mut self,
        method: Method,
        path: &str,
        body: &'static str,
    ) -> (u16, Option<String>, String) {
        let response = soon(self.request(method, path, body)).await.unwrap();
        assert_eq!(response.version(), Version::HTTP_2);
        let status = response.status().as_u16();
        let length = response.headers().get("content-length");
        let length = length.map(|length| length.to_str().unwrap().to_owned());
        let body = soon(response.into_body().collect()).await.unwrap();
        let text = String::from_utf8(body.to_bytes().into()).unwrap();
        (status, length, text)
    }
}

#[tokio::test]
async fn prior_knowledge_is_enough() {
    let setup = serve(|server| server);
    let mut client = Client::connect(&setup.server).await;
    let (status, length, text) = client.answer(Method::GET, "/streams", "").await;
    assert_eq!((status, text.as_str()), (200, "all streams"));
    assert_eq!(length.as_deref(), Some("11"));
    let (status, _, text) = client.answer(Method::POST, "/streams", "hello").await;
    assert_eq!((status, text.as_str()), (200, "hello"));
    let (status, length, text) = client.answer(Method::GET, "/streams/parts", "").await;
    assert_eq!((status, text.as_str()), (200, "one two three"));
    assert_eq!(length, None);
    let (status, length, text) = client.answer(Method::HEAD, "/streams", "").await;
    assert_eq!((status, text.as_str()), (200, ""));
    assert_eq!(length.as_deref(), Some("11"));
    let (status, ..) = client.answer(Method::GET, "/nothing", "").await;
    assert_eq!(status, 404);
}

#[tokio::test]
async fn a_body_over_the_limit_leaves_the_connection_usable() {
    let setup = serve(|server| server);
    let mut client = Client::connect(&setup.server).await;
    let (status, _, text) = client
        .answer(Method::POST, "/streams", "more than ten bytes")
        .await;
    assert_eq!(status, 413);
    assert!(text.contains("larger than 10 bytes"), "{text}");
    let (status, ..) = client.answer(Method::GET, "/streams", "").await;
    assert_eq!(status, 200);
}

#[tokio::test]
async fn streams_do_not_wait_for_each_other() {
    let setup = serve(|server| server);
    let mut client = Client::connect(&setup.server).await;
    let waiting = tokio::spawn(client.request(Method::GET, "/streams/waiting", ""));
    let (status, ..) = client.answer(Method::GET, "/streams", "").await;
    assert_eq!(status, 200);
    setup.gate.add_permits(1);
    let response = soon(waiting).await.unwrap().unwrap();
    let body = soon(response.into_body().collect()).await.unwrap();
    assert_eq!(body.to_bytes(), "waited");
}

#[tokio::test]
async fn a_stream_that_is_reset_cancels_its_handler() {
    let setup = serve(|server| server);
    let mut client = Client::connect(&setup.server).await;
    let waiting = tokio::spawn(client.request(Method::GET, "/streams/waiting", ""));
    // The response to this request shows that the other one has arrived.
    client.answer(Method::GET, "/streams", "").await;
    waiting.abort();
    eventually("the handler is left", async || {
        setup.left.available_permits() == 1
    })
    .await;
    let (status, ..) = client.answer(Method::GET, "/streams", "").await;
    assert_eq!(status, 200);
}

#[tokio::test]
async fn a_connection_that_ends_cancels_its_handlers() {
    let setup = serve(|server| server);
    let mut client = Client::connect(&setup.server).await;
    let waiting = tokio::spawn(client.request(Method::GET, "/streams/waiting", ""));
    client.answer(Method::GET, "/streams", "").await;
    client.socket.shutdown(std::net::Shutdown::Both).unwrap();
    assert!(soon(waiting).await.unwrap().is_err());
    eventually("the handler is left", async || {
        setup.left.available_permits() == 1
    })
    .await;
}

#[tokio::test]
async fn stopping_answers_what_is_in_progress() {
    let setup = serve(|server| server);
    let mut client = Client::connect(&setup.server).await;
    let mut idle = Client::connect(&setup.server).await;
    idle.answer(Method::GET, "/streams", "").await;
    let waiting = tokio::spawn(client.request(Method::GET, "/streams/waiting", ""));
    client.answer(Method::GET, "/streams", "").await;

    setup.server.stop.now();
    soon(idle.connection).await.unwrap().unwrap();
    setup.gate.add_permits(1);
    let response = soon(waiting).await.unwrap().unwrap();
    assert_eq!(response.status(), 200);
    drop((response, client));
    setup.server.ended().await;
}

#[tokio::test]
async fn the_drain_timeout_ends_streams_too() {
    let setup = serve(|server| server.drain_timeout(Duration::from_millis(50)));
    let mut client = Client::connect(&setup.server).await;
    let waiting = tokio::spawn(client.request(Method::GET, "/streams/waiting", ""));
    client.answer(Method::GET, "/streams", "").await;
    setup.server.stopped().await;
    assert!(soon(waiting).await.unwrap().is_err());
    eventually("the handler is left", async || {
        setup.left.available_permits() == 1
    })
    .await;
}

#[tokio::test]
async fn an_idle_connection_is_closed() {
    let setup = serve(|server| server.idle_timeout(Duration::from_secs(2)));
    let mut client = Client::connect(&setup.server).await;
    client.answer(Method::GET, "/streams", "").await;
    let _ = soon(client.connection).await.unwrap();
}

#[tokio::test]
async fn frames_between_requests_are_no_late_head() {
    let setup = serve(|server| {
        server
            .head_timeout(Duration::from_secs(2))
            .idle_timeout(Duration::from_mins(30))
    });
    let mut client = Client::connect(&setup.server).await;
    // The client acknowledges settings and opens windows; these frames do not start a request.
    client.answer(Method::GET, "/streams/parts", "").await;
    // This one sends nothing at all.
    setup.server.connect().await.closed().await;
    assert!(!client.connection.is_finished());
    let (status, ..) = client.answer(Method::GET, "/streams", "").await;
    assert_eq!(status, 200);
}

#[tokio::test]
async fn a_preface_without_a_request_is_closed() {
    let setup = serve(|server| server.head_timeout(Duration::from_millis(50)));
    for start in ["PRI * HTTP/2.0\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"] {
        let mut wire = setup.server.connect().await;
        wire.send(start).await;
        wire.ended().await;
    }
}

#[tokio::test]
async fn it_can_be_switched_off() {
    let setup = serve(|server| server.http2(false));
    let mut wire = Wire::connect(setup.server.address).await;
    wire.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await;
    wire.closed().await;
    let mut wire = setup.server.connect().await;
    assert_eq!(wire.get("/streams").await.text(), "all streams");
}
