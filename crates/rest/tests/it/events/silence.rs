//! Comments that keep a silent stream alive.

use std::pin::Pin;
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use http_body_util::BodyExt as _;
use innkeeper_rest::{App, Event, Events, ReplyBody, RestApi, resource};
use tokio::time::Instant;
use tower::ServiceExt as _;

/// Sends one event after ten seconds, then stays silent.
struct Quiet;

fn ten_seconds() -> impl futures_core::Stream<Item = Event> + Send {
    stream::once(async {
        tokio::time::sleep(Duration::from_secs(10)).await;
        Event::text("ten")
    })
    .chain(stream::pending())
}

#[resource("/quiet")]
impl Quiet {
    #[get]
    fn usual(&self) -> Events {
        Events::new(ten_seconds())
    }

    #[get("/short")]
    fn short(&self) -> Events {
        Events::new(ten_seconds()).keep_alive(Duration::from_secs(4))
    }

    #[get("/never")]
    fn never(&self) -> Events {
        Events::new(ten_seconds()).keep_alive(None)
    }

    #[get("/at-once")]
    fn at_once(&self) -> Events {
        Events::new(ten_seconds()).keep_alive(Duration::ZERO)
    }
}

async fn body(path: &str) -> ReplyBody {
    let app = App::new().mount("/", RestApi::new(Quiet)).build().unwrap();
    let request = http::Request::get(path).body(String::new()).unwrap();
    app.oneshot(request).await.unwrap().into_body()
}

/// Returns the chunks that arrive within a minute, each with its second.
async fn minute(path: &str) -> Vec<(u64, String)> {
    let mut body = body(path).await;
    let start = Instant::now();
    let mut seen = Vec::new();
    while let Ok(frame) =
        tokio::time::timeout_at(start + Duration::from_secs(59), Pin::new(&mut body).frame()).await
    {
        let bytes = frame.unwrap().unwrap().into_data().unwrap();
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        seen.push((start.elapsed().as_secs(), text));
    }
    seen
}

fn at(second: u64, text: &str) -> (u64, String) {
    (second, text.to_owned())
}

#[tokio::test(start_paused = true)]
async fn a_comment_is_sent_after_fifteen_silent_seconds() {
    let seen = minute("/quiet").await;
    let expected = [
        at(10, "data: ten\n\n"),
        at(25, ":\n\n"),
        at(40, ":\n\n"),
        at(55, ":\n\n"),
    ];
    assert_eq!(seen, expected);
}

#[tokio::test(start_paused = true)]
async fn the_silence_can_be_shorter() {
    let seen = minute("/quiet/short").await;
    let expected = [
        at(4, ":\n\n"),
        at(8, ":\n\n"),
        at(10, "data: ten\n\n"),
        at(14, ":\n\n"),
    ];
    assert_eq!(seen[..4], expected);
}

#[tokio::test(start_paused = true)]
async fn comments_can_be_switched_off() {
    assert_eq!(minute("/quiet/never").await, [at(10, "data: ten\n\n")]);
}

#[tokio::test(start_paused = true)]
async fn no_silence_at_all_is_a_moment_of_it() {
    let mut body = body("/quiet/at-once").await;
    let start = Instant::now();
    Pin::new(&mut body).frame().await;
    assert!(start.elapsed() > Duration::ZERO);
}
