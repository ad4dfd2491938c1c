//! A panic ends one request and nothing else.

#![expect(clippy::panic, reason = "panics are the subject")]

use innkeeper_rest::filter::{self, RequestIds, Trace};
use innkeeper_rest::testing::{Client, TestResponse};
use innkeeper_rest::{
    App, Async, ErrorFormat, Filter, Head, Next, PlainText, Rejection, Request, Response, RestApi,
    resource,
};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::log::Log;

struct Fragile;

#[resource("/fragile")]
impl Fragile {
    #[get("/sync")]
    fn sync(&self) -> u8 {
        panic!("secret of the sync handler")
    }

    #[get("/async")]
    async fn not_sync(&self) -> u8 {
        tokio::task::yield_now().await;
        panic!("secret of the async handler")
    }

    #[get("/late")]
    fn late(&self) -> Async<u8> {
        Async::new(async { panic!("secret of the late value") })
    }

    #[get("/blocking")]
    fn blocking(&self) -> Async<u8> {
        Async::blocking(|| panic!("secret of the blocking work"))
    }

    #[get("/detached")]
    #[detached]
    async fn detached(&self) -> u8 {
        panic!("secret of the detached handler")
    }

    #[get("/filtered")]
    #[filter(filter::before(|_| panic!("secret of the filter")))]
    fn filtered(&self) -> u8 {
        1
    }

    #[get("/fine")]
    fn fine(&self) -> u8 {
        2
    }
}

const PATHS: [&str; 6] = ["sync", "async", "late", "blocking", "detached", "filtered"];

fn assert_internal(response: &TestResponse) {
    assert_eq!(response.status(), 500);
    assert_eq!(
        response.json::<Value>().unwrap(),
        json!({
            "type": "about:blank",
            "title": "Internal Server Error",
            "status": 500,
            "detail": "internal server error",
            "code": "internal_error",
        })
    );
}

#[tokio::test]
async fn a_panic_is_a_500_and_the_next_request_is_answered() {
    let client = Client::new(App::new().mount("/", RestApi::new(Fragile))).unwrap();
    for path in PATHS {
        let log = Log::start();
        let response = client.get(format!("/fragile/{path}")).send().await;
        assert_internal(&response);
        assert!(log.text().contains("panicked"), "{path}: {}", log.text());
        let fine = client.get("/fragile/fine").send().await;
        assert_eq!(fine.text(), "2", "after {path}");
    }
}

#[tokio::test]
async fn a_panic_of_an_application_filter_or_a_function_is_a_500() {
    let app = App::new()
        .filter(filter::before(|request| {
            assert!(request.path() != "/filter", "secret");
            Ok(())
        }))
        .handler("/function", async |_| -> Response { panic!("secret") });
    let client = Client::new(app).unwrap();
    assert_internal(&client.get("/filter").send().await);
    assert_internal(&client.get("/function").send().await);
}

#[tokio::test]
async fn a_panic_is_written_in_the_format_of_the_mount() {
    let api = RestApi::new(Fragile).errors(PlainText);
    let client = Client::new(App::new().mount("/", api)).unwrap();
    let response = client.get("/fragile/async").send().await;
    assert_eq!(response.text(), "internal server error\n");
}

/// An entity that panics when it is serialized.
struct Unspeakable;

impl Serialize for Unspeakable {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        panic!("secret of the entity")
    }
}

struct Mute;

#[resource("/mute")]
impl Mute {
    #[get("/entity")]
    fn entity(&self) -> Response {
        Response::ok().entity(Unspeakable)
    }

    #[get("/refusal")]
    fn refusal(&self) -> Result<u8, Rejection> {
        Err(Rejection::not_found())
    }
}

/// An error format that panics.
struct Speechless;

impl ErrorFormat for Speechless {
    fn write(&self, _: &Rejection, _: &Head, _: Response) -> Response {
        panic!("secret of the error format")
    }
}

#[tokio::test]
async fn a_panic_while_an_answer_is_written_is_a_500() {
    let plain = || App::new().mount("/", RestApi::new(Mute));
    for app in [plain(), plain().filter(RequestIds::new())] {
        let client = Client::new(app).unwrap();
        assert_internal(&client.get("/mute/entity").send().await);
    }
    let plain = || App::new().mount("/", RestApi::new(Mute).errors(Speechless));
    for app in [plain(), plain().filter(RequestIds::new())] {
        let client = Client::new(app).unwrap();
        for path in ["/mute/entity", "/mute/refusal", "/mute/nowhere"] {
            assert_internal(&client.get(path).send().await);
        }
    }
}

#[tokio::test]
async fn a_filter_that_panics_when_it_is_asked_whether_it_applies_is_a_500() {
    struct Doubtful;
    impl Filter for Doubtful {
        async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
            next.run(request).await
        }

        fn applies_to(&self, _: &Request) -> bool {
            panic!("secret of the question")
        }
    }
    let app = App::new()
        .filter(RequestIds::new())
        .filter(Doubtful)
        .mount("/", RestApi::new(Fragile));
    let client = Client::new(app).unwrap();
    let response = client.get("/fragile/fine").send().await;
    assert_internal(&response);
    assert!(response.header("x-request-id").is_some());
}

#[tokio::test]
async fn filters_around_a_panic_see_an_ordinary_answer() {
    let app = App::new()
        .filter(RequestIds::new())
        .filter(Trace)
        .mount("/", RestApi::new(Fragile));
    let client = Client::new(app).unwrap();
    for path in PATHS {
        let log = Log::start();
        let path = format!("/fragile/{path}");
        let response = client.get(&path).header("x-request-id", "abc").send().await;
        assert_internal(&response);
        assert_eq!(response.header("x-request-id"), Some("abc"), "{path}");
        let log = log.text();
        let line = log
            .lines()
            .find(|line| line.contains("duration_ms"))
            .unwrap();
        assert!(line.contains("http.status=500"), "{line}");
        assert!(line.contains(&format!("http.route=\"{path}\"")), "{line}");
    }
}
