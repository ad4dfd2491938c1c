//! Entity tags computed from the bytes of a response.

use futures_util::stream;
use innkeeper_rest::filter::{Compress, ETags};
use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, ETag, Method, Response, RestApi, filter, resource};

use super::get;

struct Lists;

#[resource("/lists")]
impl Lists {
    #[get]
    fn list(&self) -> Vec<u32> {
        vec![1, 2, 3]
    }

    #[post]
    fn post(&self) -> &'static str {
        "posted"
    }

    #[get("/tagged")]
    fn tagged(&self) -> Response {
        Response::ok().etag(ETag::strong("own")).entity("x")
    }

    #[get("/secret")]
    fn secret(&self) -> Response {
        Response::ok()
            .cache_control("private, no-store")
            .entity("x")
    }

    #[get("/stream")]
    fn stream(&self) -> Response {
        Response::ok().stream(stream::iter([Ok::<_, std::io::Error>("x")]))
    }

    #[get("/failing")]
    fn failing(&self) -> Response {
        Response::error(404)
    }

    #[get("/long")]
    fn long(&self) -> String {
        "long ".repeat(1000)
    }

    #[get("/method")]
    #[filter(ETags::weak())]
    fn method(&self) -> &'static str {
        "x"
    }
}

fn client(app: App) -> Client {
    Client::new(app.mount("/", RestApi::new(Lists))).unwrap()
}

#[tokio::test]
async fn the_same_bytes_are_sent_once() {
    let client = client(App::new().filter(ETags::new()));
    let first = get(&client, "/lists", &[]).await;
    let tag = ETag::of("[1,2,3]");
    assert_eq!(
        (first.status(), first.header("etag")),
        (200, Some(tag.as_str()))
    );
    let again = get(&client, "/lists", &[("if-none-match", tag.as_str())]).await;
    assert_eq!((again.status(), again.text().as_str()), (304, ""));
    assert_eq!(again.header("etag"), Some(tag.as_str()));
    let other = get(&client, "/lists", &[("if-match", "\"other\"")]).await;
    assert_eq!(other.status(), 412);
    let head = client.request(Method::HEAD, "/lists").send().await;
    assert_eq!(head.header("etag"), Some(tag.as_str()));
    assert_eq!(head.header("content-length"), Some("7"));
}

#[tokio::test]
async fn what_needs_no_tag_has_none() {
    let client = client(App::new().filter(ETags::new()));
    for (path, tag) in [
        ("/lists/tagged", Some("\"own\"")),
        ("/lists/secret", None),
        ("/lists/stream", None),
        ("/lists/failing", None),
    ] {
        assert_eq!(get(&client, path, &[]).await.header("etag"), tag, "{path}");
    }
    assert_eq!(client.post("/lists").send().await.header("etag"), None);
}

#[tokio::test]
async fn it_works_at_a_mount_and_at_a_method() {
    let api = RestApi::new(Lists).filter(ETags::new());
    let client = Client::new(App::new().mount("/", api)).unwrap();
    assert!(get(&client, "/lists", &[]).await.header("etag").is_some());
    let weak = get(&client, "/lists/method", &[]).await;
    let tag = ETag::of("x").into_weak();
    assert_eq!(weak.header("etag"), Some(tag.as_str()));
    let again = get(&client, "/lists/method", &[("if-none-match", tag.as_str())]).await;
    assert_eq!(again.status(), 304);
}

#[tokio::test]
async fn a_refusal_keeps_the_headers_of_filters_inside() {
    let inside = filter::after(|response| response.header("x-inside", "yes"));
    let client = client(App::new().filter(ETags::new()).filter(inside));
    let answer = get(&client, "/lists", &[("if-match", "\"other\"")]).await;
    assert_eq!(
        (answer.status(), answer.header("x-inside")),
        (412, Some("yes"))
    );
    assert_eq!(
        answer.header("content-type"),
        Some("application/problem+json")
    );
}

#[tokio::test]
async fn compressed_content_has_a_tag_of_its_own() {
    let client = client(App::new().filter(Compress::new()).filter(ETags::new()));
    let first = get(&client, "/lists/long", &[("accept-encoding", "gzip")]).await;
    let tag = first.header("etag").unwrap();
    assert!(tag.ends_with("-gzip\"") && !tag.starts_with("W/"), "{tag}");
    let headers = [("accept-encoding", "gzip"), ("if-none-match", tag)];
    let again = get(&client, "/lists/long", &headers).await;
    assert_eq!((again.status(), again.header("etag")), (304, Some(tag)));
}

#[tokio::test]
async fn content_that_is_compressed_already_has_a_weak_tag() {
    let client = client(App::new().filter(ETags::new()).filter(Compress::new()));
    let first = get(&client, "/lists/long", &[("accept-encoding", "gzip")]).await;
    assert_eq!(first.header("content-encoding"), Some("gzip"));
    let tag = first.header("etag").unwrap();
    assert!(tag.starts_with("W/"), "{tag}");
    let headers = [("accept-encoding", "gzip"), ("if-none-match", tag)];
    let again = get(&client, "/lists/long", &headers).await;
    assert_eq!(again.status(), 304);
    let varies = again
        .headers()
        .get_all("vary")
        .iter()
        .any(|line| line == "accept-encoding");
    assert!(varies);
}
