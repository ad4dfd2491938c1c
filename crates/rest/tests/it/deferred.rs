//! Handlers that wait, deferred results, and clients that leave before the response.

#![expect(clippy::panic, reason = "what comes of panics is a subject")]
#![expect(
    clippy::async_yields_async,
    reason = "an `Async` within an `Async` is a subject"
)]

use std::sync::Arc;
use std::time::Duration;

use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, Async, Response, RestApi, Stop, resource};
use serde::Serialize;
use tokio::sync::Semaphore;

use crate::eventually::eventually;
use crate::server::wire::{Running, Wire, soon};

#[derive(Debug, Serialize)]
struct Report {
    pages: u32,
}

#[derive(Debug, innkeeper_rest::ApiError)]
#[api(status = 409)]
struct NoPaper;

impl std::fmt::Display for NoPaper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("no paper")
    }
}

struct Reports {
    /// Waiting handlers acquire a permit here.
    gate: Arc<Semaphore>,
    log: Log,
}

/// Records the progress of a handler.
#[derive(Clone, Default)]
struct Log {
    started: Stop,
    finished: Stop,
    dropped: Stop,
}

/// Signals the end of a handler, whether it finished or not.
struct Over(Stop);

impl Drop for Over {
    fn drop(&mut self) {
        self.0.now();
    }
}

/// Waits at the gate and logs its progress.
async fn work(gate: Arc<Semaphore>, log: Log) {
    let _over = Over(log.dropped);
    log.started.now();
    gate.acquire().await.unwrap().forget();
    log.finished.now();
}

#[resource("/reports")]
impl Reports {
    #[get("/plain")]
    fn plain(&self) -> Report {
        Report { pages: 1 }
    }

    #[get("/async")]
    async fn asynchronous(&self) -> Report {
        tokio::task::yield_now().await;
        Report { pages: 2 }
    }

    #[get("/value")]
    fn value(&self) -> Async<Report> {
        Async::new(async {
            tokio::task::yield_now().await;
            Report { pages: 3 }
        })
    }

    #[get("/from-fn")]
    fn by_function(&self) -> Async<Report> {
        Async::from_fn(async || Report { pages: 4 })
    }

    #[get("/blocking")]
    fn blocking(&self) -> Async<Report> {
        Async::blocking(|| Report { pages: 5 })
    }

    #[get("/response")]
    fn response(&self) -> Async<Response> {
        Async::new(async { Response::accepted().header("X-Pages", "6") })
    }

    #[get("/nothing")]
    fn nothing(&self) -> Async<()> {
        Async::new(async {})
    }

    #[get("/result/{sheets}")]
    fn result(&self, sheets: u32) -> Async<Result<Report, NoPaper>> {
        Async::new(async move {
            sheets
                .checked_sub(1)
                .map(|pages| Report { pages })
                .ok_or(NoPaper)
        })
    }

    #[get("/blocking-result/{sheets}")]
    fn blocking_result(&self, sheets: u32) -> Async<Result<Report, NoPaper>> {
        Async::blocking(move || {
            sheets
                .checked_sub(1)
                .map(|pages| Report { pages })
                .ok_or(NoPaper)
        })
    }

    #[get("/outer-result/{sheets}")]
    fn outer_result(&self, sheets: u32) -> Result<Async<Report>, NoPaper> {
        let pages = sheets.checked_sub(1).ok_or(NoPaper)?;
        Ok(Async::new(async move { Report { pages } }))
    }

    #[get("/nested")]
    fn nested(&self) -> Async<Async<Async<Report>>> {
        Async::new(async { Async::from_fn(async || Async::blocking(|| Report { pages: 7 })) })
    }

    #[get("/awaited")]
    async fn awaited(&self) -> Async<Report> {
        tokio::task::yield_now().await;
        Async::new(async { Report { pages: 8 } })
    }

    #[get("/panic/now")]
    fn panic_now(&self) -> Report {
        panic!("out of paper")
    }

    #[get("/panic/async")]
    async fn panic_async(&self) -> Report {
        tokio::task::yield_now().await;
        panic!("out of paper")
    }

    #[get("/panic/deferred")]
    fn panic_deferred(&self) -> Async<Report> {
        Async::new(async { panic!("out of paper") })
    }

    #[get("/panic/blocking")]
    fn panic_blocking(&self) -> Async<Report> {
        Async::blocking(|| panic!("out of paper"))
    }

    #[get("/panic/detached")]
    #[detached]
    async fn panic_detached(&self) -> Report {
        self.gate.acquire().await.unwrap().forget();
        panic!("out of paper")
    }

    #[get("/waiting/async")]
    async fn waiting(&self) -> &'static str {
        work(Arc::clone(&self.gate), self.log.clone()).await;
        "waited"
    }

    #[get("/waiting/deferred")]
    fn waiting_deferred(&self) -> Async<&'static str> {
        let work = work(Arc::clone(&self.gate), self.log.clone());
        Async::new(async {
            work.await;
            "waited"
        })
    }

    #[get("/waiting/blocking")]
    fn waiting_blocking(&self) -> Async<&'static str> {
        let (gate, log) = (Arc::clone(&self.gate), self.log.clone());
        Async::blocking(move || {
            tokio::runtime::Handle::current().block_on(work(gate, log));
            "waited"
        })
    }

    #[get("/detached/async")]
    #[detached]
    async fn detached(&self) -> &'static str {
        work(Arc::clone(&self.gate), self.log.clone()).await;
        "waited"
    }

    #[get("/detached/deferred")]
    #[detached]
    fn detached_deferred(&self) -> Async<Async<&'static str>> {
        let work = work(Arc::clone(&self.gate), self.log.clone());
        Async::new(async {
            Async::new(async {
                work.await;
                "waited"
            })
        })
    }

    #[post("/detached")]
    #[detached]
    async fn detached_upload(&self, #[body] text: String) -> String {
        work(Arc::clone(&self.gate), self.log.clone()).await;
        text
    }
}

fn app() -> (App, Arc<Semaphore>, Log) {
    let (gate, log) = (Arc::new(Semaphore::new(0)), Log::default());
    let reports = Reports {
        gate: Arc::clone(&gate),
        log: log.clone(),
    };
    (App::new().mount("/", RestApi::new(reports)), gate, log)
}

fn client() -> Client {
    Client::new(app().0).unwrap()
}

fn serve() -> (Running, Arc<Semaphore>, Log) {
    let (app, gate, log) = app();
    (Running::start(app), gate, log)
}

async fn ask(wire: &mut Wire, path: &str) {
    wire.send(format!("GET {path} HTTP/1.1\r\nHost: test\r\n\r\n"))
        .await;
}

#[tokio::test]
async fn every_kind_of_handler_answers_alike() {
    let client = client();
    for (path, pages) in [
        ("/reports/plain", 1),
        ("/reports/async", 2),
        ("/reports/value", 3),
        ("/reports/from-fn", 4),
        ("/reports/blocking", 5),
        ("/reports/result/1", 0),
        ("/reports/blocking-result/2", 1),
        ("/reports/outer-result/3", 2),
        ("/reports/nested", 7),
        ("/reports/awaited", 8),
    ] {
        let response = client.get(path).send().await;
        assert_eq!(response.status(), 200, "{path}");
        assert_eq!(response.text(), format!(r#"{{"pages":{pages}}}"#), "{path}");
        assert_eq!(response.header("content-type"), Some("application/json"));
    }
}

#[tokio::test]
async fn an_async_response_keeps_its_status_and_headers() {
    let response = client().get("/reports/response").send().await;
    assert_eq!(response.status(), 202);
    assert_eq!(response.header("x-pages"), Some("6"));
}

#[tokio::test]
async fn an_async_nothing_is_204() {
    let response = client().get("/reports/nothing").send().await;
    assert_eq!(response.status(), 204);
    assert_eq!(response.text(), "");
}

#[tokio::test]
async fn an_async_error_goes_through_the_error_format() {
    let client = client();
    for path in ["result", "blocking-result", "outer-result"] {
        let response = client.get(format!("/reports/{path}/0")).send().await;
        assert_eq!(response.status(), 409, "{path}");
        let body: serde_json::Value = response.json().unwrap();
        assert_eq!(body["detail"], "no paper", "{path}");
    }
}

#[tokio::test]
async fn the_server_answers_others_meanwhile() {
    let (server, gate, log) = serve();
    for kind in ["async", "deferred", "blocking"] {
        let mut slow = server.connect().await;
        ask(&mut slow, &format!("/reports/waiting/{kind}")).await;
        soon(log.started.requested()).await;
        let mut other = server.connect().await;
        for _ in 0..3 {
            assert_eq!(other.get("/reports/plain").await.status, 200, "{kind}");
        }
        gate.add_permits(1);
        assert_eq!(slow.answer().await.text(), "waited", "{kind}");
    }
}

#[tokio::test]
async fn panics_are_500_wherever_they_happen() {
    let client = client();
    for kind in ["now", "async", "deferred", "blocking"] {
        let response = client.get(format!("/reports/panic/{kind}")).send().await;
        assert_eq!(response.status(), 500, "{kind}");
        assert!(!response.text().contains("paper"), "{}", response.text());
    }
}

#[tokio::test]
async fn a_panic_leaves_the_connection_usable() {
    let (server, ..) = serve();
    let mut wire = server.connect().await;
    for kind in ["now", "async", "deferred", "blocking"] {
        let answer = wire.get(&format!("/reports/panic/{kind}")).await;
        assert_eq!(answer.status, 500, "{kind}");
    }
    assert_eq!(wire.get("/reports/plain").await.status, 200);
}

#[tokio::test]
async fn a_detached_panic_is_500() {
    let (app, gate, _) = app();
    gate.add_permits(1);
    let client = Client::new(app).unwrap();
    let response = client.get("/reports/panic/detached").send().await;
    assert_eq!(response.status(), 500);
    assert!(!response.text().contains("paper"), "{}", response.text());
}

#[tokio::test]
async fn a_detached_panic_after_the_client_has_left_harms_nobody() {
    let (server, gate, _) = serve();
    let mut wire = server.connect().await;
    ask(&mut wire, "/reports/panic/detached").await;
    // The server answers this request after the first one has arrived.
    server.connect().await.get("/reports/plain").await;
    drop(wire);
    gate.add_permits(1);
    eventually("the handler has begun", async || {
        gate.available_permits() == 0
    })
    .await;
    let mut wire = server.connect().await;
    assert_eq!(wire.get("/reports/plain").await.status, 200);
}

#[tokio::test]
async fn a_handler_is_cancelled_when_its_client_leaves() {
    for kind in ["async", "deferred"] {
        let (server, gate, log) = serve();
        let mut wire = server.connect().await;
        ask(&mut wire, &format!("/reports/waiting/{kind}")).await;
        soon(log.started.requested()).await;
        drop(wire);
        soon(log.dropped.requested()).await;
        assert!(!log.finished.is_requested(), "{kind}");
        assert_eq!(gate.available_permits(), 0);
        let mut wire = server.connect().await;
        assert_eq!(wire.get("/reports/plain").await.status, 200, "{kind}");
    }
}

/// A thread cannot be cancelled: blocking work runs to its end without a client.
#[tokio::test]
async fn blocking_work_ends_though_its_client_has_left() {
    let (server, gate, log) = serve();
    let mut wire = server.connect().await;
    ask(&mut wire, "/reports/waiting/blocking").await;
    soon(log.started.requested()).await;
    drop(wire);
    gate.add_permits(1);
    soon(log.finished.requested()).await;
}

#[tokio::test]
async fn a_detached_handler_runs_to_the_end_when_its_client_leaves() {
    for kind in ["async", "deferred"] {
        let (server, gate, log) = serve();
        let mut wire = server.connect().await;
        ask(&mut wire, &format!("/reports/detached/{kind}")).await;
        soon(log.started.requested()).await;
        drop(wire);
        // Requests of other clients give the server time to notice.
        for _ in 0..3 {
            assert_eq!(
                server.connect().await.get("/reports/plain").await.status,
                200
            );
        }
        assert!(!log.dropped.is_requested(), "{kind}: cancelled");
        gate.add_permits(1);
        soon(log.finished.requested()).await;
    }
}

#[tokio::test]
async fn a_detached_handler_answers_a_client_that_stays() {
    let (server, gate, _) = serve();
    let mut wire = server.connect().await;
    gate.add_permits(3);
    for kind in ["async", "deferred"] {
        let answer = wire.get(&format!("/reports/detached/{kind}")).await;
        assert_eq!(answer.text(), "waited", "{kind}");
    }
    wire.send("POST /reports/detached HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\n\r\nhello")
        .await;
    assert_eq!(wire.answer().await.text(), "hello");
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_takes_too_long_is_408() {
    let (app, _, log) = app();
    let client = Client::new(app.timeout(Duration::from_secs(5))).unwrap();
    for kind in ["async", "deferred"] {
        let response = client.get(format!("/reports/waiting/{kind}")).send().await;
        assert_eq!(response.status(), 408, "{kind}");
        assert!(log.dropped.is_requested(), "{kind}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_detached_handler_goes_on_after_its_408() {
    let (app, gate, log) = app();
    let client = Client::new(app.timeout(Duration::from_secs(5))).unwrap();
    let response = client.get("/reports/detached/async").send().await;
    assert_eq!(response.status(), 408);
    assert!(!log.dropped.is_requested());
    gate.add_permits(1);
    soon(log.finished.requested()).await;
}
