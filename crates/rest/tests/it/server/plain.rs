//! Plain requests are served without hyper, all others by hyper, with the same responses.

use futures_util::stream;
use innkeeper_rest::filter::{Cors, SecurityHeaders};
use innkeeper_rest::{App, ETag, Method, ReadyHeaders, Request, Response, RestApi, resource};
use proptest::prelude::*;

use super::wire::{Answer, Running, soon};

/// A header that sends a request to hyper and changes nothing else.
const FOR_HYPER: &str = "TE: nothing\r\n";

struct Things;

#[resource("/things")]
impl Things {
    #[get]
    fn list(&self) -> &'static str {
        "all things"
    }

    #[get("/{id}")]
    async fn get(&self, id: u32, #[param] page: Option<u32>) -> (u32, Option<u32>) {
        tokio::task::yield_now().await;
        (id, page)
    }

    #[post]
    fn create(&self, #[body] text: String) -> Response {
        Response::created_at("/things/{id}", 7).body(text)
    }

    #[put]
    fn replace(&self, #[entity] numbers: Vec<u32>) -> u32 {
        numbers.iter().sum()
    }

    #[delete]
    fn clear(&self) {}

    #[get("/headers")]
    fn headers(&self, #[request] request: &Request) -> String {
        let mut lines: Vec<String> = request
            .head()
            .headers()
            .iter()
            .filter(|(name, _)| name.as_str() != "te")
            .map(|(name, value)| format!("{name}={value:?}\n"))
            .collect();
        lines.sort();
        lines.concat()
    }

    #[get("/one")]
    fn one(&self, #[header("X-One")] one: Vec<String>, #[cookie("taste")] taste: String) -> String {
        format!("{one:?} {taste}")
    }

    #[get("/tagged")]
    fn tagged(&self) -> Response {
        Response::ok().etag(ETag::strong("v1")).body("tagged")
    }

    #[get("/ready")]
    fn ready(&self) -> Response {
        let mut headers = http::HeaderMap::new();
        headers.append("x-a", "1".parse().unwrap());
        headers.append("x-a", "2".parse().unwrap());
        headers.append("content-type", "text/x-ready".parse().unwrap());
        Response::ok()
            .with_headers(&ReadyHeaders::new(headers))
            .body("ready")
    }

    #[get("/dated")]
    fn dated(&self) -> Response {
        let mut headers = http::HeaderMap::new();
        headers.append("date", "Sun, 06 Nov 1994 08:49:37 GMT".parse().unwrap());
        headers.append("content-length", "3".parse().unwrap());
        Response::ok()
            .with_headers(&ReadyHeaders::new(headers))
            .body("old")
    }

    #[get("/large")]
    fn large(&self) -> Response {
        Response::ok().body(vec![b'x'; 300_000])
    }

    #[get("/stream")]
    fn stream(&self) -> Response {
        let large = "y".repeat(70_000);
        let parts = ["one ".to_owned(), String::new(), large].map(Ok::<_, std::io::Error>);
        Response::ok().stream(stream::iter(parts))
    }

    #[get("/sized")]
    fn sized(&self) -> Response {
        let parts = ["one ", "two ", "three"].map(Ok::<_, std::io::Error>);
        Response::ok().stream_sized(stream::iter(parts), 13)
    }

    #[get("/refused")]
    fn refused(&self) -> Response {
        Response::error_with(422, "no")
    }

    #[get("/reset")]
    fn reset(&self) -> Response {
        Response::status(205)
    }

    #[get("/elsewhere")]
    fn elsewhere(&self) -> Response {
        Response::see("/things")
    }

    #[get("/odd")]
    fn odd(&self) -> Response {
        Response::status(599).header("x-latin", "é")
    }
}

fn serve() -> Running {
    let cors = Cors::builder().origins(["https://inn.example"]);
    let app = App::new()
        .filter(cors.methods([Method::GET]).build().unwrap())
        .filter(SecurityHeaders::new())
        .mount("/", RestApi::new(Things));
    Running::start(app)
}

/// Returns the status line, the sorted headers without the current date, and the body.
fn seen(answer: &Answer) -> (String, Vec<String>, Vec<u8>) {
    let mut lines = answer.head.trim_end().lines().map(str::to_owned);
    let status = lines.next().unwrap();
    let mut headers: Vec<String> = lines
        .filter(|line| !line.starts_with("date:") || line.contains("1994"))
        .collect();
    headers.sort();
    (status, headers, answer.body.clone())
}

/// Sends a request and reads the response; a HEAD or a 304 has no body.
async fn answer(server: &Running, request: &str) -> Answer {
    let mut wire = server.connect().await;
    wire.send(request).await;
    let no_body = request.starts_with("HEAD") || request.contains("If-None-Match: \"v1\"");
    if no_body {
        wire.answer_head().await
    } else {
        wire.answer().await
    }
}

/// Requests of every kind, without the empty line at the end.
const REQUESTS: [&str; 37] = [
    "GET /things HTTP/1.1\r\nHost: test\r\n",
    "HEAD /things HTTP/1.1\r\nHost: test\r\n",
    "GET /things?a=b&c HTTP/1.1\r\nHost: test\r\nConnection: Keep-Alive\r\n",
    "GET /things/7?page=3 HTTP/1.1\r\nHost: test\r\nOrigin: https://inn.example\r\n",
    "GET /things/7?page=x HTTP/1.1\r\nHost: test\r\n",
    "GET /things/%37 HTTP/1.1\r\nHost: test\r\n",
    "GET /things/{7} HTTP/1.1\r\nHost: test\r\n",
    "GET /things/\"7\" HTTP/1.1\r\nHost: test\r\n",
    "GET /things/7?q=\"a|b\" HTTP/1.1\r\nHost: test\r\n",
    "DELETE /things HTTP/1.1\r\nHost: test\r\n",
    "OPTIONS /things HTTP/1.1\r\nHost: test\r\n",
    "BREW /things HTTP/1.1\r\nHost: test\r\n",
    "OPTIONS /things HTTP/1.1\r\nHost: test\r\nOrigin: https://inn.example\r\n\
     Access-Control-Request-Method: GET\r\n",
    "GET /things/headers HTTP/1.1\r\nhOST: test\r\nx-A:  1 \r\nX-a: 2\r\nEmpty:\r\n",
    "GET /things/headers HTTP/1.1\r\nHost: test\r\nX-Text: gr\u{fc}n\r\n",
    "GET /things/one HTTP/1.1\r\nHost: test\r\nx-one: a\r\nX-ONE: b\r\nCookie: taste=salt\r\n",
    "GET /things/one HTTP/1.1\r\nHost: test\r\nCookie: a=b; taste=sweet\r\n",
    "GET /things/one HTTP/1.1\r\nHost: test\r\nX-One: gr\u{fc}n\r\nCookie: taste=salt\r\n",
    "GET /things/one HTTP/1.1\r\nHost: test\r\nCookie: taste=s\u{fc}\u{df}\r\n",
    "GET /things/tagged HTTP/1.1\r\nHost: test\r\n",
    "GET /things/tagged HTTP/1.1\r\nHost: test\r\nIf-None-Match: \"v1\"\r\n",
    "GET /things/tagged HTTP/1.1\r\nHost: test\r\nIf-Match: \"v2\"\r\n",
    "GET /things/ready HTTP/1.1\r\nHost: test\r\n",
    "HEAD /things/ready HTTP/1.1\r\nHost: test\r\n",
    "GET /things/dated HTTP/1.1\r\nHost: test\r\n",
    "GET /things/large HTTP/1.1\r\nHost: test\r\n",
    "HEAD /things/large HTTP/1.1\r\nHost: test\r\n",
    "GET /things/stream HTTP/1.1\r\nHost: test\r\n",
    "HEAD /things/stream HTTP/1.1\r\nHost: test\r\n",
    "GET /things/sized HTTP/1.1\r\nHost: test\r\n",
    "GET /things/refused HTTP/1.1\r\nHost: test\r\nAccept: text/plain\r\n",
    "GET /things/list HTTP/1.1\r\nHost: test\r\nAccept: image/png\r\n",
    "GET /things/reset HTTP/1.1\r\nHost: test\r\n",
    "GET /things/elsewhere HTTP/1.1\r\nHost: test\r\n",
    "GET /things/odd HTTP/1.1\r\nHost: test\r\n",
    "GET /nothing HTTP/1.1\r\nHost: test\r\n",
    "GET // HTTP/1.1\r\nHost: test\r\n",
];

#[tokio::test]
async fn whoever_reads_a_request_the_answer_is_the_same() {
    let server = serve();
    for request in REQUESTS {
        let ours = answer(&server, &format!("{request}\r\n")).await;
        let hypers = answer(&server, &format!("{request}{FOR_HYPER}\r\n")).await;
        assert_eq!(seen(&ours), seen(&hypers), "{request}");
    }
    for (head, body) in [
        ("POST /things HTTP/1.1\r\nHost: test\r\n", "a text"),
        ("POST /things HTTP/1.1\r\nHost: test\r\n", ""),
        (
            "PUT /things HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n",
            "[1, 2]",
        ),
        (
            "PUT /things HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n",
            "[1,",
        ),
        ("GET /things HTTP/1.1\r\nHost: test\r\n", "unexpected"),
    ] {
        let length = body.len();
        let tail = format!("Content-Length: {length}\r\n\r\n{body}");
        let ours = answer(&server, &format!("{head}{tail}")).await;
        let hypers = answer(&server, &format!("{head}{FOR_HYPER}{tail}")).await;
        assert_eq!(seen(&ours), seen(&hypers), "{head}{body}");
    }
    server.stopped().await;
}

#[tokio::test]
async fn requests_of_both_kinds_in_one_packet_are_answered_in_order() {
    let server = serve();
    let mut wire = server.connect().await;
    wire.send(format!(
        "GET /things/1 HTTP/1.1\r\nHost: a\r\n\r\n\
         POST /things HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\ntwo\
         GET /things/3 HTTP/1.1\r\nHost: a\r\n\r\n\
         GET /things/4 HTTP/1.1\r\nHost: a\r\n{FOR_HYPER}\r\n\
         GET /things/5 HTTP/1.1\r\nHost: a\r\n\r\n"
    ))
    .await;
    for expected in ["[1,null]", "two", "[3,null]", "[4,null]", "[5,null]"] {
        assert_eq!(wire.answer().await.text(), expected);
    }
    server.stopped().await;
}

#[tokio::test]
async fn a_body_that_is_still_to_come_is_waited_for() {
    let server = serve();
    let mut wire = server.connect().await;
    assert_eq!(wire.get("/things/1").await.text(), "[1,null]");
    wire.send("POST /things HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nfirst")
        .await;
    // The server may read the first part of the body now.
    tokio::task::yield_now().await;
    wire.send(" two").await;
    assert_eq!(wire.answer().await.text(), "first two");
    server.stopped().await;
}

#[tokio::test]
async fn an_answer_larger_than_any_buffer_waits_for_a_slow_reader() {
    let server = serve();
    let mut wire = server.connect().await;
    for _ in 0..50 {
        wire.send("GET /things/large HTTP/1.1\r\nHost: a\r\n\r\n")
            .await;
    }
    for _ in 0..50 {
        let answer = wire.answer().await;
        assert_eq!(answer.body.len(), 300_000);
        assert!(answer.body.iter().all(|byte| *byte == b'x'));
    }
    server.stopped().await;
}

/// Sends the bytes in pieces, cut at these offsets, and returns the bodies of the responses.
async fn in_pieces(server: &Running, bytes: &[u8], mut cuts: Vec<usize>) -> Vec<String> {
    let mut wire = server.connect().await;
    let mut other = server.connect().await;
    cuts.push(bytes.len());
    cuts.sort_unstable();
    let mut start = 0;
    for cut in cuts {
        wire.send(&bytes[start..cut]).await;
        start = cut;
        // The server reads each piece before the next is sent.
        assert_eq!(other.get("/things/5").await.text(), "[5,null]");
    }
    let mut texts = Vec::new();
    for _ in 0..4 {
        texts.push(wire.answer().await.text().to_owned());
    }
    texts
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn however_requests_are_cut_they_are_answered(cuts in prop::collection::vec(0_usize..300, 0..8)) {
        let bytes = "GET /things/1?page=2 HTTP/1.1\r\nHost: a\r\nAccept: */*\r\n\r\n\
            POST /things HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\n\r\na short text\
            GET /things/headers HTTP/1.1\r\nHost: a\r\nX-Long: 0123456789\r\n\r\n\
            GET /things/5 HTTP/1.1\r\nHost: a\r\n\r\n";
        let cuts = cuts.into_iter().filter(|cut| *cut < bytes.len()).collect();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let texts = runtime.block_on(async {
            let server = serve();
            let texts = soon(in_pieces(&server, bytes.as_bytes(), cuts)).await;
            server.stopped().await;
            texts
        });
        let expected = ["[1,2]", "a short text", "host=\"a\"\nx-long=\"0123456789\"\n", "[5,null]"];
        prop_assert_eq!(texts, expected);
    }
}
