//! Websockets of the in-process client, and pings in paused time.

use std::time::Duration;

use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, Close, Message, RestApi};
use tokio::time::Instant;

use super::{Rooms, app};

#[tokio::test]
async fn a_test_talks_to_a_handler_without_sockets() {
    let client = Client::new(app()).unwrap();
    let mut socket = client.get("/rooms/1/echo").websocket().await.unwrap();
    for message in [Message::from("hello"), Message::from(vec![1, 2])] {
        socket.send(message.clone()).await.unwrap();
        assert_eq!(socket.next().await, Some(message));
    }
    socket.close(Close::new(4000, "enough")).await;
    assert_eq!(socket.next().await, None);
    assert_eq!(socket.closed().unwrap().code(), 4000);
    let refused = socket.send("more").await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the websocket is closed (4000: enough)"
    );
}

#[tokio::test]
async fn a_test_sees_what_it_is_answered_instead() {
    let client = Client::new(app()).unwrap();
    let refused = client.get("/rooms/0/echo").websocket().await.unwrap_err();
    assert_eq!(refused.status(), 404);
    let forged = client.get("/rooms/1/echo").header("host", "here");
    let forged = forged.header("origin", "http://elsewhere").websocket();
    assert_eq!(forged.await.unwrap_err().status(), 403);
    let page = client.get("/rooms/both").send().await;
    assert_eq!((page.status(), page.text().as_str()), (200, "\"a page\""));
}

#[tokio::test]
async fn a_test_sees_why_the_handler_has_closed() {
    let client = Client::new(app()).unwrap();
    for (how, code) in [("quietly", 1000), ("close", 4001), ("panic", 1011)] {
        let target = format!("/rooms/end?how={how}");
        let mut socket = client.get(target).websocket().await.unwrap();
        assert_eq!(socket.next().await, None);
        assert_eq!(socket.closed().unwrap().code(), code, "{how}");
    }
    let offer = client.get("/rooms/protocols");
    let offer = offer.header("sec-websocket-protocol", "chat.v1");
    assert_eq!(offer.websocket().await.unwrap().protocol(), Some("chat.v1"));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_answers_pings_may_be_silent() {
    let client = Client::new(app()).unwrap();
    let mut socket = client.get("/rooms/1/echo").websocket().await.unwrap();
    // The client answers pings while it waits.
    let silent = tokio::time::timeout(Duration::from_hours(1), socket.next());
    assert!(silent.await.is_err());
    socket.send("still here").await.unwrap();
    assert_eq!(socket.next().await.unwrap().text(), Some("still here"));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_answers_no_ping_is_given_up() {
    let rooms = Rooms::default();
    let app = App::new().mount("/", RestApi::new(rooms.clone()));
    let client = Client::new(app).unwrap();
    let started = Instant::now();
    let _unread = client.get("/rooms/log").websocket().await.unwrap();
    rooms.over.notified().await;
    let close = rooms.log.lock().await.clone().unwrap();
    assert_eq!(
        (close.code(), close.reason()),
        (1006, "a ping was not answered")
    );
    assert_eq!(started.elapsed().as_secs(), 60);
}

#[tokio::test(start_paused = true)]
async fn a_ping_is_sent_after_silence_only() {
    let client = Client::new(app()).unwrap();
    let mut socket = client.get("/rooms/1/echo").websocket().await.unwrap();
    for _ in 0..100 {
        // The client sends often enough, though it never answers a ping.
        tokio::time::sleep(Duration::from_secs(20)).await;
        socket.send("x").await.unwrap();
    }
    assert_eq!(socket.next().await.unwrap().text(), Some("x"));
}
