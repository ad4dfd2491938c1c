//! Filters that run as one do what they would do one by one.

#![expect(clippy::panic, reason = "what comes of panics is a subject")]

use std::sync::{Arc, Mutex};

use innkeeper_rest::filter::{Continue, Cors, Link, Quota, RateLimit, RequestIds, chain};
use innkeeper_rest::testing::{Client, Received};
use innkeeper_rest::{App, Filter, Method, Request, Response, RestApi, resource};

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

/// Notes what it sees, and may do something else than go on.
#[derive(Clone)]
struct Noting {
    name: &'static str,
    diary: Arc<Mutex<Vec<String>>>,
}

impl Noting {
    fn write(&self, line: String) {
        self.diary.lock().unwrap().push(line);
    }
}

impl Link for Noting {
    async fn pass<C: Continue>(&self, request: &mut Request, next: C) -> Response {
        self.write(self.name.to_owned());
        let asked = request.head().header_text(self.name).map(str::to_owned);
        let response = match asked.as_deref() {
            Some("panic") => panic!("in a filter"),
            Some("refuse") => Response::error_with(403, "not you"),
            Some("entity") => Response::ok().entity(["made", "here"]),
            _ => next.run(request).await,
        };
        let route = next
            .route_of(request)
            .map(|route| route.template().into_owned());
        let status = response.status_code().as_u16();
        let length = response.bytes().map_or(0, <[u8]>::len);
        self.write(format!(
            "{}={status}/{}/{}",
            self.name,
            length > 0,
            route.unwrap_or_default()
        ));
        response
    }

    fn applies_to(&self, request: &Request) -> bool {
        request.head().header_text(self.name) != Some("skip")
    }
}

/// The same filters, one by one and as one, and what they note.
fn both() -> [(Client, Arc<Mutex<Vec<String>>>); 2] {
    [false, true].map(|is_chain| {
        let diary = Arc::default();
        let [a, b, c] = ["a", "b", "c"].map(|name| Noting {
            name,
            diary: Arc::clone(&diary),
        });
        let app = App::new();
        let app = if is_chain {
            app.filter(chain(a, b).then(c))
        } else {
            app.filter(a).filter(b).filter(c)
        };
        let client = Client::new(app.mount("/api", RestApi::new(Notes))).unwrap();
        (client, diary)
    })
}

/// What a client sees of an answer.
fn seen(answer: &Received) -> (u16, String, Option<String>) {
    let content_type = answer.header("content-type").map(str::to_owned);
    (answer.status(), answer.text(), content_type)
}

#[tokio::test]
async fn a_chain_answers_and_nests_as_its_filters_do_one_by_one() {
    let [(single, single_diary), (chained, chained_diary)] = both();
    for path in [
        "/api/notes",
        "/api/notes/panics",
        "/api/nothing",
        "/nothing",
    ] {
        for (name, value) in [
            ("a", "go"),
            ("a", "skip"),
            ("b", "skip"),
            ("c", "skip"),
            ("a", "refuse"),
            ("b", "refuse"),
            ("c", "refuse"),
            ("a", "entity"),
            ("b", "entity"),
            ("c", "entity"),
            ("a", "panic"),
            ("b", "panic"),
            ("c", "panic"),
        ] {
            let one = single.get(path).header(name, value).send().await;
            let other = chained.get(path).header(name, value).send().await;
            assert_eq!(seen(&one), seen(&other), "{path} {name}: {value}");
            let diaries = [&single_diary, &chained_diary];
            let [one, other] = diaries.map(|diary| std::mem::take(&mut *diary.lock().unwrap()));
            assert_eq!(one, other, "{path} {name}: {value}");
        }
    }
}

#[tokio::test]
async fn shipped_filters_mark_answers_in_a_chain_too() {
    let cors = Cors::builder()
        .origin("https://inn.example")
        .build()
        .unwrap();
    let limit = RateLimit::new(Quota::per_hour(2)).unwrap();
    let filters = chain(RequestIds::new(), cors).then(limit);
    let client = Client::new(App::new().filter(filters).mount("/", RestApi::new(Notes))).unwrap();
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

#[test]
fn a_chain_answers_preflights_if_all_of_it_does() {
    let cors = || {
        Cors::builder()
            .origin("https://inn.example")
            .build()
            .unwrap()
    };
    assert!(Filter::answers_preflights(&chain(cors(), cors())));
    assert!(!Filter::answers_preflights(&chain(
        cors(),
        RequestIds::new()
    )));
}
