//! One log line per request.

use innkeeper_rest::filter::{RequestIds, Trace, TrustedProxies};
use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, Request, RestApi, resource};

use crate::errors::log::Log;

struct Notes;

#[resource("/notes")]
impl Notes {
    #[get("/{id}")]
    async fn one(&self, id: u8) -> u8 {
        id
    }

    #[post("/taken")]
    async fn taken(&self, #[request] request: Request) -> String {
        request.path().to_owned()
    }
}

fn client() -> Client {
    let app = App::new()
        .filter(RequestIds::new())
        .filter(TrustedProxies::none())
        .filter(Trace)
        .mount("/api", RestApi::new(Notes))
        .handler("/ping", async |_| "pong");
    Client::new(app).unwrap()
}

/// Asserts that the log has a single line with all expected parts.
fn assert_line(log: &Log, expected: &[&str]) {
    let text = log.text();
    assert_eq!(text.lines().count(), 1, "{text}");
    for part in expected {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
}

#[tokio::test]
async fn a_request_is_logged_with_method_route_and_status() {
    let log = Log::start();
    let client = client();
    let request = client.get("/api/notes/7?password=secret");
    let request = request.header("x-request-id", "abc");
    request
        .from_peer("192.0.2.1:99".parse().unwrap())
        .send()
        .await;
    assert_line(
        &log,
        &[
            "INFO request ",
            "http.method=GET",
            "http.path=\"/api/notes/7\"",
            "http.route=\"/notes/{id}\"",
            "http.operation=\"one\"",
            "http.status=200",
            "request.id=\"abc\"",
            "client.address=\"192.0.2.1\"",
            "duration_ms=",
        ],
    );
    assert!(!log.text().contains("secret"), "the query is not logged");
}

#[tokio::test]
async fn refusals_are_logged_too() {
    let client = client();
    let log = Log::start();
    client.get("/api/notes/x").send().await;
    assert_line(&log, &["http.status=400", "http.route=\"/notes/{id}\""]);
    drop(log);
    let log = Log::start();
    client.put("/nothing").send().await;
    assert_line(
        &log,
        &[
            "http.method=PUT",
            "http.status=404",
            "http.path=\"/nothing\"",
        ],
    );
    assert!(!log.text().contains("http.route"), "there is none");
}

#[tokio::test]
async fn what_takes_the_whole_request_is_logged_like_anything_else() {
    let client = client();
    for (path, status) in [("/api/notes/taken", "200"), ("/ping", "200")] {
        let log = Log::start();
        let request = client.post(path).header("x-request-id", "abc");
        request
            .from_peer("192.0.2.1:99".parse().unwrap())
            .send()
            .await;
        assert_line(
            &log,
            &[
                &format!("http.status={status}"),
                &format!("http.path=\"{path}\""),
                "request.id=\"abc\"",
                "client.address=\"192.0.2.1\"",
            ],
        );
    }
}
