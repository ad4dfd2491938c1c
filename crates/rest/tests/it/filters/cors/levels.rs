//! CORS filters at all four levels, with unknown paths and errors.

use std::sync::Arc;

use innkeeper_rest::filter::Cors;
use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, Filter, Next, Rejection, Request, Response, RestApi, filter, resource};
use innkeeper_rest::{HeaderName, StatusCode};

use super::{PAGE, ask, cors_headers, one_page, preflight};

/// Rejects requests without a key.
fn keys() -> impl Filter {
    filter::before(|request| match request.head().header_text("x-key") {
        Some(_) => Ok(()),
        None => Err(Rejection::new(
            StatusCode::UNAUTHORIZED,
            "no_key",
            "a key is needed",
        )),
    })
}

struct Plain;

#[resource("/plain")]
impl Plain {
    #[get]
    fn get(&self) -> u8 {
        1
    }

    #[put]
    fn put(&self) {}

    #[get("/broken")]
    #[expect(clippy::panic, reason = "pages can read about panics too")]
    fn broken(&self) -> u8 {
        panic!("on purpose")
    }

    #[get("/failed")]
    fn failed(&self) -> Response {
        Response::error(503)
    }
}

/// Sends a preflight from [`PAGE`] and returns whether it was allowed.
async fn is_allowed(client: &Client, path: &str, method: &str) -> bool {
    let response = ask(client, path, method).await;
    assert_eq!(response.status(), 204, "{method} {path}");
    let allowed = response.header("access-control-allow-origin") == Some(PAGE);
    assert_eq!(cors_headers(&response).is_empty(), !allowed);
    assert_eq!(response.header("allow").is_some(), !allowed);
    allowed
}

fn at_an_application() -> Client {
    let app = App::new()
        .filter(one_page())
        .mount("/api", RestApi::new(Plain).filter(keys()))
        .mount("/open", RestApi::new(Plain).automatic_options(false))
        .handler("/ping", async |_| "pong");
    Client::new(app).unwrap()
}

#[tokio::test]
async fn at_an_application_every_preflight_is_answered_before_routing() {
    let client = at_an_application();
    for path in [
        "/api/plain",
        "/api/plain/",
        "/api/nothing",
        "/open/plain",
        "/nothing",
        "/ping",
        "/",
        "/a%zz",
    ] {
        assert!(is_allowed(&client, path, "PUT").await, "{path}");
    }
    assert_eq!(ask(&client, "*", "PUT").await.status(), 204);
}

#[tokio::test]
async fn at_an_application_pages_can_read_every_answer_and_every_error() {
    let client = at_an_application();
    for (path, status) in [
        ("/open/plain", 200),
        ("/ping", 200),
        ("/api/plain", 401),
        ("/open/nothing", 404),
        ("/nothing", 404),
        ("/open/plain/broken", 500),
        ("/open/plain/failed", 503),
    ] {
        let response = client.get(path).header("origin", PAGE).send().await;
        assert_eq!(response.status(), status, "{path}");
        assert_eq!(
            cors_headers(&response),
            [
                "access-control-allow-credentials: true",
                "access-control-allow-origin: https://page.example",
                "access-control-expose-headers: x-total",
            ],
            "{path}"
        );
    }
    let response = client.delete("/open/plain").header("origin", PAGE);
    let response = response.send().await;
    assert_eq!(response.status(), 405);
    assert_eq!(response.header("access-control-allow-origin"), Some(PAGE));
    assert_eq!(response.header("allow"), Some("GET, HEAD, PUT"));
}

#[tokio::test]
async fn at_a_mount_it_speaks_for_everything_below_the_prefix_and_nothing_else() {
    let app = App::new()
        .mount(
            "/api",
            RestApi::new(Plain).filter(one_page()).filter(keys()),
        )
        .mount("/closed", RestApi::new(Plain));
    let client = Client::new(app).unwrap();
    for path in ["/api", "/api/plain", "/api/nothing"] {
        assert!(is_allowed(&client, path, "PUT").await, "{path}");
        let response = client.get(path).header("origin", PAGE).send().await;
        assert_eq!(response.status(), 401, "{path}");
        assert_eq!(response.header("access-control-allow-origin"), Some(PAGE));
    }
    assert!(!is_allowed(&client, "/closed/plain", "PUT").await);
    assert_eq!(ask(&client, "/apis", "PUT").await.status(), 404);
    let response = client.get("/closed/plain").header("origin", PAGE).send();
    assert!(cors_headers(&response.await).is_empty());
}

struct Shared {
    cors: Cors,
}

#[resource("/shared")]
#[filter(keys())]
#[filter(self.cors.clone())]
impl Shared {
    #[get("/{id}")]
    fn get(&self, id: u8) -> u8 {
        id
    }

    #[put("/{id}")]
    fn put(&self, id: u8) {
        let _ = id;
    }

    #[post("/{id}")]
    fn post(&self, id: u8) {
        let _ = id;
    }
}

#[tokio::test]
async fn at_a_resource_it_answers_the_preflights_of_its_routes() {
    let api = RestApi::new(Shared { cors: one_page() }).with(Plain);
    let client = Client::new(App::new().mount("/api", api)).unwrap();
    for (path, method, allowed) in [
        ("/api/shared/1", "PUT", true),
        ("/api/shared/1", "GET", true),
        ("/api/plain", "PUT", false),
        ("/api/shared/1", "DELETE", false),
    ] {
        assert_eq!(is_allowed(&client, path, method).await, allowed, "{path}");
    }
    let refused = ask(&client, "/api/shared/1", "POST").await;
    assert_eq!(refused.status(), 204, "a route, but not allowed");
    assert!(cors_headers(&refused).is_empty() && refused.header("allow").is_none());
    assert_eq!(ask(&client, "/api/shared", "GET").await.status(), 404);
    let request = client.get("/api/shared/x").header("origin", PAGE);
    let response = request.header("x-key", "k").send().await;
    assert_eq!(response.status(), 400);
    assert_eq!(response.header("access-control-allow-origin"), Some(PAGE));
}

struct Mixed;

#[resource("/mixed")]
#[filter(keys())]
impl Mixed {
    #[get]
    #[filter(one_page())]
    fn get(&self) -> u8 {
        1
    }

    #[put]
    fn put(&self) {}

    #[get("/own")]
    #[put("/own")]
    #[filter(Arc::new(one_page()))]
    fn own(&self) -> u8 {
        2
    }

    #[options("/own")]
    fn options(&self) -> &'static str {
        "what you like"
    }

    #[get("/{name:[a-z]+}")]
    #[filter(one_page())]
    fn letters(&self, name: &str) -> String {
        name.to_owned()
    }

    #[get("/{number:[0-9]+}")]
    fn digits(&self, number: &str) -> String {
        number.to_owned()
    }
}

#[tokio::test]
async fn at_a_method_it_answers_the_preflights_of_that_method() {
    for automatic in [true, false] {
        let api = RestApi::new(Mixed).automatic_options(automatic);
        let client = Client::new(App::new().mount("/", api)).unwrap();
        assert!(is_allowed(&client, "/mixed", "GET").await);
        assert!(is_allowed(&client, "/mixed/abc", "GET").await);
        let others = [("/mixed", "PUT"), ("/mixed/123", "GET")];
        for (path, method) in others {
            let response = ask(&client, path, method).await;
            assert_eq!(response.status(), if automatic { 204 } else { 405 });
            assert!(cors_headers(&response).is_empty(), "{method} {path}");
        }
        assert_eq!(ask(&client, "/mixed/a1", "GET").await.status(), 404);
        let request = client.get("/mixed").header("origin", PAGE);
        let response = request.header("x-key", "k").send().await;
        assert_eq!(response.header("access-control-allow-origin"), Some(PAGE));
    }
}

#[tokio::test]
async fn a_declared_options_does_not_stand_before_the_preflight_of_another_method() {
    let client = Client::new(App::new().mount("/", RestApi::new(Mixed))).unwrap();
    for method in ["GET", "PUT"] {
        assert!(is_allowed(&client, "/mixed/own", method).await);
    }
    let key = ("x-key", "k");
    let response = preflight(&client, "/mixed/own", &[key]).await;
    assert_eq!(response.text(), "what you like", "that was no preflight");
    let asked = [
        key,
        ("origin", PAGE),
        ("access-control-request-method", "DELETE"),
    ];
    let response = preflight(&client, "/mixed/own", &asked).await;
    assert_eq!(response.text(), "what you like", "nobody else answers it");
}

struct Bare;

#[resource("/bare")]
impl Bare {
    #[get]
    #[filter(one_page())]
    fn get(&self) -> u8 {
        1
    }

    #[options]
    fn options(&self) -> &'static str {
        "what you like"
    }
}

#[tokio::test]
async fn a_declared_options_without_filters_does_not_stand_before_it_either() {
    let client = Client::new(App::new().mount("/", RestApi::new(Bare))).unwrap();
    assert!(is_allowed(&client, "/bare", "GET").await);
    let response = ask(&client, "/bare", "HEAD").await;
    assert_eq!(
        response.status(),
        204,
        "of the filter, which allows no HEAD"
    );
    assert!(cors_headers(&response).is_empty() && response.header("allow").is_none());
    let response = preflight(&client, "/bare", &[("origin", PAGE)]).await;
    assert_eq!(response.text(), "what you like");
}

#[tokio::test]
async fn of_several_around_a_request_the_outermost_decides() {
    let open = Cors::builder().any_origin().build().unwrap();
    let api = RestApi::new(Shared { cors: open });
    let app = App::new().filter(one_page()).mount("/", api);
    let client = Client::new(app).unwrap();
    let other = ("origin", "https://other.example");
    let request = client.get("/shared/1").header("x-key", "k");
    let response = request.header(other.0, other.1).send().await;
    assert_eq!(response.status(), 200);
    assert!(cors_headers(&response).is_empty());
    let asked = [other, ("access-control-request-method", "GET")];
    let response = preflight(&client, "/shared/1", &asked).await;
    assert!(cors_headers(&response).is_empty());
}

/// Receives preflights and passes them on.
struct Watching;

impl Filter for Watching {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        let route = request.route().map(|route| route.operation);
        let mut response = next.run(request).await;
        let seen = route.unwrap_or("nothing").parse().unwrap();
        response
            .headers_mut()
            .append(HeaderName::from_static("x-seen"), seen);
        response
    }

    fn answers_preflights(&self) -> bool {
        true
    }
}

struct Watched;

#[resource("/watched")]
#[filter(Watching)]
#[filter(keys())]
impl Watched {
    #[get]
    fn get(&self) -> u8 {
        1
    }

    #[put]
    #[filter(one_page())]
    fn put(&self) {}
}

#[tokio::test]
async fn a_filter_of_ones_own_may_see_preflights_and_let_them_pass() {
    let client = Client::new(App::new().mount("/", RestApi::new(Watched))).unwrap();
    let response = ask(&client, "/watched", "PUT").await;
    assert_eq!(response.header("x-seen"), Some("put"));
    assert_eq!(response.header("access-control-allow-origin"), Some(PAGE));
    let response = ask(&client, "/watched", "GET").await;
    assert_eq!(response.status(), 204);
    assert_eq!(response.header("x-seen"), Some("get"));
    assert_eq!(response.header("allow"), Some("GET, HEAD, PUT, OPTIONS"));
}
