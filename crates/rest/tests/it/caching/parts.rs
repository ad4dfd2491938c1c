//! Range requests: one part, several, and none.

use bytes::Bytes;
use futures_util::stream;
use innkeeper_rest::filter::Compress;
use innkeeper_rest::testing::{Client, TestResponse};
use innkeeper_rest::{App, ETag, Method, Response, RestApi, resource};
use serde_json::Value;

use super::get;

const DATE: &str = "Sun, 06 Nov 1994 08:49:37 GMT";

/// Returns a thousand bytes that show their offset.
fn content() -> String {
    let numbers: Vec<String> = (0..200).map(|number| format!("{number:04} ")).collect();
    numbers.concat()
}

fn chunks(text: &str, size: usize) -> Vec<Result<Bytes, std::io::Error>> {
    let chunks = text.as_bytes().chunks(size);
    chunks
        .map(|chunk| Ok(Bytes::copy_from_slice(chunk)))
        .collect()
}

struct Films;

#[resource("/films")]
impl Films {
    #[get("/bytes")]
    fn bytes(&self) -> Response {
        let response = Response::ok()
            .content_type("text/plain")
            .etag(ETag::strong("v1"));
        response
            .header("last-modified", DATE)
            .ranges()
            .body(content())
    }

    #[get("/stream")]
    fn stream(&self) -> Response {
        let response = Response::ok()
            .content_type("text/plain")
            .etag(ETag::strong("v1"));
        let response = response.header("last-modified", DATE).ranges();
        response.stream_sized(stream::iter(chunks(&content(), 7)), 1000)
    }

    #[get("/seekable")]
    fn seekable(&self) -> Response {
        let response = Response::ok()
            .content_type("text/plain")
            .etag(ETag::strong("v1"));
        let response = response.header("last-modified", DATE);
        response.stream_seekable(1000, |range| {
            let place = |place: u64| usize::try_from(place).unwrap();
            let (start, end) = (place(range.start), place(range.end));
            stream::iter(chunks(&content()[start..end], 11))
        })
    }

    #[get("/whole")]
    fn whole(&self) -> Response {
        Response::ok().body(content())
    }

    #[get("/entity")]
    fn entity(&self) -> Response {
        Response::ok().ranges().entity("12345678")
    }

    #[get("/unsized")]
    fn unsized_stream(&self) -> Response {
        Response::ok()
            .ranges()
            .stream(stream::iter(chunks("1234", 2)))
    }

    #[get("/empty")]
    fn empty(&self) -> Response {
        Response::ok().ranges().body("")
    }

    #[get("/short")]
    fn short(&self) -> Response {
        Response::ok().stream_seekable(1000, |_| stream::iter(chunks("too short", 4)))
    }

    #[get("/failing")]
    fn failing(&self) -> Response {
        Response::error(404).ranges()
    }
}

fn client() -> Client {
    Client::new(App::new().mount("/", RestApi::new(Films))).unwrap()
}

async fn range(path: &str, range: &str) -> TestResponse {
    get(&client(), path, &[("range", range)]).await
}

/// The three kinds of content of known size.
const KINDS: [&str; 3] = ["/films/bytes", "/films/stream", "/films/seekable"];

#[tokio::test]
async fn one_part_is_sent_as_it_is() {
    for path in KINDS {
        for (asked, start, end) in [
            ("bytes=0-4", 0, 5),
            ("bytes=5-10", 5, 11),
            ("bytes=990-", 990, 1000),
            ("bytes=990-5000", 990, 1000),
            ("bytes=-3", 997, 1000),
            ("bytes=-5000", 0, 1000),
            ("bytes=0-", 0, 1000),
            ("bytes=3-3", 3, 4),
            ("bytes=500-600,550-700", 500, 701),
            ("bytes=5-9,5000-", 5, 10),
        ] {
            let answer = range(path, asked).await;
            assert_eq!(answer.status(), 206, "{path} {asked}");
            assert_eq!(answer.text(), content()[start..end], "{path} {asked}");
            let place = format!("bytes {start}-{}/1000", end - 1);
            assert_eq!(answer.header("content-range"), Some(place.as_str()));
            assert_eq!(answer.header("content-type"), Some("text/plain"));
            assert_eq!(answer.header("etag"), Some("\"v1\""));
            assert_eq!(answer.header("accept-ranges"), Some("bytes"));
        }
    }
}

#[tokio::test]
async fn several_parts_have_heads_of_their_own() {
    for path in KINDS {
        let answer = range(path, "bytes=800-804, 0-4, -5").await;
        assert_eq!(answer.status(), 206);
        assert_eq!(answer.header("content-range"), None);
        let content_type = answer.header("content-type").unwrap();
        let boundary = content_type
            .strip_prefix("multipart/byteranges; boundary=")
            .unwrap();
        let part = |place: &str, text: &str| {
            format!(
                "\r\n--{boundary}\r\nContent-Type: text/plain\r\nContent-Range: bytes {place}/1000\
                 \r\n\r\n{text}"
            )
        };
        let first = part("800-804", "0160 ");
        let second = part("0-4", "0000 ");
        let last = part("995-999", "0199 ");
        // A stream can only be read forwards: its parts are sent in ascending order.
        let parts = if path == "/films/stream" {
            format!("{second}{first}{last}")
        } else {
            format!("{first}{second}{last}")
        };
        assert_eq!(
            answer.text(),
            format!("{parts}\r\n--{boundary}--\r\n"),
            "{path}"
        );
    }
}

#[tokio::test]
async fn each_answer_has_another_boundary() {
    let one = range("/films/bytes", "bytes=0-4,-5").await;
    let other = range("/films/bytes", "bytes=0-4,-5").await;
    assert_ne!(one.header("content-type"), other.header("content-type"));
}

#[tokio::test]
async fn parts_that_are_not_there_are_416_with_the_size() {
    for path in KINDS {
        for asked in [
            "bytes=1000-",
            "bytes=5000-6000",
            "bytes=-0",
            "bytes=1000-,2000-",
        ] {
            let answer = range(path, asked).await;
            assert_eq!(answer.status(), 416, "{path} {asked}");
            assert_eq!(answer.header("content-range"), Some("bytes */1000"));
            assert_eq!(
                answer.header("content-type"),
                Some("application/problem+json")
            );
            assert_eq!(answer.header("etag"), None);
            let problem = answer.json::<Value>().unwrap();
            assert_eq!(problem["code"], "range_not_satisfiable");
            assert_eq!(
                problem["detail"],
                "the range is beyond the 1000 bytes of the content"
            );
        }
    }
}

#[tokio::test]
async fn malformed_and_unreasonable_ranges_get_the_whole() {
    let thousands: Vec<String> = (0..5000).map(|_| "0-".to_owned()).collect();
    let thousands = format!("bytes={}", thousands.join(","));
    for path in KINDS {
        for asked in [
            "bytes",
            "bytes=",
            "bytes=5-2",
            "bytes=a-b",
            "bytes=--5",
            "bytes=1-2-3",
            "bytes=0-1,x",
            "lines=1-2",
            "bytes 0-4",
            thousands.as_str(),
        ] {
            let answer = range(path, asked).await;
            assert_eq!(
                (answer.status(), answer.text()),
                (200, content()),
                "{path} {asked}"
            );
        }
    }
    let twice = [("range", "bytes=0-4"), ("range", "bytes=5-9")];
    assert_eq!(get(&client(), "/films/bytes", &twice).await.status(), 200);
}

#[tokio::test]
async fn overlapping_parts_never_send_more_than_there_is() {
    let asked: Vec<String> = (0..100).map(|number| format!("{number}-")).collect();
    let answer = range("/films/bytes", &format!("bytes={}", asked.join(","))).await;
    assert_eq!((answer.status(), answer.text()), (206, content()));
}

#[tokio::test]
async fn if_range_wants_the_very_version() {
    for path in KINDS {
        for (version, expected) in [
            ("\"v1\"", 206),
            (DATE, 206),
            ("\"v2\"", 200),
            ("W/\"v1\"", 200),
            ("v1", 200),
            ("Sun, 06 Nov 1994 08:49:38 GMT", 200),
            ("yesterday", 200),
            ("", 200),
        ] {
            let headers = [("range", "bytes=0-4"), ("if-range", version)];
            let answer = get(&client(), path, &headers).await;
            assert_eq!(answer.status(), expected, "{path} {version}");
        }
        // With another version, a range past the end is ignored instead of refused.
        let headers = [("range", "bytes=5000-"), ("if-range", "\"v2\"")];
        assert_eq!(get(&client(), path, &headers).await.status(), 200);
    }
}

#[tokio::test]
async fn conditions_come_before_parts() {
    for path in KINDS {
        let headers = [("range", "bytes=0-4"), ("if-none-match", "\"v1\"")];
        assert_eq!(get(&client(), path, &headers).await.status(), 304);
        let headers = [("range", "bytes=0-4"), ("if-match", "\"v2\"")];
        assert_eq!(get(&client(), path, &headers).await.status(), 412);
        let headers = [("range", "bytes=0-4"), ("if-match", "\"v1\"")];
        assert_eq!(get(&client(), path, &headers).await.status(), 206);
    }
}

#[tokio::test]
async fn head_says_that_there_are_parts_and_has_none() {
    for path in KINDS {
        let client = client();
        let request = client
            .request(Method::HEAD, path)
            .header("range", "bytes=0-4");
        let answer = request.send().await;
        assert_eq!((answer.status(), answer.text().as_str()), (200, ""));
        assert_eq!(answer.header("content-length"), Some("1000"));
        assert_eq!(answer.header("accept-ranges"), Some("bytes"));
    }
}

#[tokio::test]
async fn what_offers_no_parts_has_none() {
    let answer = range("/films/whole", "bytes=0-4").await;
    assert_eq!(
        (answer.status(), answer.header("accept-ranges")),
        (200, None)
    );
    assert_eq!(range("/films/unsized", "bytes=0-1").await.text(), "1234");
    let empty = range("/films/empty", "bytes=0-4").await;
    assert_eq!((empty.status(), empty.text().as_str()), (200, ""));
    assert_eq!(range("/films/failing", "bytes=0-4").await.status(), 404);
}

#[tokio::test]
async fn an_entity_has_parts_once_it_is_written() {
    let answer = range("/films/entity", "bytes=1-8").await;
    assert_eq!((answer.status(), answer.text().as_str()), (206, "12345678"));
    assert_eq!(answer.header("content-range"), Some("bytes 1-8/10"));
}

#[tokio::test]
async fn content_that_is_shorter_than_it_says_breaks_off() {
    for asked in ["bytes=0-99", "bytes=0-99,900-"] {
        let answer = range("/films/short", asked).await;
        assert_eq!(answer.status(), 206);
        assert!(answer.failure().is_some(), "{asked}");
    }
}

#[tokio::test]
async fn parts_are_those_of_plain_content() {
    let api = RestApi::new(Films).filter(Compress::builder().smallest(10).build().unwrap());
    let client = Client::new(App::new().mount("/", api)).unwrap();
    let whole = get(&client, "/films/bytes", &[("accept-encoding", "gzip")]).await;
    assert_eq!(whole.header("content-encoding"), Some("gzip"));
    assert_eq!(whole.header("accept-ranges"), None);
    let tag = whole.header("etag").unwrap();
    // A client with compressed bytes cannot resume with plain ones.
    let headers = [
        ("accept-encoding", "gzip"),
        ("range", "bytes=0-4"),
        ("if-range", tag),
    ];
    assert_eq!(get(&client, "/films/bytes", &headers).await.status(), 200);
    let headers = [("accept-encoding", "gzip"), ("range", "bytes=0-4")];
    let part = get(&client, "/films/bytes", &headers).await;
    assert_eq!((part.status(), part.text().as_str()), (206, "0000 "));
    assert_eq!(part.header("content-encoding"), None);
}
