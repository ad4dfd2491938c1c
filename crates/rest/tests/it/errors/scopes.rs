//! Which error format applies to a request.

use innkeeper_rest::testing::Client;
use innkeeper_rest::{
    App, ErrorFormat, Head, Method, Rejection, Response, RestApi, filter, resource,
};

/// Writes its own name before the code of an error.
struct Signed(&'static str);

impl ErrorFormat for Signed {
    fn write(&self, rejection: &Rejection, _: &Head, response: Response) -> Response {
        response.body(format!("{}: {}", self.0, rejection.code()))
    }
}

struct Notes;

#[resource("/notes")]
#[filter(refuse_if("resource"))]
impl Notes {
    #[get]
    fn list(&self) -> u8 {
        1
    }

    #[get("/strict")]
    #[filter(refuse_if("method"))]
    fn strict(&self) -> u8 {
        2
    }

    #[get("/text")]
    fn text(&self) -> u8 {
        3
    }
}

/// Refuses requests that ask for it in `x-refuse`.
fn refuse_if(level: &'static str) -> impl innkeeper_rest::Filter {
    filter::before(
        move |request| match request.head().header_text("x-refuse") {
            Some(asked) if asked == level => Err(Rejection::new(
                innkeeper_rest::StatusCode::FORBIDDEN,
                format!("refused_by_{level}"),
                "refused",
            )),
            _ => Ok(()),
        },
    )
}

fn client() -> Client {
    let app = App::new()
        .errors(Signed("application"))
        .filter(refuse_if("application"))
        .mount(
            "/first",
            RestApi::new(Notes)
                .errors(Signed("first"))
                .filter(refuse_if("mount")),
        )
        .mount(
            "/first/second",
            RestApi::new(Notes).errors(Signed("second")),
        )
        .handler("/function", async |_| Response::error(409));
    Client::new(app).unwrap()
}

async fn text(client: &Client, path: &str) -> String {
    client.get(path).send().await.text()
}

#[tokio::test]
async fn what_is_not_found_is_written_by_the_mount_it_belongs_to() {
    let client = client();
    for (path, body) in [
        ("/", "application: not_found"),
        ("/nothing", "application: not_found"),
        ("/firsts/notes", "application: not_found"),
        ("/first", "first: not_found"),
        ("/first/nothing", "first: not_found"),
        ("/first/second/nothing", "second: not_found"),
    ] {
        assert_eq!(text(&client, path).await, body, "{path}");
    }
}

#[tokio::test]
async fn what_is_refused_by_a_function_is_written_by_the_application() {
    assert_eq!(text(&client(), "/function").await, "application: conflict");
}

#[tokio::test]
async fn what_filters_of_any_level_refuse_is_written_by_the_mount() {
    let client = client();
    for (path, level, body) in [
        (
            "/nothing",
            "application",
            "application: refused_by_application",
        ),
        (
            "/function",
            "application",
            "application: refused_by_application",
        ),
        (
            "/first/notes",
            "application",
            "first: refused_by_application",
        ),
        (
            "/first/nothing",
            "application",
            "first: refused_by_application",
        ),
        (
            "/first/second/notes",
            "application",
            "second: refused_by_application",
        ),
        ("/first/notes", "mount", "first: refused_by_mount"),
        ("/first/notes", "resource", "first: refused_by_resource"),
        ("/first/notes/strict", "method", "first: refused_by_method"),
        (
            "/first/second/notes/strict",
            "method",
            "second: refused_by_method",
        ),
    ] {
        let response = client.get(path).header("x-refuse", level).send().await;
        assert_eq!(response.text(), body, "{path}");
        assert_eq!(response.status(), 403, "{path}");
    }
}

#[tokio::test]
async fn every_automatic_refusal_is_written_by_the_mount() {
    let client = client();
    let response = client.request(Method::PUT, "/first/notes").send().await;
    assert_eq!(response.status(), 405);
    assert_eq!(response.header("allow"), Some("GET, HEAD, OPTIONS"));
    assert_eq!(response.text(), "first: method_not_allowed");
    let request = client.get("/first/notes/text").header("accept", "text/css");
    let response = request.send().await;
    assert_eq!(response.status(), 406);
    assert_eq!(response.text(), "first: not_acceptable");
}
