//! Entity tags of compressed content, and conditions that name them.

use innkeeper_rest::filter::{Compress, after};
use innkeeper_rest::testing::{Client, TestResponse};
use innkeeper_rest::{App, Filter, Next, Request, Response, RestApi, resource};

use super::{page, vary};

/// Evaluates conditions as a handler with strong tags would.
struct Tagged;

#[resource("/tagged")]
impl Tagged {
    #[get]
    fn get(&self, #[request] request: &Request) -> Response {
        if names(request, "if-none-match", "\"v1\"") {
            return Response::not_modified().header("etag", "\"v1\"");
        }
        let response = Response::ok().content_type("text/plain").body(page());
        response.header("etag", "\"v1\"")
    }

    #[put]
    fn put(&self, #[request] request: &Request) -> Response {
        if names(request, "if-match", "\"v1\"") {
            Response::no_content()
        } else {
            Response::error(412)
        }
    }

    #[get("/weak")]
    fn weak(&self) -> Response {
        let response = Response::ok().content_type("text/plain").body(page());
        response.header("etag", "W/\"v1\"")
    }
}

fn names(request: &Request, header: &str, tag: &str) -> bool {
    let tags = request.head().header_text(header).unwrap_or_default();
    tags.split(',').any(|one| one.trim() == tag)
}

fn client() -> Client {
    let api = RestApi::new(Tagged).filter(Compress::new());
    Client::new(App::new().mount("/", api)).unwrap()
}

async fn get(path: &str, headers: &[(&str, &str)]) -> TestResponse {
    let client = client();
    let request = client.get(path);
    let request = headers.iter().fold(request, |request, (name, value)| {
        request.header(name, value)
    });
    request.send().await
}

#[tokio::test]
async fn a_strong_tag_says_how_the_content_is_compressed() {
    for (accepted, tag) in [
        ("gzip", "\"v1-gzip\""),
        ("br", "\"v1-br\""),
        ("identity", "\"v1\""),
    ] {
        let response = get("/tagged", &[("accept-encoding", accepted)]).await;
        assert_eq!(response.header("etag"), Some(tag));
    }
    let response = get("/tagged/weak", &[("accept-encoding", "gzip")]).await;
    assert_eq!(response.header("etag"), Some("W/\"v1\""));
}

#[tokio::test]
async fn who_has_compressed_content_is_told_when_it_is_still_good() {
    for (condition, tag) in [
        ("\"v1-gzip\"", "\"v1-gzip\""),
        ("\"v1-br\"", "\"v1-br\""),
        ("\"v0\", \"v1-gzip\"", "\"v1-gzip\""),
        ("\"v1\"", "\"v1\""),
    ] {
        let headers = [("accept-encoding", "gzip"), ("if-none-match", condition)];
        let response = get("/tagged", &headers).await;
        assert_eq!(response.status(), 304, "{condition}");
        assert_eq!(response.header("etag"), Some(tag));
        assert_eq!(vary(&response).is_empty(), tag == "\"v1\"");
    }
    for condition in ["\"v0-gzip\"", "\"v1-zstd\"", "\"v1gzip\"", "v1-gzip"] {
        let response = get("/tagged", &[("if-none-match", condition)]).await;
        assert_eq!(response.status(), 200, "{condition}");
    }
}

#[tokio::test]
async fn who_has_compressed_content_may_change_it() {
    let client = client();
    for (condition, status) in [
        ("\"v1-gzip\"", 204),
        ("\"v1-br\"", 204),
        ("\"v1\"", 204),
        ("\"v0-gzip\"", 412),
        ("\"v0\"", 412),
    ] {
        let response = client.put("/tagged").header("if-match", condition);
        assert_eq!(response.send().await.status(), status, "{condition}");
    }
}

/// Copies the conditions of the request to the response after the inner filters have run.
struct Showing;

impl Filter for Showing {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        let response = next.run(request).await;
        let values = request.head().headers().get_all("if-none-match").iter();
        let values: Vec<&str> = values.map(|value| value.to_str().unwrap()).collect();
        response.header("x-condition", values.join(" | "))
    }
}

#[tokio::test]
async fn filters_outside_see_the_condition_as_it_was_sent() {
    let unchanged = after(|response| response);
    let api = RestApi::new(Tagged)
        .filter(Showing)
        .filter(Compress::new())
        .filter(unchanged);
    let client = Client::new(App::new().mount("/", api)).unwrap();
    let request = client.get("/tagged").header("if-none-match", "\"v1-gzip\"");
    let response = request.header("if-none-match", "\"v2\"").send().await;
    assert_eq!(response.status(), 304);
    assert_eq!(response.header("x-condition"), Some("\"v1-gzip\" | \"v2\""));
}
