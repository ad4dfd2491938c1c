//! Methods: HEAD from GET, OPTIONS, 405 and `Allow`, custom methods.

use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, Method, Request, Response, RestApi, resource};
use serde_json::json;

use super::header;

struct Notes;

#[resource("/notes")]
impl Notes {
    #[get]
    fn list(&self) -> Vec<u8> {
        vec![1, 2, 3]
    }

    #[post]
    fn create(&self) -> Response {
        Response::created()
    }

    #[get("/{id}")]
    fn one(&self, id: u8) -> String {
        format!("note {id}")
    }

    #[get("/pinned")]
    fn pinned(&self) -> &'static str {
        "pinned"
    }

    #[route(method = "QUERY", path = "/search")]
    fn search(&self, #[body] text: String) -> String {
        format!("found {text}")
    }

    #[get("/own")]
    #[put("/own")]
    fn both(&self) -> &'static str {
        "both"
    }

    #[head("/own")]
    fn own_head(&self) -> Response {
        Response::ok().header("x-head", "declared")
    }

    #[options("/own")]
    fn own_options(&self) -> &'static str {
        "what you like"
    }
}

struct Trash;

#[resource("/notes")]
impl Trash {
    #[delete]
    fn empty(&self) {}

    #[patch("/{note}")]
    fn restore(&self, note: u8) -> u8 {
        note
    }
}

fn client() -> Client {
    let api = RestApi::new(Notes).with(Trash);
    Client::new(App::new().mount("/api", api)).unwrap()
}

#[tokio::test]
async fn another_method_is_not_allowed_and_the_answer_says_which_are() {
    let response = client().put("/api/notes").send().await;
    assert_eq!(response.status(), 405);
    assert_eq!(
        header(&response, "allow"),
        "GET, HEAD, POST, DELETE, OPTIONS",
        "of all resources of the mount"
    );
    assert_eq!(
        response.json::<serde_json::Value>().unwrap(),
        json!({
            "type": "about:blank",
            "title": "Method Not Allowed",
            "status": 405,
            "detail": "method not allowed",
            "code": "method_not_allowed",
        })
    );
}

#[tokio::test]
async fn allow_is_exact_for_each_path() {
    let client = client();
    for (path, allow) in [
        ("/api/notes/", "GET, HEAD, POST, DELETE, OPTIONS"),
        ("/api/notes/1", "GET, HEAD, PATCH, OPTIONS"),
        ("/api/notes/pinned", "GET, HEAD, OPTIONS"),
        ("/api/notes/search", "QUERY, OPTIONS"),
        ("/api/notes/own", "GET, PUT, HEAD, OPTIONS"),
    ] {
        let method = Method::from_bytes(b"BREW").unwrap();
        let response = client.request(method, path).send().await;
        assert_eq!(response.status(), 405, "{path}");
        let mut allowed: Vec<_> = header(&response, "allow").split(", ").collect();
        let mut expected: Vec<_> = allow.split(", ").collect();
        allowed.sort_unstable();
        expected.sort_unstable();
        assert_eq!(allowed, expected, "{path}");
    }
}

#[tokio::test]
async fn a_literal_wins_over_a_parameter_before_the_method_is_looked_at() {
    let client = client();
    let response = client
        .request(Method::PATCH, "/api/notes/pinned")
        .send()
        .await;
    assert_eq!(response.status(), 405);
}

#[tokio::test]
async fn methods_are_written_in_capitals() {
    let method = Method::from_bytes(b"get").unwrap();
    let response = client().request(method, "/api/notes").send().await;
    assert_eq!(response.status(), 405);
}

#[tokio::test]
async fn head_is_answered_like_get_without_the_body() {
    let client = client();
    let get = client.get("/api/notes").send().await;
    let head = client.request(Method::HEAD, "/api/notes").send().await;
    assert_eq!(head.status(), 200);
    assert_eq!(head.text(), "");
    assert_eq!(header(&head, "content-type"), "application/json");
    assert_eq!(
        header(&head, "content-length"),
        get.bytes().len().to_string()
    );
}

#[tokio::test]
async fn head_of_what_is_not_there_is_not_found() {
    let client = client();
    let head = client.request(Method::HEAD, "/api/nothing").send().await;
    assert_eq!((head.status(), head.text()), (404, String::new()));
    let length = client.get("/api/nothing").send().await.bytes().len();
    assert_eq!(header(&head, "content-length"), length.to_string());
    let head = client.request(Method::HEAD, "/api/notes/search").send();
    assert_eq!(head.await.status(), 405, "there is no GET");
}

#[tokio::test]
async fn a_declared_head_answers_instead_of_get() {
    let client = client();
    let head = client.request(Method::HEAD, "/api/notes/own").send().await;
    assert_eq!(header(&head, "x-head"), "declared");
}

#[tokio::test]
async fn options_is_answered_without_being_declared() {
    let client = client();
    let response = client.request(Method::OPTIONS, "/api/notes").send().await;
    assert_eq!(response.status(), 204);
    assert_eq!(
        header(&response, "allow"),
        "GET, HEAD, POST, DELETE, OPTIONS"
    );
    assert_eq!(response.header("content-type"), None);
    let response = client.request(Method::OPTIONS, "/api/nothing").send();
    assert_eq!(response.await.status(), 404);
}

#[tokio::test]
async fn a_declared_options_answers_instead() {
    let client = client();
    let response = client.request(Method::OPTIONS, "/api/notes/own").send();
    assert_eq!(response.await.text(), "what you like");
}

#[tokio::test]
async fn automatic_options_can_be_switched_off() {
    let api = RestApi::new(Notes).automatic_options(false);
    let client = Client::new(App::new().mount("/api", api)).unwrap();
    let response = client.request(Method::OPTIONS, "/api/notes").send().await;
    assert_eq!(response.status(), 405);
    assert_eq!(header(&response, "allow"), "GET, HEAD, POST");
    let response = client.request(Method::OPTIONS, "/api/notes/own").send();
    assert_eq!(response.await.status(), 200, "declared");
}

#[tokio::test]
async fn a_method_of_ones_own_is_routed() {
    let method = Method::from_bytes(b"QUERY").unwrap();
    let response = client()
        .request(method, "/api/notes/search")
        .body("milk")
        .send()
        .await;
    assert_eq!(response.text(), "found milk");
}

#[tokio::test]
async fn several_verbs_may_share_a_method() {
    let client = client();
    assert_eq!(client.get("/api/notes/own").send().await.text(), "both");
    assert_eq!(client.put("/api/notes/own").send().await.text(), "both");
}

#[tokio::test]
async fn two_resources_may_share_a_path_under_different_names() {
    let client = client();
    assert_eq!(client.get("/api/notes/4").send().await.text(), "note 4");
    let response = client.request(Method::PATCH, "/api/notes/4").send().await;
    assert_eq!(response.text(), "4");
    assert_eq!(client.delete("/api/notes").send().await.status(), 204);
}

#[tokio::test]
async fn automatic_options_are_a_choice_of_each_mount() {
    let app = App::new()
        .mount("/silent", RestApi::new(Notes).automatic_options(false))
        .mount("/helpful", RestApi::new(Notes));
    let client = Client::new(app).unwrap();
    for (path, status) in [
        ("/silent/notes", 405),
        ("/silent/notes/7", 405),
        ("/helpful/notes", 204),
        ("/helpful/notes/7", 204),
    ] {
        let response = client.request(Method::OPTIONS, path).send().await;
        assert_eq!(response.status(), status, "{path}");
    }
}

/// A ticket that only one GET can take.
struct Ticket(std::sync::atomic::AtomicBool);

#[resource("/ticket")]
impl Ticket {
    #[get]
    fn take(&self, #[request] request: &Request) -> String {
        use std::sync::atomic::Ordering::Relaxed;
        if request.method() == Method::HEAD {
            return self.0.load(Relaxed).to_string();
        }
        self.0.swap(false, Relaxed).to_string()
    }
}

#[tokio::test]
async fn a_handler_of_get_can_tell_that_it_was_asked_for_the_head() {
    let ticket = Ticket(true.into());
    let client = Client::new(App::new().mount("/", RestApi::new(ticket))).unwrap();
    for _ in 0..2 {
        let head = client.request(Method::HEAD, "/ticket").send().await;
        assert_eq!((head.status(), head.text()), (200, String::new()));
        assert_eq!(header(&head, "content-length"), "4", "it is still there");
    }
    assert_eq!(client.get("/ticket").send().await.text(), "true");
    assert_eq!(client.get("/ticket").send().await.text(), "false");
}
