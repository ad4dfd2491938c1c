//! tower services under a prefix.

use std::convert::Infallible;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, StreamBody};
use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, Body, Method, RestApi, filter, resource};
use tower::{BoxError, service_fn};

use crate::errors::log::Log;

type Reply = http::Response<Full<Bytes>>;

fn reply(text: impl Into<String>) -> Reply {
    http::Response::new(Full::from(text.into()))
}

/// Responds with the method, the target and the body of the request.
async fn echo(request: http::Request<Body>) -> Result<Reply, Infallible> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.map_or_else(
        |error| error.to_string(),
        |body| String::from_utf8_lossy(&body.to_bytes()).into_owned(),
    );
    let header = parts.headers.get("x-name").cloned();
    let mut response = reply(format!("{} {} {body}", parts.method, parts.uri));
    if let Some(header) = header {
        response.headers_mut().insert("x-name", header);
    }
    Ok(response)
}

struct Notes;

#[resource("/notes")]
impl Notes {
    #[get]
    fn list(&self) -> &'static str {
        "notes"
    }
}

fn client() -> Client {
    let app = App::new()
        .body_limit(8)
        .mount("/api", RestApi::new(Notes))
        .service("/legacy", service_fn(echo))
        .service(
            "/legacy/newer",
            service_fn(async |_| Ok::<_, Infallible>(reply("newer"))),
        );
    Client::new(app).unwrap()
}

async fn get(client: &Client, path: &str) -> String {
    client.get(path).send().await.text()
}

#[tokio::test]
async fn a_service_sees_paths_without_the_prefix_and_the_query() {
    let client = client();
    for (path, seen) in [
        ("/legacy", "GET / "),
        ("/legacy/", "GET / "),
        ("/legacy?a=b", "GET /?a=b "),
        ("/legacy/a/b?c=d&e", "GET /a/b?c=d&e "),
        ("/legacy/a%2Fb", "GET /a%2Fb "),
    ] {
        assert_eq!(get(&client, path).await, seen);
    }
}

#[tokio::test]
async fn a_service_gets_method_headers_and_body() {
    let client = client();
    let request = client
        .request(Method::PATCH, "/legacy/x")
        .header("x-name", "Ada");
    let response = request.body("hello").send().await;
    assert_eq!(response.text(), "PATCH /x hello");
    assert_eq!(response.header("x-name"), Some("Ada"));
}

#[tokio::test]
async fn the_longest_prefix_wins_and_apis_stand_beside() {
    let client = client();
    assert_eq!(get(&client, "/legacy/newer/x").await, "newer");
    assert_eq!(get(&client, "/legacy/newest").await, "GET /newest ");
    assert_eq!(get(&client, "/api/notes").await, "notes");
    assert_eq!(client.get("/legacyx").send().await.status(), 404);
}

#[tokio::test]
async fn answers_of_a_service_are_sent_as_they_are() {
    let response = client().get("/legacy").send().await;
    assert_eq!(response.headers().len(), 0, "{:?}", response.headers());
}

#[tokio::test]
async fn a_layer_around_a_service_leaves_its_answer_as_it_is() {
    let layer = || filter::layer(tower::layer::util::Identity::new());
    let app = App::new()
        .filter(layer())
        .filter(layer())
        .mount("/api", RestApi::new(Notes))
        .service("/legacy", service_fn(echo));
    let client = Client::new(app).unwrap();
    let response = client.get("/legacy").send().await;
    assert_eq!(response.text(), "GET / ");
    assert_eq!(response.headers().len(), 0, "{:?}", response.headers());
    let response = client.get("/api/notes").send().await;
    assert_eq!(response.header("x-content-type-options"), Some("nosniff"));
}

#[tokio::test]
async fn head_of_a_service_has_the_length_and_no_body() {
    let client = client();
    let response = client.request(Method::HEAD, "/legacy").send().await;
    assert_eq!(response.text(), "");
    assert_eq!(response.header("content-length"), Some("7"));
}

#[tokio::test]
async fn a_service_reads_within_the_limit_of_the_application() {
    let response = client().post("/legacy").body("123456789").send().await;
    assert_eq!(response.text(), "POST / the body is larger than 8 bytes");
}

#[tokio::test]
async fn an_error_of_a_service_is_a_500_and_logged() {
    let log = Log::start();
    let failing = service_fn(async |_| Err::<Reply, BoxError>("the mainframe is off".into()));
    let client = Client::new(App::new().service("/old", failing)).unwrap();
    let response = client.get("/old").send().await;
    assert_eq!(response.status(), 500);
    let body: serde_json::Value = response.json().unwrap();
    assert_eq!(body["detail"], "internal server error");
    assert!(
        log.text().contains("the mainframe is off"),
        "{}",
        log.text()
    );
}

#[tokio::test(start_paused = true)]
async fn a_service_that_takes_too_long_is_a_timeout() {
    let slow = service_fn(async |_| {
        tokio::time::sleep(Duration::from_mins(1)).await;
        Ok::<_, Infallible>(reply("late"))
    });
    let client = Client::new(App::new().service("/slow", slow)).unwrap();
    assert_eq!(client.get("/slow").send().await.status(), 408);
}

#[tokio::test]
async fn a_panic_of_a_service_is_a_500() {
    let panicking = service_fn(async |request: http::Request<Body>| {
        assert!(request.uri().path() != "/", "secret");
        Ok::<_, Infallible>(reply("fine"))
    });
    let client = Client::new(App::new().service("/s", panicking)).unwrap();
    assert_eq!(client.get("/s").send().await.status(), 500);
    assert_eq!(get(&client, "/s/x").await, "fine");
}

#[tokio::test]
async fn a_service_may_stream() {
    let streaming = service_fn(async |_| {
        let frames = ["one ", "two"].map(|text| {
            Ok::<_, Infallible>(http_body::Frame::data(Bytes::from_static(text.as_bytes())))
        });
        let body = StreamBody::new(futures_util::stream::iter(frames));
        Ok::<_, Infallible>(http::Response::new(body))
    });
    let client = Client::new(App::new().service("/s", streaming)).unwrap();
    assert_eq!(get(&client, "/s").await, "one two");
}

#[tokio::test]
async fn a_service_finds_values_of_filters_in_the_extensions() {
    let app = App::new()
        .filter(filter::before(|request| {
            request.values_mut().set(42_u32);
            Ok(())
        }))
        .service(
            "/s",
            service_fn(async |request: http::Request<Body>| {
                let value = request.extensions().get::<u32>();
                Ok::<_, Infallible>(reply(format!("{value:?}")))
            }),
        );
    let client = Client::new(app).unwrap();
    assert_eq!(get(&client, "/s").await, "Some(42)");
}
