//! Mounts: prefixes, and functions beside an API.

use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, Async, Method, Response, RestApi, resource};

use super::{get, ok, status_of_get};

struct Named(&'static str);

#[resource("/users")]
impl Named {
    #[get]
    fn list(&self) -> &'static str {
        self.0
    }

    #[get("/{id}")]
    fn one(&self, id: u32) -> String {
        format!("{} {id}", self.0)
    }
}

struct Root;

#[resource("")]
impl Root {
    #[get]
    fn home(&self) -> &'static str {
        "home"
    }

    #[get("/{page}")]
    fn page(&self, page: &str) -> String {
        format!("page {page}")
    }
}

struct Pages;

#[resource("/")]
impl Pages {
    #[get("/{*path}")]
    fn page(&self, path: &str) -> String {
        format!("page {path}")
    }
}

#[tokio::test]
async fn a_mount_answers_below_its_prefix_only() {
    let client = Client::new(App::new().mount("/api", RestApi::new(Named("api")))).unwrap();
    assert_eq!(get(&client, "/api/users/1").await, ok("api 1"));
    for path in ["/users", "/apix/users", "/api", "/api/", "/API/users", "/"] {
        assert_eq!(status_of_get(&client, path).await, 404, "{path}");
    }
}

#[tokio::test]
async fn a_slash_at_the_end_of_a_prefix_changes_nothing() {
    let client = Client::new(App::new().mount("/api/", RestApi::new(Named("api")))).unwrap();
    assert_eq!(get(&client, "/api/users").await, ok("api"));
}

#[tokio::test]
async fn the_root_is_a_prefix() {
    for prefix in ["", "/"] {
        let app = App::new().mount(prefix, RestApi::new(Named("root")));
        let client = Client::new(app).unwrap();
        assert_eq!(get(&client, "/users").await, ok("root"));
    }
}

#[tokio::test]
async fn a_resource_at_the_root_of_a_mount_is_reached_by_the_prefix() {
    let app = App::new()
        .mount("/site", RestApi::new(Root))
        .mount("/", RestApi::new(Root));
    let client = Client::new(app).unwrap();
    for (path, body) in [
        ("/", "home"),
        ("/about", "page about"),
        ("/site", "home"),
        ("/site/", "home"),
        ("/site/about", "page about"),
    ] {
        assert_eq!(get(&client, path).await, ok(body), "{path}");
    }
}

#[tokio::test]
async fn of_nested_prefixes_the_longest_wins() {
    let app = App::new()
        .mount("/", RestApi::new(Pages))
        .mount("/api/v2", RestApi::new(Named("second")))
        .mount("/api", RestApi::new(Named("first")));
    let client = Client::new(app).unwrap();
    assert_eq!(get(&client, "/api/users").await, ok("first"));
    assert_eq!(get(&client, "/api/v2/users").await, ok("second"));
    assert_eq!(get(&client, "/about").await, ok("page about"));
    assert_eq!(
        status_of_get(&client, "/api/v2/nothing").await,
        404,
        "a path below a prefix belongs to it, even if an outer mount has a route for it"
    );
    assert_eq!(status_of_get(&client, "/api/nothing").await, 404);
    assert_eq!(get(&client, "/apis").await, ok("page apis"));
}

#[tokio::test]
async fn one_resource_type_may_be_mounted_several_times() {
    let app = App::new()
        .mount("/a", RestApi::new(Named("first")))
        .mount("/b", RestApi::new(Named("second")));
    let client = Client::new(app).unwrap();
    assert_eq!(get(&client, "/a/users").await, ok("first"));
    assert_eq!(get(&client, "/b/users").await, ok("second"));
}

#[tokio::test]
async fn a_function_stands_beside_an_api_and_sees_whole_paths() {
    let app = App::new()
        .mount("/api", RestApi::new(Named("api")))
        .handler("/echo", async |request| {
            format!("{} {}", request.method(), request.path())
        });
    let client = Client::new(app).unwrap();
    assert_eq!(get(&client, "/echo").await, ok("GET /echo"));
    assert_eq!(get(&client, "/echo/a/b?c").await, ok("GET /echo/a/b"));
    let response = client.request(Method::PUT, "/echo/").send().await;
    assert_eq!(response.text(), "PUT /echo/");
    assert_eq!(status_of_get(&client, "/echoes").await, 404);
    assert_eq!(get(&client, "/api/users").await, ok("api"));
}

#[tokio::test]
async fn a_function_may_answer_with_anything_that_is_a_response() {
    let app = App::new()
        .handler("/entity", async |_| Response::accepted().entity([1, 2]))
        .handler("/late", async |_| Async::new(async { Response::created() }))
        .handler("/nothing", async |_| ())
        .handler("/refused", async |_| Response::not_found_with("no"));
    let client = Client::new(app).unwrap();
    assert_eq!(get(&client, "/entity").await, (202, "[1,2]".to_owned()));
    assert_eq!(get(&client, "/late").await, (201, String::new()));
    assert_eq!(get(&client, "/nothing").await, (204, String::new()));
    assert_eq!(status_of_get(&client, "/refused").await, 404);
}

#[tokio::test]
async fn a_function_below_the_prefix_of_an_api_takes_what_is_below_its_own() {
    let app = App::new()
        .mount("/api", RestApi::new(Named("api")))
        .handler("/api/users/extra", async |_| "extra")
        .handler("/", async |_| "fallback");
    let client = Client::new(app).unwrap();
    assert_eq!(get(&client, "/api/users/extra").await, ok("extra"));
    assert_eq!(get(&client, "/api/users/1").await, ok("api 1"));
    assert_eq!(get(&client, "/elsewhere").await, ok("fallback"));
    assert_eq!(get(&client, "/").await, ok("fallback"));
    assert_eq!(
        status_of_get(&client, "/api/nothing").await,
        404,
        "what is below a prefix never falls back to a shorter one"
    );
}

#[tokio::test]
async fn a_function_at_the_root_leaves_an_api_at_the_root_of_its_paths_alone() {
    let app = App::new()
        .mount("/", RestApi::new(Named("root")))
        .handler("/ping", async |_| "pong");
    let client = Client::new(app).unwrap();
    assert_eq!(get(&client, "/ping").await, ok("pong"));
    assert_eq!(get(&client, "/users").await, ok("root"));
    assert_eq!(status_of_get(&client, "/pong").await, 404);
}

#[tokio::test]
async fn an_application_without_mounts_finds_nothing() {
    let client = Client::new(App::new()).unwrap();
    assert_eq!(status_of_get(&client, "/").await, 404);
}
