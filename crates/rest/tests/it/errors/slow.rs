//! Handlers and bodies that take too long. Time is paused: it advances only when all tasks wait.

use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, Async, Body, ErrorFormat, Head, Rejection, Response, RestApi, resource};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

struct Sleepers;

#[resource("/sleep")]
impl Sleepers {
    #[get("/{seconds}")]
    async fn sleep(&self, seconds: u64) -> u64 {
        sleep(Duration::from_secs(seconds)).await;
        seconds
    }

    #[get("/{seconds}/short")]
    #[timeout(5)]
    async fn short(&self, seconds: u64) -> u64 {
        self.sleep(seconds).await
    }

    #[get("/{seconds}/free")]
    #[timeout(none)]
    async fn free(&self, seconds: u64) -> u64 {
        self.sleep(seconds).await
    }

    #[get("/{seconds}/late")]
    #[timeout(5)]
    fn late(&self, seconds: u64) -> Async<u64> {
        Async::new(async move {
            sleep(Duration::from_secs(seconds)).await;
            seconds
        })
    }

    #[post("/read")]
    #[timeout(none)]
    async fn read(&self, #[body] text: String) -> usize {
        text.len()
    }
}

fn client(app: App) -> Client {
    Client::new(app).unwrap()
}

fn app() -> App {
    App::new().mount("/", RestApi::new(Sleepers))
}

async fn status_of_get(client: &Client, path: &str) -> u16 {
    client.get(path).send().await.status()
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_takes_too_long_is_a_timeout() {
    let start = Instant::now();
    let response = client(app()).get("/sleep/6/short").send().await;
    assert_eq!(start.elapsed().as_secs(), 5);
    assert_eq!(response.status(), 408);
    assert_eq!(
        response.json::<Value>().unwrap(),
        json!({
            "type": "about:blank",
            "title": "Request Timeout",
            "status": 408,
            "detail": "the request took too long",
            "code": "timeout",
        })
    );
}

#[tokio::test(start_paused = true)]
async fn a_late_value_is_waited_for_as_long_as_a_handler() {
    let client = client(app());
    assert_eq!(status_of_get(&client, "/sleep/4/late").await, 200);
    assert_eq!(status_of_get(&client, "/sleep/6/late").await, 408);
}

#[tokio::test(start_paused = true)]
async fn a_handler_has_thirty_seconds_unless_somebody_says_otherwise() {
    let client = client(app());
    assert_eq!(status_of_get(&client, "/sleep/29").await, 200);
    assert_eq!(status_of_get(&client, "/sleep/31").await, 408);
    assert_eq!(status_of_get(&client, "/sleep/3600/free").await, 200);
}

#[tokio::test(start_paused = true)]
async fn the_nearest_timeout_holds() {
    let seconds = Duration::from_secs;
    let of_the_application = client(app().timeout(seconds(10)));
    assert_eq!(status_of_get(&of_the_application, "/sleep/9").await, 200);
    assert_eq!(status_of_get(&of_the_application, "/sleep/11").await, 408);
    assert_eq!(
        status_of_get(&of_the_application, "/sleep/6/short").await,
        408
    );
    let lifted = client(app().timeout(None));
    assert_eq!(status_of_get(&lifted, "/sleep/3600").await, 200);
    let api = RestApi::new(Sleepers).timeout(seconds(20));
    let of_the_mount = client(App::new().timeout(seconds(10)).mount("/", api));
    assert_eq!(status_of_get(&of_the_mount, "/sleep/19").await, 200);
    assert_eq!(status_of_get(&of_the_mount, "/sleep/21").await, 408);
    assert_eq!(status_of_get(&of_the_mount, "/sleep/6/short").await, 408);
    let api = RestApi::new(Sleepers).timeout(None);
    let lifted = client(App::new().timeout(seconds(10)).mount("/", api));
    assert_eq!(status_of_get(&lifted, "/sleep/3600").await, 200);
}

#[tokio::test(start_paused = true)]
async fn functions_have_the_timeout_of_the_application() {
    let app = App::new()
        .timeout(Duration::from_secs(10))
        .handler("/sleep", async |_| sleep(Duration::from_secs(11)).await);
    assert_eq!(status_of_get(&client(app), "/sleep").await, 408);
}

/// Returns a body with one chunk per interval.
fn dripping(chunks: usize, every: Duration) -> Body {
    let chunks = stream::iter(0..chunks).then(move |_| async move {
        sleep(every).await;
        Ok(Bytes::from_static(b"x"))
    });
    Body::from_stream(Box::pin(chunks))
}

#[tokio::test(start_paused = true)]
async fn a_client_that_is_silent_for_too_long_is_a_timeout() {
    let start = Instant::now();
    let body = dripping(1, Duration::from_secs(40));
    let response = client(app()).post("/sleep/read").body(body).send().await;
    assert_eq!(start.elapsed().as_secs(), 30);
    assert_eq!(response.status(), 408);
    let body: Value = response.json().unwrap();
    assert_eq!(body["code"], "slow_body");
    assert_eq!(body["detail"], "the body did not arrive in time");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_goes_on_sending_may_take_long() {
    let body = dripping(10, Duration::from_secs(20));
    let response = client(app()).post("/sleep/read").body(body).send().await;
    assert_eq!(response.text(), "10");
}

#[tokio::test(start_paused = true)]
async fn the_silence_allowed_is_the_applications_choice() {
    let strict = client(app().body_timeout(Duration::from_secs(2)));
    let body = dripping(1, Duration::from_secs(3));
    let response = strict.post("/sleep/read").body(body).send().await;
    assert_eq!(response.status(), 408);
    let patient = client(app().body_timeout(None));
    let body = dripping(1, Duration::from_mins(5));
    let response = patient.post("/sleep/read").body(body).send().await;
    assert_eq!(response.text(), "1");
}

/// Sends 504 for a slow handler, which is the server's fault, and keeps 408 for a silent client.
struct Deadlines;

impl ErrorFormat for Deadlines {
    fn write(&self, rejection: &Rejection, _: &Head, response: Response) -> Response {
        match rejection.code() {
            "timeout" => Response::status(504).entity(json!({"error_code": "request_timeout"})),
            code => response.entity(json!({"error_code": code})),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_format_tells_a_slow_handler_from_a_slow_body_and_may_change_the_status() {
    let api = RestApi::new(Sleepers).errors(Deadlines);
    let client = client(App::new().mount("/", api));
    for path in ["/sleep/6/short", "/sleep/6/late", "/sleep/31"] {
        let response = client.get(path).send().await;
        assert_eq!(response.status(), 504, "{path}");
        assert_eq!(response.text(), r#"{"error_code":"request_timeout"}"#);
    }
    let body = dripping(1, Duration::from_secs(40));
    let response = client.post("/sleep/read").body(body).send().await;
    assert_eq!(response.status(), 408);
    assert_eq!(response.text(), r#"{"error_code":"slow_body"}"#);
}
