//! The levels of filters and the order in which they run.

use std::sync::{Arc, Mutex};

use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, Filter, MetaValue, Method, Next, Request, Response, RestApi, resource};

/// The recorded calls, in order.
#[derive(Clone, Default)]
struct CallLog(Arc<Mutex<Vec<String>>>);

impl CallLog {
    fn write(&self, line: impl Into<String>) {
        self.0.lock().unwrap().push(line.into());
    }

    fn read(&self) -> String {
        std::mem::take(&mut *self.0.lock().unwrap()).join(" ")
    }
}

/// Records when a request comes in and when its response goes out.
struct Recorder(&'static str, CallLog);

impl Filter for Recorder {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        let Self(name, log) = self;
        let route = request.route().map_or("?", |route| route.template);
        log.write(format!("{name}({route})"));
        let response = next.run(request).await;
        log.write(format!("{name}={}", response.status_code().as_u16()));
        response
    }
}

struct Notes {
    log: CallLog,
}

#[resource("/notes")]
#[filter(self.noting("resource1"))]
#[filter(self.noting("resource2"))]
impl Notes {
    #[get("/{id}")]
    #[filter(self.noting("method1"))]
    #[filter(self.noting("method2"))]
    async fn one(&self, id: u8) -> u8 {
        self.log.write("handler");
        id
    }

    #[get]
    fn list(&self) -> &'static str {
        self.log.write("list");
        "list"
    }

    #[post]
    #[put]
    #[filter(self.noting("both"))]
    fn change(&self) {}
}

impl Notes {
    fn noting(&self, name: &'static str) -> Recorder {
        Recorder(name, self.log.clone())
    }
}

fn client(log: &CallLog) -> Client {
    let noting = |name| Recorder(name, log.clone());
    let notes = Notes { log: log.clone() };
    let app = App::new()
        .filter(noting("app1"))
        .mount(
            "/api",
            RestApi::new(notes)
                .filter(noting("mount1"))
                .filter(noting("mount2")),
        )
        .handler("/ping", async |_| "pong")
        .filter(noting("app2"));
    Client::new(app).unwrap()
}

#[tokio::test]
async fn the_first_filter_added_is_the_outermost_and_levels_nest() {
    let log = CallLog::default();
    let response = client(&log).get("/api/notes/7").send().await;
    assert_eq!(response.text(), "7");
    let template = "/notes/{id}";
    assert_eq!(
        log.read(),
        format!(
            "app1(?) app2(?) mount1(?) mount2(?) \
             resource1({template}) resource2({template}) method1({template}) method2({template}) \
             handler \
             method2=200 method1=200 resource2=200 resource1=200 \
             mount2=200 mount1=200 app2=200 app1=200"
        )
    );
}

#[tokio::test]
async fn filters_of_a_method_are_its_own_under_all_its_verbs() {
    let log = CallLog::default();
    let client = client(&log);
    client.get("/api/notes").send().await;
    assert!(!log.read().contains("method"));
    client.post("/api/notes").send().await;
    assert!(log.read().contains("both(/notes) both=204"));
    client.put("/api/notes").send().await;
    assert!(log.read().contains("both(/notes) both=204"));
}

#[tokio::test]
async fn filters_of_application_and_mount_see_what_is_not_routed() {
    let log = CallLog::default();
    let client = client(&log);
    client.get("/api/nothing").send().await;
    assert_eq!(
        log.read(),
        "app1(?) app2(?) mount1(?) mount2(?) mount2=404 mount1=404 app2=404 app1=404"
    );
    client.delete("/api/notes").send().await;
    assert_eq!(
        log.read(),
        "app1(?) app2(?) mount1(?) mount2(?) mount2=405 mount1=405 app2=405 app1=405"
    );
    client.request(Method::OPTIONS, "/api/notes").send().await;
    assert_eq!(
        log.read(),
        "app1(?) app2(?) mount1(?) mount2(?) mount2=204 mount1=204 app2=204 app1=204"
    );
}

#[tokio::test]
async fn filters_of_the_application_see_what_is_outside_every_mount() {
    let log = CallLog::default();
    let client = client(&log);
    client.get("/nothing").send().await;
    assert_eq!(log.read(), "app1(?) app2(?) app2=404 app1=404");
    client.get("/ping").send().await;
    assert_eq!(log.read(), "app1(?) app2(?) app2=200 app1=200");
}

#[tokio::test]
async fn filters_see_refusals_that_come_after_them() {
    let log = CallLog::default();
    let client = client(&log);
    client.get("/api/notes/x").send().await;
    let read = log.read();
    assert!(
        read.contains("method2=400 method1=400") && !read.contains("handler"),
        "{read}"
    );
    let request = client.get("/api/notes/7").header("accept", "image/png");
    request.send().await;
    let read = log.read();
    assert!(
        read.contains("method2=406") && !read.contains("handler"),
        "{read}"
    );
}

/// Responds without calling the next filter.
struct Closed;

impl Filter for Closed {
    async fn apply(&self, _: &mut Request, _: Next<'_>) -> Response {
        Response::error_with(503, "closed").header("retry-after", "60")
    }
}

#[tokio::test]
async fn a_filter_that_does_not_go_on_answers_the_request() {
    let log = CallLog::default();
    let notes = Notes { log: log.clone() };
    let api = RestApi::new(notes)
        .filter(Recorder("outside", log.clone()))
        .filter(Closed)
        .filter(Recorder("inside", log.clone()));
    let client = Client::new(App::new().mount("/", api)).unwrap();
    let response = client.get("/notes/7").send().await;
    assert_eq!(response.status(), 503);
    assert_eq!(response.header("retry-after"), Some("60"));
    assert_eq!(log.read(), "outside(?) outside=503");
}

/// Authorizes callers by the metadata of the route.
struct Guard;

impl Filter for Guard {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        let route = request.route().unwrap();
        let area = route.meta("area");
        let caller = request.head().header_text("x-role");
        let id = request.path_param("id").unwrap_or_default().into_owned();
        if area == Some(MetaValue::Text("admin")) && caller != Some("admin") {
            return Response::error_with(403, format!("{} is for admins", route.operation));
        }
        next.run(request).await.header("x-seen", id)
    }
}

struct Guarded;

#[resource("/guarded")]
#[filter(Guard)]
impl Guarded {
    #[get("/{id}")]
    #[meta(area = "people")]
    fn one(&self, id: &str) -> String {
        id.to_owned()
    }

    #[delete("/{id}")]
    #[meta(area = "admin")]
    fn remove(&self, id: &str) {
        let _ = id;
    }
}

#[tokio::test]
async fn filters_after_routing_read_the_metadata_of_the_route() {
    let client = Client::new(App::new().mount("/", RestApi::new(Guarded))).unwrap();
    let response = client.get("/guarded/a%20b").send().await;
    assert_eq!(response.header("x-seen"), Some("a b"));
    let response = client.delete("/guarded/1").send().await;
    assert_eq!(response.status(), 403);
    let body: serde_json::Value = response.json().unwrap();
    assert_eq!(body["detail"], "remove is for admins");
    let request = client.delete("/guarded/1").header("x-role", "admin");
    assert_eq!(request.send().await.status(), 204);
}

/// Applies only to requests with its name in `x-called`.
struct Called(Recorder);

impl Filter for Called {
    fn applies_to(&self, request: &Request) -> bool {
        let called = request.head().header_text("x-called").unwrap_or_default();
        called.split(' ').any(|name| name == self.0.0)
    }

    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        self.0.apply(request, next).await
    }
}

struct Visited {
    log: CallLog,
}

#[resource("/visited")]
#[filter(self.called("resource"))]
impl Visited {
    #[get]
    #[filter(self.called("method"))]
    fn show(&self) {
        self.log.write("handler");
    }
}

impl Visited {
    fn called(&self, name: &'static str) -> Called {
        Called(Recorder(name, self.log.clone()))
    }
}

#[tokio::test]
async fn filters_that_have_nothing_to_do_with_a_request_are_passed_by() {
    let log = CallLog::default();
    let visited = Visited { log: log.clone() };
    let (first, second) = (visited.called("app1"), visited.called("app2"));
    let api = RestApi::new(Visited { log: log.clone() });
    let api = api.filter(visited.called("mount"));
    let app = App::new().filter(first).filter(second).mount("/", api);
    let client = Client::new(app).unwrap();
    for (called, expected) in [
        ("", "handler"),
        ("app2", "app2(?) handler app2=204"),
        (
            "method app1",
            "app1(?) method(/visited) handler method=204 app1=204",
        ),
        (
            "resource mount",
            "mount(?) resource(/visited) handler resource=204 mount=204",
        ),
    ] {
        let sent = client.get("/visited").header("x-called", called).send();
        assert_eq!(sent.await.status(), 204);
        assert_eq!(log.read(), expected, "{called}");
    }
}
