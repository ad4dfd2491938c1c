//! Conditions of GET and HEAD against the tag and date of a response.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, ETag, Method, Request, Response, RestApi, resource};
use serde_json::Value;

use super::get;

/// Sun, 06 Nov 1994 08:49:37.5 GMT
fn modified() -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(784_111_777_500)
}

const DATE: &str = "Sun, 06 Nov 1994 08:49:37 GMT";
const EARLIER: &str = "Sun, 06 Nov 1994 08:49:36 GMT";
const LATER: &str = "Sun, 06 Nov 1994 08:49:38 GMT";

/// An entity that cannot be written: an attempt results in 500.
struct Unwritable;

impl serde::Serialize for Unwritable {
    fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("never written"))
    }
}

struct Notes;

#[resource("/notes")]
impl Notes {
    #[get]
    fn both(&self) -> Response {
        let response = Response::ok()
            .etag(ETag::strong("v7"))
            .last_modified(modified());
        let response = response.cache_control("max-age=60").header("x-own", "kept");
        response
            .content_type("text/plain")
            .header("content-language", "en")
            .body("note")
    }

    #[get("/dated")]
    fn dated(&self) -> Response {
        Response::ok().last_modified(modified()).entity("note")
    }

    #[get("/weak")]
    fn weak(&self) -> Response {
        Response::ok().etag(ETag::weak("v7")).entity("note")
    }

    #[get("/plain-header")]
    fn plain_header(&self) -> Response {
        Response::ok().header("ETag", "\"v7\"").entity("note")
    }

    #[get("/unwritable")]
    fn unwritable(&self) -> Response {
        Response::ok().etag(ETag::strong("v7")).entity(Unwritable)
    }

    #[get("/failing")]
    fn failing(&self) -> Response {
        Response::error(404).etag(ETag::strong("v7"))
    }

    #[get("/moved")]
    fn moved(&self) -> Response {
        Response::see("/notes").etag(ETag::strong("v7"))
    }

    #[post]
    fn post(&self) -> Response {
        Response::created_at("/notes/{id}", 8).etag(ETag::strong("v8"))
    }

    #[get("/early")]
    fn early(&self, #[request] request: &Request) -> Response {
        let version = ETag::strong("v7");
        if let Some(answer) = request.preconditions().answer(&version) {
            return answer.cache_control("max-age=60");
        }
        Response::ok().etag(version).body("worked for")
    }
}

fn client() -> Client {
    Client::new(App::new().mount("/", RestApi::new(Notes))).unwrap()
}

async fn status(path: &str, headers: &[(&str, &str)]) -> u16 {
    get(&client(), path, headers).await.status()
}

#[tokio::test]
async fn who_has_the_version_is_sent_304_with_what_caches_need() {
    let answer = get(&client(), "/notes", &[("if-none-match", "\"v7\"")]).await;
    assert_eq!((answer.status(), answer.text().as_str()), (304, ""));
    for (name, value) in [
        ("etag", Some("\"v7\"")),
        ("last-modified", Some(DATE)),
        ("cache-control", Some("max-age=60")),
        ("x-own", Some("kept")),
        ("content-type", None),
        ("content-length", None),
        ("content-language", None),
    ] {
        assert_eq!(answer.header(name), value, "{name}");
    }
}

#[tokio::test]
async fn a_304_depends_on_accept_as_the_answer_would() {
    struct Csv;
    impl innkeeper_rest::Format for Csv {
        fn media_type(&self) -> &'static str {
            "text/csv"
        }
        fn write(
            &self,
            _: &dyn innkeeper_rest::ErasedEntity,
            out: &mut Vec<u8>,
        ) -> Result<(), innkeeper_rest::Invalid> {
            out.extend_from_slice(b"csv");
            Ok(())
        }
    }
    let api = RestApi::new(Notes).register(Csv);
    let client = Client::new(App::new().mount("/", api)).unwrap();
    let whole = get(&client, "/notes/weak", &[]).await;
    let known = get(&client, "/notes/weak", &[("if-none-match", "\"v7\"")]).await;
    assert_eq!((whole.status(), known.status()), (200, 304));
    assert_eq!(whole.header("vary"), Some("accept"));
    assert_eq!(known.header("vary"), Some("accept"));
}

#[tokio::test]
async fn if_none_match_compares_weakly_and_any_of_a_list() {
    for (condition, expected) in [
        ("\"v7\"", 304),
        ("W/\"v7\"", 304),
        ("\"a,b\", \"v7\"", 304),
        ("*", 304),
        ("\"v6\"", 200),
        ("v7", 200),
        ("\"v7", 200),
        ("\"\"", 200),
        ("", 200),
    ] {
        assert_eq!(
            status("/notes", &[("if-none-match", condition)]).await,
            expected,
            "{condition}"
        );
        assert_eq!(
            status("/notes/weak", &[("if-none-match", condition)]).await,
            expected,
            "weak {condition}"
        );
    }
    let twice = [("if-none-match", "\"v1\""), ("if-none-match", "\"v7\"")];
    assert_eq!(status("/notes", &twice).await, 304);
}

#[tokio::test]
async fn if_match_compares_strongly() {
    for (condition, expected) in [
        ("\"v7\"", 200),
        ("\"v6\", \"v7\"", 200),
        ("*", 200),
        ("W/\"v7\"", 412),
        ("\"v6\"", 412),
        ("v7", 412),
    ] {
        assert_eq!(
            status("/notes", &[("if-match", condition)]).await,
            expected,
            "{condition}"
        );
    }
    assert_eq!(
        status("/notes/weak", &[("if-match", "W/\"v7\"")]).await,
        412
    );
}

#[tokio::test]
async fn a_failed_condition_is_a_problem_without_the_content() {
    let answer = get(&client(), "/notes", &[("if-match", "\"v6\"")]).await;
    assert_eq!(answer.status(), 412);
    assert_eq!(
        answer.header("content-type"),
        Some("application/problem+json")
    );
    assert_eq!(answer.header("etag"), None);
    assert_eq!(
        answer.json::<Value>().unwrap()["code"],
        "precondition_failed"
    );
}

#[tokio::test]
async fn dates_count_to_the_second() {
    for (name, date, expected) in [
        ("if-modified-since", DATE, 304),
        ("if-modified-since", LATER, 304),
        ("if-modified-since", "Sunday, 06-Nov-94 08:49:37 GMT", 304),
        ("if-modified-since", EARLIER, 200),
        ("if-unmodified-since", DATE, 200),
        ("if-unmodified-since", LATER, 200),
        ("if-unmodified-since", EARLIER, 412),
    ] {
        assert_eq!(
            status("/notes/dated", &[(name, date)]).await,
            expected,
            "{name} {date}"
        );
        // This response has no date to compare.
        assert_eq!(
            status("/notes/weak", &[(name, date)]).await,
            200,
            "{name} {date}"
        );
    }
}

#[tokio::test]
async fn dates_that_are_none_are_no_conditions() {
    for date in [
        "",
        "yesterday",
        "Mon, 06 Nov 1994 08:49:37 GMT",
        "0",
        "Sun, 06 Nov 1994",
    ] {
        for name in ["if-modified-since", "if-unmodified-since"] {
            assert_eq!(
                status("/notes/dated", &[(name, date)]).await,
                200,
                "{name} {date}"
            );
        }
    }
    let twice = [("if-modified-since", DATE), ("if-modified-since", DATE)];
    assert_eq!(status("/notes/dated", &twice).await, 200);
}

#[tokio::test]
async fn tags_count_more_than_dates() {
    for (headers, expected) in [
        (
            [("if-none-match", "\"v6\""), ("if-modified-since", LATER)],
            200,
        ),
        (
            [("if-none-match", "\"v7\""), ("if-modified-since", EARLIER)],
            304,
        ),
        (
            [("if-match", "\"v7\""), ("if-unmodified-since", EARLIER)],
            200,
        ),
        (
            [("if-match", "\"v6\""), ("if-unmodified-since", LATER)],
            412,
        ),
        ([("if-match", "\"v6\""), ("if-none-match", "\"v7\"")], 412),
        ([("if-match", "\"v7\""), ("if-none-match", "\"v7\"")], 304),
        (
            [("if-unmodified-since", LATER), ("if-none-match", "\"v7\"")],
            304,
        ),
    ] {
        assert_eq!(status("/notes", &headers).await, expected, "{headers:?}");
    }
}

#[tokio::test]
async fn head_is_answered_like_get() {
    let client = client();
    for (condition, expected) in [("\"v7\"", 304), ("\"v6\"", 200)] {
        let request = client
            .request(Method::HEAD, "/notes")
            .header("if-none-match", condition);
        let answer = request.send().await;
        assert_eq!((answer.status(), answer.text().as_str()), (expected, ""));
        assert_eq!(answer.header("etag"), Some("\"v7\""));
    }
}

#[tokio::test]
async fn a_tag_set_as_a_plain_header_counts_too() {
    assert_eq!(
        status("/notes/plain-header", &[("if-none-match", "\"v7\"")]).await,
        304
    );
}

#[tokio::test]
async fn what_the_client_has_is_not_written_again() {
    assert_eq!(
        status("/notes/unwritable", &[("if-none-match", "\"v7\"")]).await,
        304
    );
    assert_eq!(status("/notes/unwritable", &[]).await, 500);
}

#[tokio::test]
async fn only_successful_answers_are_compared() {
    for condition in [("if-none-match", "*"), ("if-match", "\"v1\"")] {
        assert_eq!(status("/notes/failing", &[condition]).await, 404);
        assert_eq!(status("/notes/moved", &[condition]).await, 302);
    }
}

#[tokio::test]
async fn the_tag_of_what_was_just_made_is_not_compared() {
    let client = client();
    let request = client.post("/notes").header("if-match", "\"v7\"");
    let answer = request.header("if-none-match", "\"v8\"").send().await;
    assert_eq!(
        (answer.status(), answer.header("etag")),
        (201, Some("\"v8\""))
    );
}

#[tokio::test]
async fn a_handler_can_answer_before_it_works() {
    let known = get(&client(), "/notes/early", &[("if-none-match", "\"v7\"")]).await;
    assert_eq!(
        (known.status(), known.header("etag")),
        (304, Some("\"v7\""))
    );
    assert_eq!(known.header("cache-control"), Some("max-age=60"));
    let failed = get(&client(), "/notes/early", &[("if-match", "\"v6\"")]).await;
    assert_eq!(failed.status(), 412);
    let new = get(&client(), "/notes/early", &[("if-none-match", "\"v6\"")]).await;
    assert_eq!((new.status(), new.text().as_str()), (200, "worked for"));
}
