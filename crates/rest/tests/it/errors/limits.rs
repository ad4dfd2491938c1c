//! Bodies that are too large.

use bytes::Bytes;
use futures_util::stream;
use innkeeper_rest::testing::Client;
use innkeeper_rest::{
    App, Body, BodyError, Filter, Next, Rejection, Request, Response, RestApi, resource,
};
use serde_json::{Value, json};

struct Uploads;

#[resource("/uploads")]
impl Uploads {
    #[post("/default")]
    async fn default(&self, #[body] text: String) -> usize {
        text.len()
    }

    #[post("/small")]
    #[body_limit(4)]
    async fn small(&self, #[body] text: String) -> usize {
        text.len()
    }

    #[post("/large")]
    #[body_limit(3 * 1024 * 1024)]
    async fn large(&self, #[body] text: String) -> usize {
        text.len()
    }

    #[post("/free")]
    #[body_limit(none)]
    async fn free(&self, #[body] text: String) -> usize {
        text.len()
    }

    #[post("/entity")]
    #[body_limit(4)]
    async fn entity(&self, entity: Vec<u8>) -> usize {
        entity.len()
    }

    #[post("/stream")]
    #[body_limit(4)]
    async fn stream(&self, #[stream] mut body: Body) -> Result<usize, Rejection> {
        let mut size = 0;
        while let Some(chunk) = body.next_chunk().await? {
            size += chunk.len();
        }
        Ok(size)
    }

    #[post("/ignored")]
    #[body_limit(4)]
    fn ignored(&self) -> &'static str {
        "not read"
    }
}

fn client(app: App) -> Client {
    Client::new(app).unwrap()
}

fn app() -> App {
    App::new().mount("/", RestApi::new(Uploads))
}

/// Returns a body of unknown size.
fn streamed(chunks: &'static [&'static str]) -> Body {
    let chunks = chunks.iter().map(|chunk| Ok(Bytes::from(*chunk)));
    Body::from_stream(stream::iter(chunks))
}

async fn status_of_post(client: &Client, path: &str, size: usize) -> u16 {
    let body = "x".repeat(size);
    client.post(path).body(body).send().await.status()
}

#[tokio::test]
async fn a_body_that_is_announced_too_large_is_refused() {
    let client = client(app());
    let response = client.post("/uploads/small").body("12345").send().await;
    assert_eq!(response.status(), 413);
    assert_eq!(
        response.json::<Value>().unwrap(),
        json!({
            "type": "about:blank",
            "title": "Payload Too Large",
            "status": 413,
            "detail": "the body is larger than 4 bytes",
            "code": "body_too_large",
        })
    );
}

#[tokio::test]
async fn a_body_that_turns_out_too_large_is_refused() {
    let client = client(app());
    for path in ["/uploads/small", "/uploads/stream", "/uploads/entity"] {
        let response = client
            .post(path)
            .body(streamed(&["[1,", "2]"]))
            .send()
            .await;
        assert_eq!(response.status(), 413, "{path}");
    }
    let response = client
        .post("/uploads/stream")
        .body(streamed(&["12", "34"]))
        .send();
    assert_eq!(response.await.text(), "4", "exactly the limit is fine");
}

#[tokio::test]
async fn a_body_that_nobody_reads_has_no_size() {
    let client = client(app());
    assert_eq!(status_of_post(&client, "/uploads/ignored", 5).await, 200);
}

#[tokio::test]
async fn the_limit_is_two_mebibytes_unless_somebody_says_otherwise() {
    let client = client(app());
    let two = 2 * 1024 * 1024;
    assert_eq!(status_of_post(&client, "/uploads/default", two).await, 200);
    assert_eq!(
        status_of_post(&client, "/uploads/default", two + 1).await,
        413
    );
    assert_eq!(
        status_of_post(&client, "/uploads/large", two + 1).await,
        200
    );
    assert_eq!(status_of_post(&client, "/uploads/free", 2 * two).await, 200);
}

#[tokio::test]
async fn the_nearest_limit_holds() {
    let of_the_application = client(app().body_limit(10));
    assert_eq!(
        status_of_post(&of_the_application, "/uploads/default", 10).await,
        200
    );
    assert_eq!(
        status_of_post(&of_the_application, "/uploads/default", 11).await,
        413
    );
    assert_eq!(
        status_of_post(&of_the_application, "/uploads/large", 11).await,
        200
    );
    let api = RestApi::new(Uploads).body_limit(20);
    let of_the_mount = client(App::new().body_limit(10).mount("/", api));
    assert_eq!(
        status_of_post(&of_the_mount, "/uploads/default", 20).await,
        200
    );
    assert_eq!(
        status_of_post(&of_the_mount, "/uploads/default", 21).await,
        413
    );
    assert_eq!(
        status_of_post(&of_the_mount, "/uploads/small", 5).await,
        413
    );
    assert_eq!(
        status_of_post(&of_the_mount, "/uploads/free", 21).await,
        200
    );
}

#[tokio::test]
async fn functions_have_the_limit_of_the_application() {
    let app = App::new()
        .body_limit(4)
        .handler("/size", async |mut request: Request| {
            let bytes = request.take_body().read_all().await?;
            Ok::<_, Rejection>(bytes.len().to_string())
        });
    let client = client(app);
    assert_eq!(status_of_post(&client, "/size", 4).await, 200);
    assert_eq!(status_of_post(&client, "/size", 5).await, 413);
}

/// Reads bodies before the handler does, as a signature check would.
struct Reading;

impl Filter for Reading {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        match request.take_body().read_all().await {
            Ok(bytes) => request.set_body(bytes),
            Err(BodyError::TooLarge(limit)) => {
                return Response::error_with(413, format!("filter stopped at {limit}"));
            }
            Err(_) => return Response::error(400),
        }
        next.run(request).await
    }
}

#[tokio::test]
async fn a_filter_reads_within_the_limit_of_the_application() {
    let client = client(app().body_limit(10).filter(Reading));
    assert_eq!(status_of_post(&client, "/uploads/default", 10).await, 200);
    let response = client.post("/uploads/default").body("12345678901").send();
    let response = response.await;
    assert_eq!(response.status(), 413);
    assert_eq!(
        response.json::<Value>().unwrap()["detail"],
        "filter stopped at 10"
    );
    assert_eq!(status_of_post(&client, "/uploads/small", 5).await, 413);
}
