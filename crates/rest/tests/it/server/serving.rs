//! Ways to serve: work stealing, one runtime per core, addresses.

use std::cell::Cell;
use std::collections::HashSet;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::rc::Rc;
use std::sync::{Arc, Barrier};
use std::thread::JoinHandle;
use std::time::Duration;

use innkeeper_rest::{App, Async, Request, RestApi, ServeError, Server, Stop, resource};

use super::wire::{Running, Wire, soon};
use crate::eventually::eventually;

struct Threads;

#[resource("/thread")]
impl Threads {
    #[get]
    fn name(&self) -> String {
        format!("{:?}", std::thread::current().id())
    }

    #[get("/peer")]
    fn peer(&self, #[request] request: &Request) -> Option<String> {
        request.peer().map(|peer| peer.to_string())
    }

    #[get("/hanging")]
    fn hang(&self) -> Async<()> {
        Async::blocking(|| {
            // Longer than any test: the server must not wait for it.
            let (_kept, never) = std::sync::mpsc::channel::<()>();
            let _ = never.recv_timeout(Duration::from_mins(10));
        })
    }
}

/// A counter that is not `Send`, one per thread.
struct Counter(Rc<Cell<u32>>);

#[resource("/count", local)]
impl Counter {
    #[post]
    async fn count(&self) -> u32 {
        let kept = Rc::clone(&self.0);
        tokio::task::yield_now().await;
        kept.set(kept.get() + 1);
        kept.get()
    }
}

/// A server with one runtime per core, on its own threads.
struct PerCore {
    address: SocketAddr,
    stop: Stop,
    thread: JoinHandle<Result<(), ServeError>>,
}

impl PerCore {
    fn start<M: innkeeper_rest::Mode>(
        cores: usize,
        configure: impl FnOnce(Server) -> Server,
        application: impl Fn() -> App<M> + Send + Sync + 'static,
    ) -> Self {
        let stop = Stop::new();
        let server = Server::bind("127.0.0.1:0").unwrap();
        let server = configure(server).stop_on(stop.clone());
        let address = server.address();
        let cores = NonZeroUsize::new(cores).unwrap();
        let thread = std::thread::spawn(move || server.serve_per_core(cores, application));
        Self {
            address,
            stop,
            thread,
        }
    }

    async fn stopped(self) {
        self.stop.now();
        let joined = tokio::task::spawn_blocking(|| self.thread.join());
        soon(joined).await.unwrap().unwrap().unwrap();
    }
}

/// Waits until a server has read everything that was sent to it: until no byte is in the queues of the system.
async fn until_read(server: SocketAddr, wire: &Wire) {
    let ports = [server, wire.local_addr()].map(|address| format!(":{:04X}", address.port()));
    eventually("the server has read everything", async || {
        let sockets = std::fs::read_to_string("/proc/net/tcp").unwrap();
        let mut queues = sockets.lines().filter_map(|socket| {
            let mut fields = socket.split_whitespace().skip(1);
            let (local, remote) = (fields.next()?, fields.next()?);
            let ends = |one: &str, other: &str| local.ends_with(one) && remote.ends_with(other);
            let is_ours = ends(&ports[0], &ports[1]) || ends(&ports[1], &ports[0]);
            is_ours.then(|| fields.nth(1))?
        });
        queues.all(|queue| queue == "00000000:00000000")
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn work_stealing_serves_many_clients() {
    let server = Running::start(App::new().mount("/", RestApi::new(Threads)));
    let address = server.address;
    let clients = (0..20).map(|_| {
        tokio::spawn(async move {
            let mut wire = Wire::connect(address).await;
            for _ in 0..20 {
                assert_eq!(wire.get("/thread").await.status, 200);
            }
        })
    });
    for client in clients.collect::<Vec<_>>() {
        client.await.unwrap();
    }
    server.stopped().await;
}

#[tokio::test]
async fn every_core_has_an_application_and_a_runtime() {
    const CORES: usize = 3;
    // No thread serves before all threads build their application.
    let all = Arc::new(Barrier::new(CORES));
    let server = PerCore::start(
        CORES,
        |server| server,
        move || {
            all.wait();
            App::new().mount("/", RestApi::new(Threads))
        },
    );
    let mut seen = HashSet::new();
    // The system chooses the accepting thread; with enough connections all threads are seen.
    soon(async {
        while seen.len() < CORES {
            let mut wire = Wire::connect(server.address).await;
            let first = wire.get("/thread").await.text().to_owned();
            for _ in 0..3 {
                assert_eq!(
                    wire.get("/thread").await.text(),
                    first,
                    "stays on its thread"
                );
            }
            seen.insert(first);
        }
    })
    .await;
    server.stopped().await;
}

#[tokio::test]
async fn local_resources_are_served_per_core() {
    let server = PerCore::start(
        2,
        |server| server,
        || App::new().mount("/", RestApi::new(Counter(Rc::default()))),
    );
    let mut wire = Wire::connect(server.address).await;
    for expected in ["1", "2", "3"] {
        wire.send("POST /count HTTP/1.1\r\nHost: test\r\n\r\n")
            .await;
        assert_eq!(wire.answer().await.text(), expected);
    }
    server.stopped().await;
}

#[tokio::test]
async fn the_connection_cap_spans_the_cores() {
    let server = PerCore::start(
        3,
        |server| server.connections(2),
        || App::new().mount("/", RestApi::new(Threads)),
    );
    let mut first = Wire::connect(server.address).await;
    let mut second = Wire::connect(server.address).await;
    // Heads that have begun: these connections are in use.
    for wire in [&mut first, &mut second] {
        wire.get("/thread").await;
        wire.send("GET /thread HTTP/1.1\r\n").await;
    }
    until_read(server.address, &first).await;
    until_read(server.address, &second).await;
    let mut third = Wire::connect(server.address).await;
    third
        .send("GET /thread HTTP/1.1\r\nHost: test\r\n\r\n")
        .await;
    // Meanwhile the server reads more of the other heads.
    let more = async {
        for _ in 0..20 {
            for wire in [&mut first, &mut second] {
                wire.send("X-More: yes\r\n").await;
                until_read(server.address, wire).await;
            }
        }
    };
    tokio::select! {
        biased;
        early = third.answer() => panic!("answered: {early:?}"),
        () = more => {}
    }
    drop(second);
    assert_eq!(third.answer().await.status, 200);
    server.stopped().await;
}

#[tokio::test]
async fn blocking_work_that_hangs_does_not_keep_the_cores_from_stopping() {
    let configure = |server: Server| server.drain_timeout(Duration::from_millis(50));
    let server = PerCore::start(2, configure, || {
        App::new().mount("/", RestApi::new(Threads))
    });
    let mut wire = Wire::connect(server.address).await;
    wire.send("GET /thread/hanging HTTP/1.1\r\nHost: test\r\n\r\n")
        .await;
    let mut other = Wire::connect(server.address).await;
    assert_eq!(other.get("/thread").await.status, 200);
    server.stopped().await;
    wire.closed().await;
}

/// Returns an application whose two resources have the same paths.
fn conflicting() -> App {
    App::new().mount("/", RestApi::new(Threads).with(Threads))
}

#[tokio::test]
async fn routes_that_conflict_are_not_served() {
    let server = Server::bind("127.0.0.1:0").unwrap();
    let error = soon(server.serve(conflicting())).await.unwrap_err();
    assert!(matches!(error, ServeError::Routes(_)), "{error}");
}

#[test]
fn routes_that_conflict_are_not_served_per_core() {
    let server = Server::bind("127.0.0.1:0").unwrap();
    let cores = NonZeroUsize::new(2).unwrap();
    let error = server.serve_per_core(cores, conflicting).unwrap_err();
    assert!(matches!(error, ServeError::Routes(_)), "{error}");
}

#[test]
fn a_port_in_use_is_named() {
    let first = Server::bind("127.0.0.1:0").unwrap();
    let address = first.address().to_string();
    let error = Server::bind(&*address).unwrap_err();
    assert!(matches!(error, ServeError::Listen(..)));
    let text = error.to_string();
    assert!(
        text.starts_with(&format!("cannot listen on {address}: ")),
        "{text}"
    );
    assert!(text.contains("in use"), "{text}");
}

#[test]
fn an_address_that_is_none_is_named() {
    let error = Server::bind("nowhere:port").unwrap_err().to_string();
    assert!(
        error.starts_with("cannot listen on nowhere:port: "),
        "{error}"
    );
}

#[tokio::test]
async fn handlers_see_the_address_of_the_peer() {
    let server = Running::start(App::new().mount("/", RestApi::new(Threads)));
    let mut wire = server.connect().await;
    let expected = wire.local_addr().to_string();
    assert_eq!(
        wire.get("/thread/peer").await.text().trim_matches('"'),
        expected
    );
}
