//! Several filters around one request: their order, skipping, refusing and panicking.

#![expect(clippy::panic, reason = "what comes of panics is a subject")]

use std::sync::{Arc, Mutex};

use innkeeper_rest::filter::{Cors, Quota, RateLimit, RequestIds};
use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, Filter, Method, Next, Request, Response, RestApi, resource};

struct Notes;

#[resource("/notes")]
impl Notes {
    #[get]
    fn list(&self) -> &'static str {
        "list"
    }

    #[get("/panics")]
    fn panics(&self) -> &'static str {
        panic!("in the handler")
    }
}

/// A filter that records its calls. A request header with its name makes it skip, refuse, respond or panic.
struct Recorder {
    name: &'static str,
    log: Arc<Mutex<Vec<String>>>,
}

impl Recorder {
    fn record(&self, line: String) {
        self.log.lock().unwrap().push(line);
    }
}

impl Filter for Recorder {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        self.record(self.name.to_owned());
        let action = request.head().header_text(self.name).map(str::to_owned);
        let response = match action.as_deref() {
            Some("panic") => panic!("in a filter"),
            Some("refuse") => Response::error_with(403, "not you"),
            Some("entity") => Response::ok().entity(["made", "here"]),
            _ => next.run(request).await,
        };
        let route = next
            .route_of(request)
            .map(|route| route.template().into_owned());
        let status = response.status_code().as_u16();
        let is_written = response.bytes().is_some_and(|bytes| !bytes.is_empty());
        let route = route.unwrap_or_default();
        self.record(format!("{}={status}/{is_written}/{route}", self.name));
        response
    }

    fn applies_to(&self, request: &Request) -> bool {
        request.head().header_text(self.name) != Some("skip")
    }
}

/// Returns the lines that the filters `a`, `b` and `c` record, and the status of the response, when the
/// filter `name` does `action` and the handler's response has the status `inner`.
fn expected(name: &str, action: &str, inner: u16, route: &str) -> (Vec<String>, u16) {
    let names = ["a", "b", "c"];
    let acting = names.iter().position(|known| *known == name).unwrap();
    let (status, innermost) = match action {
        "refuse" => (403, acting),
        "entity" => (200, acting),
        "panic" => (500, acting),
        _ => (inner, names.len() - 1),
    };
    let run = || (0..=innermost).filter(|index| action != "skip" || *index != acting);
    let mut lines: Vec<String> = run().map(|index| names[index].to_owned()).collect();
    for index in run().rev() {
        let is_acting = index == acting;
        if is_acting && action == "panic" {
            continue;
        }
        // A filter sees its own response before it is written, and those of others after.
        let is_written = !(is_acting && matches!(action, "refuse" | "entity"));
        lines.push(format!("{}={status}/{is_written}/{route}", names[index]));
    }
    (lines, status)
}

#[tokio::test]
async fn filters_nest_in_the_order_of_their_declaration() {
    let log = Arc::default();
    let [a, b, c] = ["a", "b", "c"].map(|name| Recorder {
        name,
        log: Arc::clone(&log),
    });
    let app = App::new().filter(a).filter(b).filter(c);
    let client = Client::new(app.mount("/api", RestApi::new(Notes))).unwrap();
    for (path, inner, route) in [
        ("/api/notes", 200, "/api/notes"),
        ("/api/notes/panics", 500, "/api/notes/panics"),
        ("/api/nothing", 404, ""),
        ("/nothing", 404, ""),
    ] {
        for action in ["go", "skip", "refuse", "entity", "panic"] {
            for name in ["a", "b", "c"] {
                let answer = client.get(path).header(name, action).send().await;
                let (lines, status) = expected(name, action, inner, route);
                assert_eq!(answer.status(), status, "{path} {name}: {action}");
                let recorded = std::mem::take(&mut *log.lock().unwrap());
                assert_eq!(recorded, lines, "{path} {name}: {action}");
                if action == "entity" {
                    assert_eq!(answer.text(), r#"["made","here"]"#);
                }
            }
        }
    }
}

#[tokio::test]
async fn shipped_filters_nest() {
    let cors = Cors::builder()
        .origin("https://inn.example")
        .build()
        .unwrap();
    let limit = RateLimit::new(Quota::per_hour(2)).unwrap();
    let app = App::new()
        .filter(RequestIds::new())
        .filter(cors)
        .filter(limit);
    let client = Client::new(app.mount("/", RestApi::new(Notes))).unwrap();
    for (status, remaining) in [(200, "1"), (200, "0"), (429, "0")] {
        let answer = client
            .get("/notes")
            .header("origin", "https://inn.example")
            .header("x-request-id", "r-1")
            .send()
            .await;
        assert_eq!(answer.status(), status);
        assert_eq!(answer.header("x-ratelimit-remaining"), Some(remaining));
        assert_eq!(answer.header("x-request-id"), Some("r-1"));
        let allowed = answer.header("access-control-allow-origin");
        assert_eq!(allowed, Some("https://inn.example"));
    }
    let preflight = client
        .request(Method::OPTIONS, "/notes")
        .header("origin", "https://inn.example")
        .header("access-control-request-method", "GET")
        .send()
        .await;
    assert_eq!(preflight.status(), 204);
}
