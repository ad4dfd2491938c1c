//! The lifetime of websockets.

use std::time::Duration;

use innkeeper_rest::{App, RestApi};
use tokio::time::timeout;

use super::wire::{CLOSE, Caller, serve, whole};
use super::{Rooms, app};
use crate::server::wire::{Running, soon};

#[tokio::test]
async fn a_handler_that_is_done_closes_with_1000() {
    let server = serve(app());
    let mut caller = Caller::open(&server, "/rooms/end?how=quietly").await;
    assert_eq!(caller.close().await, (1000, String::new()));
    caller.send(whole(CLOSE, [0x03, 0xe8])).await;
    assert_eq!(caller.wire.rest().await, "");
}

#[tokio::test]
async fn a_handler_says_why_it_closes() {
    let server = serve(app());
    let mut caller = Caller::open(&server, "/rooms/end?how=close").await;
    let expected = (4001, "the room is full".to_owned());
    assert_eq!(caller.close().await, expected);
    caller.send(whole(CLOSE, [0x0f, 0xa1])).await;
    assert_eq!(caller.wire.rest().await, "");
}

#[tokio::test]
async fn a_handler_that_panics_closes_with_1011() {
    let server = serve(app());
    let mut caller = Caller::open(&server, "/rooms/end?how=panic").await;
    assert_eq!(caller.close().await.0, 1011);
    // Other connections are not affected.
    assert_eq!(server.connect().await.get("/rooms/both").await.status, 200);
}

#[tokio::test]
async fn a_socket_in_another_task_stays_open_and_is_waited_for() {
    let server = serve(app());
    let mut caller = Caller::open(&server, "/rooms/end?how=task").await;
    caller.send(whole(1, "go")).await;
    assert_eq!(caller.text().await, "from a task");
    assert_eq!(caller.close().await.0, 1000);
}

#[tokio::test]
async fn a_handler_learns_why_the_websocket_was_closed() {
    for (bytes, code) in [
        (whole(CLOSE, [0x0f, 0xa2]), 4002),
        (whole(CLOSE, []), 1005),
        (whole(1, [0xff]), 1007),
        (vec![], 1006),
    ] {
        let rooms = Rooms::default();
        let server = serve(App::new().mount("/", RestApi::new(rooms.clone())));
        let mut caller = Caller::open(&server, "/rooms/log").await;
        caller.send(&bytes).await;
        if bytes.is_empty() {
            drop(caller);
        }
        soon(rooms.over.notified()).await;
        assert_eq!(rooms.log.lock().await.as_ref().unwrap().code(), code);
    }
}

#[tokio::test]
async fn a_server_that_stops_closes_with_1001_and_waits() {
    let rooms = Rooms::default();
    let server = serve(App::new().mount("/", RestApi::new(rooms.clone())));
    let mut logged = Caller::open(&server, "/rooms/log").await;
    let mut echoing = Caller::open(&server, "/rooms/1/echo").await;
    echoing.send(whole(1, "x")).await;
    assert_eq!(echoing.text().await, "x");
    server.stop.now();
    for caller in [&mut logged, &mut echoing] {
        assert_eq!(
            caller.close().await,
            (1001, "the server is shutting down".to_owned())
        );
    }
    // The handler has ended, but the server still waits for the client's close frame.
    soon(rooms.over.notified()).await;
    assert_eq!(rooms.log.lock().await.as_ref().unwrap().code(), 1001);
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
    assert!(!server.has_ended(), "it did not wait");
    for caller in [&mut logged, &mut echoing] {
        caller.send(whole(CLOSE, [0x03, 0xe9])).await;
        assert_eq!(caller.wire.rest().await, "");
    }
    server.ended().await;
}

#[tokio::test]
async fn a_client_that_does_not_answer_is_waited_for_no_longer_than_the_drain_timeout() {
    let server = Running::with(app(), |server| {
        server.drain_timeout(Duration::from_millis(50))
    });
    let mut caller = Caller::open(&server, "/rooms/1/echo").await;
    server.stop.now();
    assert_eq!(caller.close().await.0, 1001);
    server.ended().await;
    caller.wire.closed().await;
}

#[tokio::test]
async fn silence_is_no_reason_to_close_it() {
    // Other connections are closed after two seconds of silence.
    let server = Running::with(app(), |server| {
        server
            .idle_timeout(Duration::from_secs(2))
            .head_timeout(Duration::from_secs(2))
    });
    let mut caller = Caller::open(&server, "/rooms/1/echo").await;
    let mut idle = server.connect().await;
    idle.closed().await;
    let mut again = server.connect().await;
    again.closed().await;
    caller.send(whole(1, "x")).await;
    assert_eq!(caller.text().await, "x");
}

#[tokio::test]
async fn whoever_does_not_read_is_left() {
    let rooms = Rooms::default();
    let app = App::new().mount("/", RestApi::new(rooms.clone()));
    let server = Running::with(app, |server| server.idle_timeout(Duration::from_secs(2)));
    let mut caller = Caller::open(&server, "/rooms/1/echo").await;
    // The echoed messages fill all buffers, then the server cannot write.
    let message = whole(1, "x".repeat(400)).repeat(100);
    let sent = timeout(Duration::from_mins(1), async {
        while caller.wire.try_send(&message).await.is_ok() {}
    });
    sent.await.expect("it was not left");
}

#[tokio::test]
async fn whoever_sends_pings_and_reads_no_pongs_is_not_read_from_for_ever() {
    let server = Running::with(app(), |server| server.idle_timeout(Duration::from_secs(2)));
    let mut caller = Caller::open(&server, "/rooms/1/echo").await;
    let pings = whole(9, [b'x'; 125]).repeat(100);
    let sent = timeout(Duration::from_mins(1), async {
        while caller.wire.try_send(&pings).await.is_ok() {}
    });
    sent.await.expect("its pings were read for ever");
}
