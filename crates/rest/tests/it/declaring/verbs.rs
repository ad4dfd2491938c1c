//! Verbs, paths below the base, and several resources in one API.

use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, Method, Response, RestApi, resource};

use super::{client, get, ok, seen, send};

struct Notes;

#[resource("/notes")]
impl Notes {
    #[get("/{id}")]
    fn read(&self, id: u32) -> String {
        format!("read {id}")
    }

    #[post("/{id}")]
    fn add(&self, id: u32, note: String) -> String {
        format!("add {id} {note}")
    }

    #[put("/{id}")]
    async fn replace(&self, id: u32, note: String) -> String {
        format!("replace {id} {note}")
    }

    #[patch("/{id}")]
    async fn change(&self, id: u32, note: String) -> String {
        format!("change {id} {note}")
    }

    #[delete("/{id}")]
    fn remove(&self, id: u32) -> String {
        format!("remove {id}")
    }

    #[head("/{id}")]
    fn look(&self, id: u32) -> Response {
        Response::ok().header("x-note", id.to_string())
    }

    #[options("/{id}")]
    fn ask(&self, id: u32) -> Response {
        Response::no_content().header("x-note", id.to_string())
    }

    #[route(method = "QUERY", path = "/{id}")]
    fn query(&self, id: u32, #[entity] words: Vec<String>) -> String {
        format!("query {id} {}", words.join("+"))
    }
}

#[tokio::test]
async fn get_and_delete_reach_the_methods_that_declare_them() {
    let client = client(RestApi::new(Notes));
    assert_eq!(get(&client, "/notes/7").await, ok("read 7"));
    assert_eq!(send(&client, "DELETE", "/notes/7").await, ok("remove 7"));
}

#[tokio::test]
async fn post_put_and_patch_hand_over_the_entity() {
    let client = client(RestApi::new(Notes));
    for (method, answer) in [
        (Method::POST, "add 7 milk"),
        (Method::PUT, "replace 7 milk"),
        (Method::PATCH, "change 7 milk"),
    ] {
        let request = client.request(method, "/notes/7").json(&"milk");
        assert_eq!(seen(&request.send().await), ok(answer));
    }
}

#[tokio::test]
async fn declared_head_and_options_replace_the_automatic_ones() {
    let client = client(RestApi::new(Notes));
    for (method, status) in [(Method::HEAD, 200), (Method::OPTIONS, 204)] {
        let response = client.request(method, "/notes/7").send().await;
        assert_eq!(response.status(), status);
        assert_eq!(response.header("x-note"), Some("7"));
        assert_eq!(response.text(), "");
    }
}

#[tokio::test]
async fn any_method_can_be_declared_with_route() {
    let client = client(RestApi::new(Notes));
    let query = Method::from_bytes(b"QUERY").unwrap();
    let response = client
        .request(query, "/notes/7")
        .json(&["milk", "tea"])
        .send()
        .await;
    assert_eq!(seen(&response), ok("query 7 milk+tea"));
}

struct Several;

#[resource("/several")]
impl Several {
    #[get("/{id}")]
    #[delete("/{id}")]
    #[route(method = "PURGE", path = "/{id}/all")]
    fn without_body(&self, id: u32) -> String {
        format!("{id}")
    }

    #[put("/{id}")]
    #[patch("/{id}/part")]
    fn with_body(&self, id: u32, entity: Vec<u32>) -> String {
        format!("{id} {entity:?}")
    }
}

#[tokio::test]
async fn one_method_may_answer_several_verbs_and_paths() {
    let client = client(RestApi::new(Several));
    assert_eq!(get(&client, "/several/1").await, ok("1"));
    assert_eq!(send(&client, "DELETE", "/several/2").await, ok("2"));
    assert_eq!(send(&client, "PURGE", "/several/3/all").await, ok("3"));
    let put = client.put("/several/4").json(&[5]).send().await;
    assert_eq!(seen(&put), ok("4 [5]"));
    let patch = client
        .request(Method::PATCH, "/several/6/part")
        .json(&[7])
        .send()
        .await;
    assert_eq!(seen(&patch), ok("6 [7]"));
}

struct NoPath;

#[resource("/no-path")]
impl NoPath {
    #[get]
    fn list(&self) -> &'static str {
        "no path"
    }
}

struct EmptyPath;

#[resource("/empty-path")]
impl EmptyPath {
    #[get("")]
    fn list(&self) -> &'static str {
        "empty path"
    }
}

struct SlashPath;

#[resource("/slash-path")]
impl SlashPath {
    #[get("/")]
    fn list(&self) -> &'static str {
        "slash"
    }
}

#[tokio::test]
async fn no_path_empty_path_and_slash_mean_the_base_path() {
    let api = RestApi::new(NoPath).with(EmptyPath).with(SlashPath);
    let client = client(api);
    for (base, answer) in [
        ("/no-path", "no path"),
        ("/empty-path", "empty path"),
        ("/slash-path", "slash"),
    ] {
        assert_eq!(get(&client, base).await, ok(answer));
        assert_eq!(get(&client, &format!("{base}/")).await, ok(answer));
    }
}

struct AtTheRoot;

#[resource("")]
impl AtTheRoot {
    #[get]
    fn home(&self) -> &'static str {
        "home"
    }

    #[get("/about")]
    fn about(&self) -> &'static str {
        "about"
    }
}

#[tokio::test]
async fn a_resource_may_have_the_root_as_its_base_path() {
    let client = client(RestApi::new(AtTheRoot));
    assert_eq!(get(&client, "/").await, ok("home"));
    assert_eq!(get(&client, "/about").await, ok("about"));
}

struct Members;

#[resource("/orgs/{org}/members")]
impl Members {
    #[get]
    fn list(&self, org: &str) -> String {
        format!("members of {org}")
    }

    #[get("/{id}")]
    fn one(&self, id: u32, org: &str) -> String {
        format!("member {id} of {org}")
    }
}

#[tokio::test]
async fn parameters_of_the_base_path_belong_to_every_method() {
    let client = client(RestApi::new(Members));
    assert_eq!(
        get(&client, "/orgs/north/members").await,
        ok("members of north")
    );
    assert_eq!(
        get(&client, "/orgs/north/members/7").await,
        ok("member 7 of north")
    );
}

#[tokio::test]
async fn several_resources_make_one_api() {
    let client = client(RestApi::new(Notes).with(Several).with(Members));
    assert_eq!(get(&client, "/notes/1").await, ok("read 1"));
    assert_eq!(get(&client, "/several/1").await, ok("1"));
    assert_eq!(get(&client, "/orgs/a/members/1").await, ok("member 1 of a"));
}

struct Shelf {
    books: &'static [&'static str],
}

#[resource("/shelves")]
impl Shelf {
    #[get("/{place}")]
    fn book(&self, place: usize) -> Option<&'static str> {
        self.books.get(place).copied()
    }

    #[get("/version")]
    fn version() -> &'static str {
        "2"
    }

    /// A method without a verb is not a route.
    fn count(&self) -> usize {
        self.books.len()
    }
}

#[tokio::test]
async fn state_lives_in_self() {
    let first = Shelf {
        books: &["Emma", "Evelina"],
    };
    assert_eq!(first.count(), 2);
    let client = client(RestApi::new(first));
    assert_eq!(get(&client, "/shelves/1").await, ok("\"Evelina\""));
    assert_eq!(get(&client, "/shelves/2").await, ok("null"));
}

#[tokio::test]
async fn a_handler_may_do_without_self() {
    let client = client(RestApi::new(Shelf { books: &[] }));
    assert_eq!(get(&client, "/shelves/version").await, ok("2"));
}

#[tokio::test]
async fn a_method_without_verb_is_no_route() {
    let client = client(RestApi::new(Shelf { books: &[] }));
    assert_eq!(get(&client, "/shelves").await.0, 404);
}

#[tokio::test]
async fn an_application_has_no_routes_but_those_that_it_declares() {
    let empty = Client::new(App::new()).unwrap();
    let declared = client(RestApi::new(Notes));
    for path in [
        "/",
        "/health",
        "/openapi.json",
        "/docs",
        "/index.html",
        "/*",
    ] {
        for method in [Method::GET, Method::POST, Method::OPTIONS] {
            for client in [&empty, &declared] {
                let response = client.request(method.clone(), path).send().await;
                assert_eq!(response.status(), 404, "{method} {path}");
            }
        }
    }
}

#[tokio::test]
async fn methods_stay_ordinary_rust() {
    assert_eq!(Notes.read(7), "read 7");
    assert_eq!(Notes.replace(7, "tea".to_owned()).await, "replace 7 tea");
    assert_eq!(Notes.look(7).status_code(), 200);
    assert_eq!(Shelf::version(), "2");
}
