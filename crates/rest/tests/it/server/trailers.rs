//! Requests with trailers, or with what hyper takes for trailers.

use futures_util::StreamExt;
use innkeeper_rest::{App, Body, Rejection, Response, RestApi, resource};

use super::wire::Running;

struct Uploads;

#[resource("/uploads")]
impl Uploads {
    #[post]
    fn create(&self, #[body] text: String) -> String {
        text
    }

    /// Answers without reading the body.
    #[post("/refused")]
    fn refuse(&self) -> Response {
        Response::error(409)
    }

    /// Sends the body back while it arrives.
    #[post("/echo")]
    async fn echo(&self, #[stream] body: Body) -> Result<Response, Rejection> {
        Ok(Response::ok().stream(body.map(|chunk| chunk.map_err(std::io::Error::from))))
    }

    #[get("/secret")]
    fn secret(&self) -> &'static str {
        "the secret"
    }
}

fn serve() -> Running {
    Running::start(App::new().mount("/", RestApi::new(Uploads)))
}

const NEXT: &str = "GET /uploads/secret HTTP/1.1\r\nHost: a\r\n\r\n";

fn post(path: &str, body: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n{body}"
    )
}

#[tokio::test]
async fn a_connection_is_closed_after_a_request_with_trailers() {
    let server = serve();
    for path in ["/uploads", "/uploads/refused", "/uploads/echo"] {
        for end in [
            "0\r\nX-Sum: 1\r\n\r\n",
            "0\r\n\n",
            "0\r\n\nX: 1\r\n\r\n",
            "0\r\nX: 1\n\r\n",
            "0\r\nX: 1\n\n",
        ] {
            let mut wire = server.connect().await;
            let sent = post(path, &format!("5\r\nhello\r\n{end}"));
            wire.try_send(format!("{sent}{NEXT}")).await.unwrap();
            let rest = String::from_utf8(wire.bytes_to_the_end().await.unwrap_or_default());
            let rest = rest.unwrap();
            assert!(!rest.contains("the secret"), "{path} {end:?}: {rest}");
        }
    }
}

#[tokio::test]
async fn the_close_is_announced() {
    let server = serve();
    let mut wire = server.connect().await;
    wire.send(post("/uploads", "5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n"))
        .await;
    let answer = wire.answer().await;
    assert_eq!((answer.status, answer.text()), (200, "hello"));
    assert_eq!(answer.header("connection"), Some("close"));
    assert_eq!(wire.rest().await, "");

    // The client has announced more than it sends: nobody waits for the rest.
    let mut wire = server.connect().await;
    wire.send("POST /uploads/refused HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\nx")
        .await;
    let answer = wire.answer().await;
    assert_eq!(answer.status, 409);
    assert_eq!(answer.header("connection"), Some("close"));
    assert_eq!(wire.rest().await, "");
}

#[tokio::test]
async fn a_connection_stays_open_after_chunks_without_trailers() {
    let server = serve();
    for path in ["/uploads", "/uploads/echo"] {
        let mut wire = server.connect().await;
        wire.send(format!("{}{NEXT}", post(path, "5\r\nhello\r\n0\r\n\r\n")))
            .await;
        assert_eq!(wire.answer().await.text(), "hello", "{path}");
        if path == "/uploads" {
            assert_eq!(wire.answer().await.text(), "the secret");
        }
    }
}
