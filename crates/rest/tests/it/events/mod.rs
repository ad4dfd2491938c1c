//! Server-sent events: their content, their timing and the end of the stream.

mod silence;
mod wire;

use futures_util::stream;
use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, BoxError, Event, Events, LastEventId, RestApi, resource};
use serde::Serialize;

#[derive(Serialize)]
struct Reading {
    degrees: i8,
}

struct Weather;

#[resource("/weather")]
impl Weather {
    #[get]
    fn today(&self) -> Events {
        let items = [
            Event::text("sun\nrain").id("1").name("forecast"),
            Event::json(&Reading { degrees: -3 }).unwrap(),
            Event::comment("that is all").retry(std::time::Duration::from_millis(1500)),
        ];
        Events::new(stream::iter(items))
    }

    #[get("/words")]
    fn words(&self) -> Result<Events, std::convert::Infallible> {
        Ok(Events::new(stream::iter(["sun", "rain"])))
    }

    #[get("/since")]
    fn since(&self, #[header("Last-Event-ID")] last: LastEventId<u64>) -> Events {
        Events::new(stream::iter([format!("{:?}", last.into_inner())]))
    }

    #[get("/since/strict")]
    fn since_strict(&self, #[header("Last-Event-ID")] last: Option<u64>) -> Events {
        Events::new(stream::iter([format!("{last:?}")]))
    }

    #[get("/torn")]
    fn torn(&self) -> Events {
        let items = [
            Ok("sun"),
            Err(BoxError::from("the station is gone")),
            Ok("x"),
        ];
        Events::new(stream::iter(items))
    }
}

fn client() -> Client {
    Client::new(App::new().mount("/", RestApi::new(Weather))).unwrap()
}

#[tokio::test]
async fn events_are_written_as_browsers_read_them() {
    let answer = client().get("/weather").send().await;
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.header("content-type"), Some("text/event-stream"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(answer.header("x-accel-buffering"), Some("no"));
    assert_eq!(answer.header("content-length"), None);
    assert_eq!(
        answer.text(),
        "data: sun\ndata: rain\nid: 1\nevent: forecast\n\n\
         data: {\"degrees\":-3}\n\n\
         : that is all\nretry: 1500\n\n"
    );
    let answer = client().get("/weather/words").send().await;
    assert_eq!(answer.text(), "data: sun\n\ndata: rain\n\n");
}

#[tokio::test]
async fn they_are_sent_to_those_who_accept_them() {
    let client = client();
    for (accept, status) in [
        ("text/event-stream", 200),
        ("text/*;q=0.5, application/json", 200),
        ("*/*", 200),
        ("application/json", 406),
        ("text/event-stream;q=0", 406),
    ] {
        for path in ["/weather", "/weather/words"] {
            let answer = client.get(path).header("accept", accept);
            assert_eq!(answer.send().await.status(), status, "{accept}");
        }
    }
}

#[tokio::test]
async fn an_unreadable_last_id_counts_as_none() {
    let client = client();
    for (id, seen) in [
        (Some("41"), "Some(41)"),
        (Some(""), "None"),
        (Some("fortyone"), "None"),
        (Some("-1"), "None"),
        (None, "None"),
    ] {
        let mut request = client.get("/weather/since");
        if let Some(id) = id {
            request = request.header("last-event-id", id);
        }
        let answer = request.send().await;
        assert_eq!(answer.text(), format!("data: {seen}\n\n"), "{id:?}");
    }
    let twice = client.get("/weather/since").header("last-event-id", "1");
    let twice = twice.header("last-event-id", "2").send().await;
    assert_eq!(twice.text(), "data: None\n\n");
}

#[tokio::test]
async fn a_last_id_of_an_ordinary_type_is_checked_as_any_header() {
    let client = client();
    let target = "/weather/since/strict";
    let answer = client.get(target).header("last-event-id", "41");
    assert_eq!(answer.send().await.text(), "data: Some(41)\n\n");
    let answer = client.get(target).header("last-event-id", "fortyone");
    assert_eq!(answer.send().await.status(), 400);
}

#[tokio::test]
async fn an_error_breaks_the_stream_off() {
    let answer = client().get("/weather/torn").send().await;
    assert_eq!(answer.text(), "data: sun\n\n");
    assert_eq!(answer.failure().unwrap().to_string(), "the station is gone");
}
