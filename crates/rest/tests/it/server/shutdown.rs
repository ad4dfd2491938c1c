//! Shutdown: idle connections close, requests in progress finish, hanging handlers are cancelled.

use std::sync::Arc;
use std::time::Duration;

use futures_util::stream;
use innkeeper_rest::{App, Response, RestApi, Server, Stop, resource};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;

use super::wire::{Running, soon};
use crate::eventually::eventually;

struct Work {
    gate: Arc<Semaphore>,
    started: Stop,
    ended: Stop,
}

/// Signals when a handler has ended or was cancelled.
struct Over(Stop);

impl Drop for Over {
    fn drop(&mut self) {
        self.0.now();
    }
}

#[resource("/work")]
impl Work {
    #[get]
    fn list(&self) -> &'static str {
        "all work"
    }

    #[get("/waiting")]
    async fn wait(&self) -> &'static str {
        let _over = Over(self.ended.clone());
        self.started.now();
        self.gate.acquire().await.unwrap().forget();
        "waited"
    }

    #[get("/detached")]
    #[detached]
    async fn detached(&self) -> &'static str {
        let _over = Over(self.ended.clone());
        self.started.now();
        self.gate.acquire().await.unwrap().forget();
        "waited"
    }

    #[get("/stream")]
    fn stream(&self) -> Response {
        let gate = Arc::clone(&self.gate);
        let parts = stream::unfold((gate, 0), async |(gate, number)| {
            if number == 3 {
                return None;
            }
            gate.acquire().await.unwrap().forget();
            Some((
                Ok::<_, std::io::Error>(format!("part {number};")),
                (gate, number + 1),
            ))
        });
        Response::ok().stream(Box::pin(parts))
    }
}

struct Setup {
    server: Running,
    gate: Arc<Semaphore>,
    started: Stop,
    ended: Stop,
}

fn serve(configure: impl FnOnce(Server) -> Server) -> Setup {
    let (gate, started, ended) = (Arc::new(Semaphore::new(0)), Stop::new(), Stop::new());
    let work = Work {
        gate: Arc::clone(&gate),
        started: started.clone(),
        ended: ended.clone(),
    };
    Setup {
        server: Running::with(App::new().mount("/", RestApi::new(work)), configure),
        gate,
        started,
        ended,
    }
}

#[tokio::test]
async fn idle_connections_are_closed_at_once() {
    // Waiting for idle connections would take half an hour.
    let setup = serve(|server| server.drain_timeout(Duration::from_mins(30)));
    let mut kept = setup.server.connect().await;
    kept.get("/work").await;
    let mut fresh = setup.server.connect().await;
    // The response to this request shows that all connections are accepted.
    setup.server.connect().await.get("/work").await;

    setup.server.stopped().await;
    assert_eq!(kept.rest().await, "");
    fresh.closed().await;
}

#[tokio::test]
async fn a_request_that_is_on_its_way_is_answered() {
    let setup = serve(|server| server);
    let mut wire = setup.server.connect().await;
    wire.send("GET /wo").await;
    // The response to this request shows that the other one has arrived.
    setup.server.connect().await.get("/work").await;
    setup.server.stop.now();
    wire.send("rk HTTP/1.1\r\nHost: test\r\n\r\n").await;
    assert_eq!(wire.answer().await.text(), "all work");
    assert_eq!(wire.rest().await, "");
    setup.server.ended().await;
}

#[tokio::test]
async fn a_request_in_progress_is_answered() {
    let setup = serve(|server| server);
    let mut wire = setup.server.connect().await;
    wire.send("GET /work/waiting HTTP/1.1\r\nHost: test\r\n\r\n")
        .await;
    soon(setup.started.requested()).await;
    setup.server.stop.now();
    let address = setup.server.address;
    eventually("nobody can connect", async || {
        std::net::TcpStream::connect(address).is_err()
    })
    .await;
    setup.gate.add_permits(1);
    let answer = wire.answer().await;
    assert_eq!(answer.text(), "waited");
    assert_eq!(answer.header("connection"), Some("close"));
    assert_eq!(wire.rest().await, "");
    setup.server.ended().await;
}

#[tokio::test]
async fn a_stream_in_progress_is_sent_to_its_end() {
    let setup = serve(|server| server);
    let mut wire = setup.server.connect().await;
    wire.send("GET /work/stream HTTP/1.1\r\nHost: test\r\n\r\n")
        .await;
    setup.gate.add_permits(1);
    wire.answer_head().await;
    assert_eq!(wire.chunk().await, b"part 0;");
    setup.server.stop.now();
    setup.gate.add_permits(2);
    assert_eq!(wire.chunk().await, b"part 1;");
    assert_eq!(wire.chunk().await, b"part 2;");
    assert_eq!(wire.chunk().await, b"");
    assert_eq!(wire.rest().await, "");
    setup.server.ended().await;
}

#[tokio::test]
async fn new_connections_are_refused() {
    let setup = serve(|server| server);
    let address = setup.server.address;
    setup.server.stopped().await;
    let refused = soon(TcpStream::connect(address)).await.unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);
}

#[tokio::test]
async fn the_drain_timeout_ends_what_hangs() {
    let setup = serve(|server| server.drain_timeout(Duration::from_millis(50)));
    let mut wire = setup.server.connect().await;
    wire.send("GET /work/waiting HTTP/1.1\r\nHost: test\r\n\r\n")
        .await;
    soon(setup.started.requested()).await;
    setup.server.stopped().await;
    wire.closed().await;
    soon(setup.ended.requested()).await;
}

/// Starts a detached handler and closes the connection of its client.
async fn left_alone(setup: &Setup) {
    let mut wire = setup.server.connect().await;
    wire.send("GET /work/detached HTTP/1.1\r\nHost: test\r\n\r\n")
        .await;
    soon(setup.started.requested()).await;
}

#[tokio::test]
async fn a_detached_handler_whose_client_has_left_is_waited_for() {
    let setup = serve(|server| server);
    left_alone(&setup).await;
    setup.server.stop.now();
    // All connections are closed, but the server still runs.
    let address = setup.server.address;
    eventually("nobody can connect", async || {
        std::net::TcpStream::connect(address).is_err()
    })
    .await;
    for _ in 0..200 {
        tokio::task::yield_now().await;
    }
    assert!(!setup.server.has_ended(), "it did not wait");
    assert!(!setup.ended.is_requested());
    setup.gate.add_permits(1);
    setup.server.ended().await;
    assert!(setup.ended.is_requested());
}

#[tokio::test]
async fn a_detached_handler_is_waited_for_no_longer_than_the_drain_timeout() {
    let setup = serve(|server| server.drain_timeout(Duration::from_millis(50)));
    left_alone(&setup).await;
    setup.server.stopped().await;
    assert!(!setup.ended.is_requested());
}

#[tokio::test]
async fn a_server_that_was_told_before_it_started_stops_at_once() {
    let setup = serve(|server| server);
    setup.server.stop.now();
    setup.server.ended().await;
}

#[tokio::test]
async fn one_word_stops_several_servers() {
    let stop = Stop::new();
    assert!(!stop.is_requested());
    let servers = [0; 3].map(|_| {
        let server = Server::bind("127.0.0.1:0").unwrap();
        let server = server.stop_on(stop.clone());
        tokio::spawn(server.serve(App::new()))
    });
    stop.now();
    assert!(stop.is_requested());
    for server in servers {
        soon(server).await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_server_that_is_dropped_takes_its_connections_along() {
    let server = Server::bind("127.0.0.1:0").unwrap();
    let address = server.address();
    let task = tokio::spawn(server.serve(App::new()));
    let mut wire = super::wire::Wire::connect(address).await;
    assert_eq!(wire.get("/").await.status, 404);
    task.abort();
    wire.closed().await;
}
