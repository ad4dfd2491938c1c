//! Limits and timeouts: heads, bodies, idle connections, connection counts.

use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::stream;
use innkeeper_rest::{App, Body, PlainText, Rejection, Response, RestApi, Server, Stop, resource};

use super::wire::{Answer, Running, Wire, soon};
use crate::eventually::eventually;

/// For what never comes.
const SHORT: Duration = Duration::from_millis(60);

/// Long enough for a request on a busy machine.
const BEARABLE: Duration = Duration::from_secs(2);

/// Longer than any test.
const LONG: Duration = Duration::from_mins(30);

#[derive(Clone, Default)]
struct Notes {
    /// Signals the end of an endless stream.
    over: Stop,
    /// What takes long ends with this signal.
    go_on: Stop,
}

/// Signals when it is dropped.
struct Over(Stop);

impl Drop for Over {
    fn drop(&mut self) {
        self.0.now();
    }
}

#[resource("/notes")]
impl Notes {
    #[get]
    fn list(&self) -> &'static str {
        "all notes"
    }

    #[post]
    fn create(&self, #[body] text: &str) -> usize {
        text.len()
    }

    #[post("/streamed")]
    async fn streamed(&self, #[stream] mut body: Body) -> Result<u64, Rejection> {
        let mut size = 0;
        while let Some(chunk) = body.next_chunk().await? {
            size += chunk.len() as u64;
        }
        Ok(size)
    }

    /// Answers without reading the body.
    #[post("/refused")]
    fn refuse(&self) -> Response {
        Response::error(409)
    }

    /// Returns a stream that pauses.
    #[get("/rare")]
    fn rare(&self) -> Response {
        let go_on = self.go_on.clone();
        let first = stream::once(async { Ok::<_, std::io::Error>("first ") });
        let second = stream::once(async move {
            go_on.requested().await;
            Ok("second")
        });
        Response::ok().stream(Box::pin(first.chain(second)))
    }

    #[get("/slow")]
    async fn slow(&self) -> &'static str {
        self.go_on.requested().await;
        "slow"
    }

    #[get("/large")]
    fn large(&self) -> Response {
        let over = Over(self.over.clone());
        Response::ok().stream(stream::repeat_with(move || {
            let _kept = &over;
            Ok::<_, std::io::Error>(vec![b'x'; 4096])
        }))
    }
}

fn serve(configure: impl FnOnce(Server) -> Server) -> Running {
    serve_notes(&Notes::default(), configure)
}

fn serve_notes(notes: &Notes, configure: impl FnOnce(Server) -> Server) -> Running {
    Running::with(app(notes).body_timeout(LONG), configure)
}

fn app(notes: &Notes) -> App {
    App::new()
        .mount("/", RestApi::new(notes.clone()))
        .mount("/text", RestApi::new(notes.clone()).errors(PlainText))
        .body_limit(1000)
}

/// Waits until a connection between requests is closed, and one without a request, so long as each may be silent.
async fn until_others_are_closed(server: &Running) {
    let mut silent = server.connect().await;
    let mut idle = server.connect().await;
    assert_eq!(idle.get("/notes").await.text(), "all notes");
    silent.closed().await;
    idle.closed().await;
}

/// Returns a head of about this many bytes.
fn head_of(bytes: usize) -> String {
    let filling = "x".repeat(bytes);
    format!("GET /notes HTTP/1.1\r\nHost: test\r\nX-Filling: {filling}\r\n\r\n")
}

fn assert_bare(answer: &Answer, status: u16) {
    assert_eq!(answer.status, status, "{}", answer.head);
    assert_eq!(answer.text(), "");
    assert_eq!(answer.header("connection"), Some("close"));
}

#[tokio::test]
async fn a_head_over_the_limit_is_431() {
    let server = serve(|server| server.head_limit(1024));
    let mut wire = server.connect().await;
    wire.send(head_of(500)).await;
    assert_eq!(wire.answer().await.status, 200);
    wire.send(head_of(2000)).await;
    assert_bare(&wire.answer().await, 431);
    assert_eq!(wire.rest().await, "");
}

#[tokio::test]
async fn the_default_head_limit_is_16_kib() {
    let server = serve(|server| server);
    let mut wire = server.connect().await;
    wire.send(head_of(15 * 1024)).await;
    assert_eq!(wire.answer().await.status, 200);
    // The head is far larger than the server reads, but the response must arrive.
    wire.send(head_of(300 * 1024)).await;
    assert_bare(&wire.answer().await, 431);
    assert_eq!(wire.rest().await, "");
}

#[tokio::test]
async fn a_target_over_the_limit_is_414() {
    let server = serve(|server| server.head_limit(20_000));
    let target = "x".repeat(30_000);
    let whole = format!("GET /{target} HTTP/1.1\r\nHost: test\r\n\r\n");
    // At once, in pieces that each are a read, and without an end.
    for pieces in [30_100, 3000, 999] {
        let mut wire = server.connect().await;
        for piece in whole.as_bytes().chunks(pieces) {
            if wire.try_send(piece).await.is_err() {
                break;
            }
            tokio::task::yield_now().await;
        }
        assert_bare(&wire.answer().await, 414);
    }
    let mut wire = server.connect().await;
    let long = "x".repeat(19_000);
    wire.send(format!("GET /{long} HTTP/1.1\r\nHost: test\r\n\r\n"))
        .await;
    assert_eq!(wire.answer().await.status, 404);
}

#[tokio::test]
async fn too_many_headers_are_431() {
    let server = serve(|server| server.header_count(10));
    let headers = |count| "X-Header: 1\r\n".repeat(count);
    let mut wire = server.connect().await;
    wire.send(format!(
        "GET /notes HTTP/1.1\r\nHost: a\r\n{}\r\n",
        headers(9)
    ))
    .await;
    assert_eq!(wire.answer().await.status, 200);
    wire.send(format!(
        "GET /notes HTTP/1.1\r\nHost: a\r\n{}\r\n",
        headers(10)
    ))
    .await;
    assert_bare(&wire.answer().await, 431);
    assert_eq!(wire.rest().await, "");
}

#[tokio::test]
async fn a_head_that_never_ends_is_408() {
    let server = serve(|server| server.head_timeout(BEARABLE).idle_timeout(LONG));
    let mut silent = server.connect().await;
    let mut late = Vec::new();
    for start in [
        "G",
        "GET /notes HTTP/1.1\r\n",
        "GET /notes HTTP/1.1\r\nHost: test\r\n",
    ] {
        let mut wire = server.connect().await;
        wire.send(start).await;
        late.push(wire);
    }
    // The second head of a connection has the same timeout as the first, also on the slower path.
    for headers in ["", "TE: trailers\r\n"] {
        let mut wire = server.connect().await;
        wire.send(format!(
            "GET /notes HTTP/1.1\r\nHost: test\r\n{headers}\r\n"
        ))
        .await;
        assert_eq!(wire.answer().await.status, 200);
        wire.send("GET /no").await;
        late.push(wire);
    }
    silent.closed().await;
    for mut wire in late {
        assert_bare(&wire.answer().await, 408);
        assert_eq!(wire.rest().await, "");
    }
}

#[tokio::test]
async fn a_head_that_comes_byte_by_byte_closes_the_connection() {
    let server = serve(|server| server.head_timeout(BEARABLE).idle_timeout(LONG));
    let mut wire = server.connect().await;
    wire.get("/notes").await;
    let is_closed = async || wire.try_send("G").await.is_err();
    eventually("the connection is closed", is_closed).await;
}

#[tokio::test]
async fn a_connection_that_sends_nothing_more_is_closed() {
    let server = serve(|server| server.idle_timeout(BEARABLE).head_timeout(LONG));
    let mut wire = server.connect().await;
    let begin = Instant::now();
    wire.get("/notes").await;
    wire.closed().await;
    assert!(
        begin.elapsed() >= BEARABLE,
        "closed after {:?}",
        begin.elapsed()
    );
}

#[tokio::test]
async fn a_connection_between_requests_is_not_held_to_the_head_timeout() {
    let server = serve(|server| server.head_timeout(BEARABLE).idle_timeout(LONG));
    let mut wire = server.connect().await;
    wire.get("/notes").await;
    // This one does not even send a head.
    server.connect().await.closed().await;
    assert_eq!(wire.get("/notes").await.text(), "all notes");
}

#[tokio::test]
async fn a_handler_may_take_longer_than_an_idle_connection_lives() {
    let notes = Notes::default();
    let server = serve_notes(&notes, |server| {
        server.idle_timeout(BEARABLE).head_timeout(BEARABLE)
    });
    let mut wire = server.connect().await;
    wire.send("GET /notes/slow HTTP/1.1\r\nHost: test\r\n\r\n")
        .await;
    until_others_are_closed(&server).await;
    notes.go_on.now();
    assert_eq!(wire.answer().await.text(), "slow");
}

#[tokio::test]
async fn a_silent_stream_is_not_idle() {
    let notes = Notes::default();
    let server = serve_notes(&notes, |server| {
        server.idle_timeout(BEARABLE).head_timeout(BEARABLE)
    });
    let mut wire = server.connect().await;
    wire.send("GET /notes/rare HTTP/1.1\r\nHost: test\r\n\r\n")
        .await;
    assert_eq!(wire.answer_head().await.status, 200);
    assert_eq!(wire.chunk().await, b"first ");
    until_others_are_closed(&server).await;
    notes.go_on.now();
    assert_eq!(wire.chunk().await, b"second");
    assert_eq!(wire.chunk().await, b"");
}

#[tokio::test]
async fn a_slow_body_is_408_in_the_format_of_the_mount() {
    let app = app(&Notes::default()).body_timeout(SHORT);
    let server = Running::start(app);
    for path in ["/notes", "/notes/streamed"] {
        let mut wire = server.connect().await;
        begin_body(&mut wire, path, 100).await;
        let answer = wire.answer().await;
        assert_eq!(answer.status, 408, "{path}");
        assert_eq!(
            answer.text(),
            r#"{"type":"about:blank","title":"Request Timeout","status":408,"detail":"the body did not arrive in time","code":"slow_body"}"#
        );
        assert_eq!(wire.rest().await, "");

        let mut wire = server.connect().await;
        begin_body(&mut wire, &format!("/text{path}"), 100).await;
        let answer = wire.answer().await;
        assert_eq!(answer.status, 408, "{path}");
        assert_eq!(answer.text().trim_end(), "the body did not arrive in time");
    }
}

async fn begin_body(wire: &mut Wire, path: &str, length: usize) {
    wire.send(format!(
        "POST {path} HTTP/1.1\r\nHost: test\r\nContent-Length: {length}\r\n\r\nonly this"
    ))
    .await;
}

#[tokio::test]
async fn a_body_over_the_limit_is_413_and_a_clean_close() {
    let server = serve(|server| server);
    for path in ["/notes", "/notes/streamed"] {
        let mut wire = server.connect().await;
        begin_body(&mut wire, path, 4_000_000).await;
        // The client sends the whole body before it reads the response.
        wire.send("x".repeat(4_000_000 - "only this".len())).await;
        let answer = wire.answer().await;
        assert_eq!(answer.status, 413, "{path}");
        assert_eq!(
            answer.text(),
            r#"{"type":"about:blank","title":"Payload Too Large","status":413,"detail":"the body is larger than 1000 bytes","code":"body_too_large"}"#
        );
        assert_eq!(wire.rest().await, "");
    }
}

#[tokio::test]
async fn chunks_over_the_limit_are_413() {
    let server = serve(|server| server);
    let mut wire = server.connect().await;
    wire.send("POST /notes HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n")
        .await;
    let chunk = format!("3e8\r\n{}\r\n", "x".repeat(1000));
    wire.send(&chunk).await;
    wire.send(&chunk).await;
    assert_eq!(wire.answer().await.status, 413);
    assert_eq!(wire.rest().await, "");
}

#[tokio::test]
async fn a_small_body_nobody_reads_leaves_the_connection_usable() {
    let server = serve(|server| server);
    let mut wire = server.connect().await;
    wire.send("POST /notes/refused HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\n\r\nhello")
        .await;
    assert_eq!(wire.answer().await.status, 409);
    assert_eq!(wire.get("/notes").await.text(), "all notes");
}

#[tokio::test]
async fn a_large_body_nobody_reads_is_a_clean_close() {
    let server = serve(|server| server);
    let mut wire = server.connect().await;
    begin_body(&mut wire, "/notes/refused", 4_000_000).await;
    wire.send("x".repeat(4_000_000 - "only this".len())).await;
    assert_eq!(wire.answer().await.status, 409);
    assert_eq!(wire.rest().await, "");
}

#[tokio::test]
async fn a_client_that_does_not_read_is_closed() {
    let notes = Notes::default();
    let server = serve_notes(&notes, |server| server.idle_timeout(BEARABLE));
    let mut wire = server.connect().await;
    wire.send("GET /notes/large HTTP/1.1\r\nHost: test\r\n\r\n")
        .await;
    soon(notes.over.requested()).await;
    // The buffered bytes arrive, then the connection ends.
    assert!(wire.ended().await > 0);
}

#[tokio::test]
async fn connections_over_the_cap_wait_while_the_others_are_in_use() {
    let server = serve(|server| server.connections(2));
    let mut first = server.connect().await;
    let mut second = server.connect().await;
    for wire in [&mut first, &mut second] {
        wire.send("GET /notes/large HTTP/1.1\r\nHost: test\r\n\r\n")
            .await;
        assert_eq!(wire.answer_head().await.status, 200);
    }
    let mut third = server.connect().await;
    third
        .send("GET /notes HTTP/1.1\r\nHost: test\r\n\r\n")
        .await;
    // Meanwhile the server works for another.
    tokio::select! {
        biased;
        early = third.answer() => panic!("answered: {early:?}"),
        _ = second.take(10_000_000) => {}
    }
    drop(first);
    assert_eq!(third.answer().await.text(), "all notes");
}

#[tokio::test]
async fn a_silent_connection_gives_its_place_to_the_next() {
    let server = serve(|server| server.connections(1).head_timeout(BEARABLE));
    let mut silent = server.connect().await;
    let mut next = server.connect().await;
    assert_eq!(next.get("/notes").await.status, 200);
    silent.closed().await;
}

/// The server does not accept while all its connections are in use; the others wait in the queue.
#[tokio::test]
async fn a_burst_of_connections_is_not_refused() {
    let server = Server::bind("127.0.0.1:0").unwrap();
    let address = server.address();
    let mut waiting = Vec::new();
    for _ in 0..500 {
        let connecting = tokio::net::TcpStream::connect(address);
        let connected = tokio::time::timeout(Duration::from_secs(30), connecting).await;
        waiting.push(connected.expect("the queue is full").unwrap());
    }
    drop(server);
}

#[tokio::test]
async fn when_all_connections_are_in_use_the_longest_idle_is_closed() {
    let notes = Notes::default();
    let server = serve_notes(&notes, |server| server.connections(3).idle_timeout(LONG));
    let mut silent = server.connect().await;
    let mut idle = server.connect().await;
    assert_eq!(idle.get("/notes").await.status, 200);
    let mut busy = server.connect().await;
    busy.send("GET /notes/slow HTTP/1.1\r\nHost: a\r\n\r\n")
        .await;

    let mut fourth = server.connect().await;
    assert_eq!(fourth.get("/notes").await.status, 200);
    silent.closed().await;
    let mut fifth = server.connect().await;
    assert_eq!(fifth.get("/notes").await.status, 200);
    idle.closed().await;
    notes.go_on.now();
    assert_eq!(busy.answer().await.text(), "slow");
}

#[tokio::test]
async fn one_address_has_only_so_many_connections() {
    let server = serve(|server| server.connections_per_client(2, |_| false));
    let mut first = server.connect().await;
    let mut second = server.connect().await;
    assert_eq!(first.get("/notes").await.status, 200);
    assert_eq!(second.get("/notes").await.status, 200);
    let mut third = server.connect().await;
    third.closed().await;
    assert_eq!(first.get("/notes").await.status, 200);

    drop(second);
    // The server notices the end a moment later.
    eventually("there is room again", async || {
        let mut again = server.connect().await;
        let request = "GET /notes HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n";
        let sent = again.try_send(request).await;
        let received = again.bytes_to_the_end().await.unwrap_or_default();
        sent.is_ok() && received.starts_with(b"HTTP/1.1 200")
    })
    .await;
}

#[tokio::test]
async fn exempt_addresses_may_have_any_number_of_connections() {
    let server = serve(|server| server.connections_per_client(1, |client| client.is_loopback()));
    let mut first = server.connect().await;
    let mut second = server.connect().await;
    assert_eq!(second.get("/notes").await.status, 200);
    assert_eq!(first.get("/notes").await.status, 200);
}
