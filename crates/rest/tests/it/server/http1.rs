//! HTTP/1: keep-alive, pipelining, lengths, streams, half-closed sockets.

use std::sync::Arc;

use futures_util::stream;
use innkeeper_rest::{App, Request, Response, RestApi, Stop, resource};
use tokio::sync::Semaphore;

use super::wire::{Running, soon};

struct Things {
    /// Handlers of `/things/waiting` wait for a permit.
    gate: Arc<Semaphore>,
    started: Stop,
}

#[resource("/things")]
impl Things {
    #[get]
    fn list(&self) -> &'static str {
        "all things"
    }

    #[get("/{id}")]
    async fn get(&self, id: u32) -> String {
        format!("thing {id}")
    }

    #[post]
    fn create(&self, #[body] text: String) -> Response {
        Response::created().body(text)
    }

    #[get("/waiting")]
    async fn wait(&self) -> &'static str {
        self.started.now();
        self.gate.acquire().await.unwrap().forget();
        "waited"
    }

    #[get("/stream")]
    fn stream(&self) -> Response {
        let parts = ["one ", "two ", "three"].map(Ok::<_, std::io::Error>);
        Response::ok()
            .content_type("text/plain")
            .stream(stream::iter(parts))
    }

    #[get("/sized")]
    fn sized(&self) -> Response {
        let parts = ["one ", "two ", "three"].map(Ok::<_, std::io::Error>);
        Response::ok().stream_sized(stream::iter(parts), 13)
    }

    #[get("/short")]
    fn short(&self) -> Response {
        let parts = ["one"].map(Ok::<_, std::io::Error>);
        Response::ok().stream_sized(stream::iter(parts), 13)
    }

    #[delete("/{id}")]
    fn delete(&self, id: u32) {
        let _ = id;
    }

    #[get("/about/client")]
    fn client(&self, #[request] request: &Request) -> String {
        format!("{:?}", request.head().version())
    }
}

/// Starts a server and returns it with the gate and the start signal of its handlers.
fn serve() -> (Running, Arc<Semaphore>, Stop) {
    let gate = Arc::new(Semaphore::new(0));
    let started = Stop::new();
    let things = Things {
        gate: Arc::clone(&gate),
        started: started.clone(),
    };
    let running = Running::start(App::new().mount("/", RestApi::new(things)));
    (running, gate, started)
}

#[tokio::test]
async fn a_connection_is_kept_for_further_requests() {
    let (server, ..) = serve();
    let mut wire = server.connect().await;
    for id in 0..5 {
        let answer = wire.get(&format!("/things/{id}")).await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.text(), format!("thing {id}"));
        assert_eq!(answer.header("connection"), None);
    }
    assert_eq!(wire.get("/nothing").await.status, 404);
    assert_eq!(wire.get("/things").await.text(), "all things");
}

#[tokio::test]
async fn connection_close_is_honoured() {
    let (server, ..) = serve();
    let mut wire = server.connect().await;
    wire.send("GET /things HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
        .await;
    let answer = wire.answer().await;
    assert_eq!(answer.header("connection"), Some("close"));
    assert_eq!(answer.text(), "all things");
    assert_eq!(wire.rest().await, "");
}

#[tokio::test]
async fn pipelined_requests_are_answered_in_order() {
    let (server, gate, _) = serve();
    let mut wire = server.connect().await;
    let request = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: test\r\n\r\n");
    // The first response is ready last.
    wire.send(request("/things/waiting") + &request("/things/1") + &request("/things/stream"))
        .await;
    gate.add_permits(1);
    assert_eq!(wire.answer().await.text(), "waited");
    assert_eq!(wire.answer().await.text(), "thing 1");
    assert_eq!(wire.answer().await.text(), "one two three");
}

#[tokio::test]
async fn pipelined_answers_are_flushed_together() {
    let (server, ..) = serve();
    let mut wire = server.connect().await;
    for _ in 0..3 {
        let requests = (0..10).map(|id| format!("GET /things/{id} HTTP/1.1\r\nHost: a\r\n\r\n"));
        wire.send(requests.collect::<String>()).await;
        // One read returns the bytes of one write.
        let answers = wire.one_read().await;
        assert_eq!(answers.matches("HTTP/1.1 200 OK").count(), 10, "{answers}");
        assert!(answers.ends_with("thing 9"), "{answers}");
    }
}

#[tokio::test]
async fn an_answer_does_not_wait_for_a_request_that_is_not_complete() {
    let (server, ..) = serve();
    let mut wire = server.connect().await;
    // Two requests and the start of a third, in one write.
    let request = "GET /things/1 HTTP/1.1\r\nHost: test\r\n\r\n";
    wire.send(format!("{request}{request}GET /thin")).await;
    assert_eq!(wire.answer().await.text(), "thing 1");
    assert_eq!(wire.answer().await.text(), "thing 1");
    wire.send("gs/2 HTTP/1.1\r\nHost: test\r\n\r\n").await;
    assert_eq!(wire.answer().await.text(), "thing 2");
    // Some clients send a line end after the body that does not belong to it.
    wire.send("POST /things HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\n\r\nhello\r\n")
        .await;
    assert_eq!(wire.answer().await.text(), "hello");
    assert_eq!(wire.get("/things/3").await.text(), "thing 3");
}

#[tokio::test]
async fn an_answer_does_not_wait_for_the_handler_of_the_next_request() {
    let (server, gate, started) = serve();
    let mut wire = server.connect().await;
    let request = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: test\r\n\r\n");
    wire.send(request("/things/1") + &request("/things/waiting"))
        .await;
    assert_eq!(wire.answer().await.text(), "thing 1");
    soon(started.requested()).await;
    gate.add_permits(1);
    assert_eq!(wire.answer().await.text(), "waited");
}

#[tokio::test]
async fn sized_answers_carry_their_length() {
    let (server, ..) = serve();
    let mut wire = server.connect().await;
    let answer = wire.get("/things").await;
    assert_eq!(answer.header("content-length"), Some("10"));
    assert_eq!(answer.header("transfer-encoding"), None);
    let answer = wire.get("/things/sized").await;
    assert_eq!(answer.header("content-length"), Some("13"));
    assert_eq!(answer.header("transfer-encoding"), None);
    assert_eq!(answer.text(), "one two three");
}

#[tokio::test]
async fn a_stream_of_unknown_size_is_chunked() {
    let (server, ..) = serve();
    let mut wire = server.connect().await;
    wire.send("GET /things/stream HTTP/1.1\r\nHost: test\r\n\r\n")
        .await;
    let head = wire.answer_head().await;
    assert_eq!(head.header("transfer-encoding"), Some("chunked"));
    assert_eq!(head.header("content-length"), None);
    for part in ["one ", "two ", "three", ""] {
        assert_eq!(wire.chunk().await, part.as_bytes());
    }
}

#[tokio::test]
async fn a_stream_that_breaks_its_promise_breaks_the_connection() {
    let (server, ..) = serve();
    let mut wire = server.connect().await;
    wire.send("GET /things/short HTTP/1.1\r\nHost: test\r\n\r\n")
        .await;
    let answer = wire.rest().await;
    // Any part may be sent, as long as the body does not look complete.
    let body = answer.split_once("\r\n\r\n").unwrap_or_default().1;
    assert!(body.len() < 13, "{answer}");
}

#[tokio::test]
async fn an_answer_without_content_has_no_length() {
    let (server, ..) = serve();
    let mut wire = server.connect().await;
    wire.send("DELETE /things/1 HTTP/1.1\r\nHost: test\r\n\r\n")
        .await;
    let answer = wire.answer().await;
    assert_eq!(answer.status, 204);
    assert_eq!(answer.header("content-length"), None);
    assert_eq!(answer.header("transfer-encoding"), None);
    assert_eq!(wire.get("/things/2").await.text(), "thing 2");
}

#[tokio::test]
async fn head_has_the_length_of_get_and_no_body() {
    let (server, ..) = serve();
    let mut wire = server.connect().await;
    for (path, length) in [
        ("/things", Some("10")),
        ("/things/sized", Some("13")),
        ("/things/stream", None),
    ] {
        wire.send(format!("HEAD {path} HTTP/1.1\r\nHost: test\r\n\r\n"))
            .await;
        let head = wire.answer_head().await;
        assert_eq!(head.status, 200, "{path}");
        assert_eq!(head.header("content-length"), length, "{path}");
        // A body would arrive before the next response.
        assert_eq!(wire.get("/things/1").await.text(), "thing 1");
    }
}

#[tokio::test]
async fn a_client_that_expects_it_is_told_to_continue() {
    let (server, ..) = serve();
    let mut wire = server.connect().await;
    wire.send(
        "POST /things HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n",
    )
    .await;
    assert_eq!(
        wire.answer_head().await.head,
        "HTTP/1.1 100 Continue\r\n\r\n"
    );
    wire.send("hello").await;
    let answer = wire.answer().await;
    assert_eq!(answer.status, 201);
    assert_eq!(answer.text(), "hello");
}

#[tokio::test]
async fn a_client_that_expects_it_is_refused_before_it_sends() {
    let (server, ..) = serve();
    let mut wire = server.connect().await;
    wire.send("POST /things HTTP/1.1\r\nHost: test\r\nContent-Length: 9999999\r\nExpect: 100-continue\r\n\r\n")
        .await;
    let answer = wire.answer().await;
    assert_eq!(answer.status, 413);
    assert_eq!(wire.rest().await, "");
}

#[tokio::test]
async fn chunked_requests_are_read() {
    let (server, ..) = serve();
    let mut wire = server.connect().await;
    wire.send("POST /things HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n")
        .await;
    wire.send("3\r\none\r\n").await;
    wire.send("4\r\n two\r\n0\r\n\r\n").await;
    assert_eq!(wire.answer().await.text(), "one two");
    assert_eq!(wire.get("/things").await.status, 200);
}

#[tokio::test]
async fn http_1_0_is_answered_and_closed() {
    let (server, ..) = serve();
    let mut wire = server.connect().await;
    wire.send("GET /things/about/client HTTP/1.0\r\n\r\n").await;
    let answer = wire.rest().await;
    assert!(answer.starts_with("HTTP/1.0 200 OK\r\n"), "{answer}");
    assert!(answer.ends_with("\r\n\r\nHTTP/1.0"), "{answer}");

    // HTTP/1.0 has no chunks: the end of the connection ends the stream.
    let mut wire = server.connect().await;
    wire.send("GET /things/stream HTTP/1.0\r\n\r\n").await;
    let answer = wire.rest().await;
    assert!(answer.ends_with("\r\n\r\none two three"), "{answer}");
}

#[tokio::test]
async fn http_1_0_is_kept_when_it_asks_for_it() {
    let (server, ..) = serve();
    let mut wire = server.connect().await;
    for _ in 0..2 {
        wire.send("GET /things HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            .await;
        let answer = wire.answer().await;
        assert_eq!(answer.header("connection"), Some("keep-alive"));
        assert_eq!(answer.text(), "all things");
    }
}

/// The server treats a client that closes its side as gone: responses that are ready are sent, waiting
/// handlers are cancelled. Otherwise a client that left could not be detected.
#[tokio::test]
async fn a_half_closed_socket_gets_what_is_ready_and_a_clean_close() {
    let (server, _, started) = serve();
    let mut wire = server.connect().await;
    wire.send("GET /things/waiting HTTP/1.1\r\nHost: test\r\n\r\n")
        .await;
    soon(started.requested()).await;
    wire.half_close().await;
    assert_eq!(wire.rest().await, "");

    let mut wire = server.connect().await;
    let ready = wire.get("/things").await;
    assert_eq!(ready.text(), "all things");
    wire.half_close().await;
    assert_eq!(wire.rest().await, "");

    let mut wire = server.connect().await;
    wire.half_close().await;
    assert_eq!(wire.rest().await, "");
}

#[tokio::test]
async fn a_handler_that_is_ready_answers_a_half_closed_socket() {
    let (server, ..) = serve();
    let mut wire = server.connect().await;
    wire.send("GET /things HTTP/1.1\r\nHost: test\r\n\r\n")
        .await;
    wire.half_close().await;
    let answer = wire.answer().await;
    assert_eq!(answer.text(), "all things");
    assert_eq!(wire.rest().await, "");
}

#[tokio::test]
async fn a_body_that_ends_early_is_refused() {
    let (server, ..) = serve();
    let mut wire = server.connect().await;
    wire.send("POST /things HTTP/1.1\r\nHost: test\r\nContent-Length: 100\r\n\r\nonly this")
        .await;
    wire.half_close().await;
    let answer = wire.answer().await;
    assert_eq!(answer.status, 400);
    assert!(answer.text().contains("the body ended early"));
    assert_eq!(wire.rest().await, "");
}
