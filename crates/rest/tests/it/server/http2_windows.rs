//! HTTP/2 clients that do not take the responses they asked for.

use std::time::Duration;

use futures_util::{StreamExt, stream};
use innkeeper_rest::{App, Response, RestApi, Stop, resource};

use super::wire::{Running, Wire};
use crate::eventually::eventually;

/// The idle timeout: long enough for a request on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(2);

/// The pause between two frames of a client that sends many.
const PAUSE: Duration = Duration::from_millis(10);

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const WINDOW_UPDATE: u8 = 8;

#[derive(Clone, Default)]
struct Bodies {
    /// Signals that an endless body was dropped.
    dropped: Stop,
    /// A body that pauses goes on with this signal.
    go_on: Stop,
}

struct OnDrop(Stop);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.now();
    }
}

#[resource("/bodies")]
impl Bodies {
    #[get("/endless")]
    fn endless(&self) -> Response {
        let guard = OnDrop(self.dropped.clone());
        Response::ok().stream(stream::repeat_with(move || {
            let _kept = &guard;
            Ok::<_, std::io::Error>(vec![b'x'; 4096])
        }))
    }

    #[get("/whole")]
    fn whole(&self) -> Vec<u8> {
        vec![b'x'; 1 << 20]
    }

    /// Pauses in the middle.
    #[get("/rare")]
    fn rare(&self) -> Response {
        let go_on = self.go_on.clone();
        let first = stream::once(async { Ok::<_, std::io::Error>("first ") });
        let second = stream::once(async move {
            go_on.requested().await;
            Ok("second")
        });
        Response::ok().stream(Box::pin(first.chain(second)))
    }
}

fn serve(bodies: &Bodies) -> Running {
    let app = App::new().mount("/", RestApi::new(bodies.clone()));
    Running::with(app, |server| server.idle_timeout(TIMEOUT))
}

fn frame(kind: u8, flags: u8, stream: u8, payload: &[u8]) -> Vec<u8> {
    let length = u8::try_from(payload.len()).unwrap();
    let mut frame = vec![0, 0, length, kind, flags, 0, 0, 0, stream];
    frame.extend_from_slice(payload);
    frame
}

/// Returns a frame with a complete GET request.
fn request(stream: u8, path: &str) -> Vec<u8> {
    // Indexed: `:method: GET`, `:scheme: http`; literal: `:path`, `:authority`.
    let mut block = vec![0x82, 0x86, 0x04, u8::try_from(path.len()).unwrap()];
    block.extend_from_slice(path.as_bytes());
    block.extend_from_slice(b"\x01\x04test");
    frame(HEADERS, 0x5, stream, &block)
}

/// Opens a connection whose streams have a window of this size.
async fn connect(server: &Running, window: u8) -> Wire {
    let mut wire = server.connect().await;
    wire.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await;
    wire.send(frame(SETTINGS, 0, 0, &[0, 4, 0, 0, 0, window]))
        .await;
    wire
}

/// Reads the next frame: its type, its stream and its payload.
async fn next_frame(wire: &mut Wire) -> (u8, u8, Vec<u8>) {
    let header = wire.take(9).await;
    let length = usize::from(header[1]) << 8 | usize::from(header[2]);
    (header[3], header[8], wire.take(length).await)
}

/// Reads frames until one has this type, and sends a PING after each.
async fn until(wire: &mut Wire, kind: u8, stream: u8) -> Vec<u8> {
    loop {
        let (found, of, payload) = next_frame(wire).await;
        if (found, of) == (kind, stream) {
            return payload;
        }
        wire.send(frame(PING, 0, 0, b"stay up!")).await;
        tokio::time::sleep(PAUSE).await;
    }
}

/// Sends PINGs until the server closes the connection.
async fn ping_to_the_end(mut wire: Wire) {
    eventually("the connection is closed", async || {
        let sent = wire.try_send(frame(PING, 0, 0, b"stay up!")).await;
        let read = tokio::time::timeout(PAUSE, wire.try_read()).await;
        sent.is_err() || matches!(read, Ok(Ok(0) | Err(_)))
    })
    .await;
}

#[tokio::test]
async fn a_stream_whose_client_takes_nothing_is_reset() {
    for window in [0, 1] {
        let bodies = Bodies::default();
        let server = serve(&bodies);
        let mut wire = connect(&server, window).await;
        wire.send(request(1, "/bodies/endless")).await;
        until(&mut wire, HEADERS, 1).await;
        let reason = until(&mut wire, RST_STREAM, 1).await;
        assert_eq!(reason, [0, 0, 0, 8], "cancelled, with a window of {window}");
        eventually("the body is dropped", async || {
            bodies.dropped.is_requested()
        })
        .await;
    }
}

#[tokio::test]
async fn a_body_in_memory_does_not_wait_for_ever_either() {
    let server = serve(&Bodies::default());
    let mut wire = connect(&server, 1).await;
    wire.send(request(1, "/bodies/whole")).await;
    until(&mut wire, DATA, 1).await;
    ping_to_the_end(wire).await;
}

#[tokio::test]
async fn pings_do_not_keep_a_connection_open() {
    let server = serve(&Bodies::default());
    ping_to_the_end(connect(&server, 0).await).await;
    let mut wire = connect(&server, 0).await;
    wire.send(request(1, "/bodies/endless")).await;
    ping_to_the_end(wire).await;
}

#[tokio::test]
async fn a_stream_that_is_read_slowly_goes_on() {
    let (bodies, of_others) = (Bodies::default(), Bodies::default());
    let server = serve(&bodies);
    let mut wire = connect(&server, 1).await;
    wire.send(request(1, "/bodies/endless")).await;
    until(&mut wire, HEADERS, 1).await;
    // Altogether longer than the timeout, which ends a stream that is not read, and each time far shorter.
    let unread = tokio::spawn(async move {
        let server = serve(&of_others);
        let mut wire = connect(&server, 1).await;
        wire.send(request(1, "/bodies/endless")).await;
        until(&mut wire, RST_STREAM, 1).await;
    });
    while !unread.is_finished() {
        tokio::time::sleep(PAUSE * 10).await;
        // The window opens by more than a part, so that the next one is asked for.
        wire.send(frame(WINDOW_UPDATE, 0, 1, &[0, 0, 0x20, 0]))
            .await;
        until(&mut wire, DATA, 1).await;
    }
    unread.await.unwrap();
    assert!(!bodies.dropped.is_requested());
}

#[tokio::test]
async fn a_stream_that_waits_for_the_server_goes_on() {
    let bodies = Bodies::default();
    let server = serve(&bodies);
    let mut wire = connect(&server, 100).await;
    wire.send(request(1, "/bodies/rare")).await;
    assert_eq!(until(&mut wire, DATA, 1).await, b"first ");
    // This one waits for nothing.
    ping_to_the_end(connect(&server, 100).await).await;
    bodies.go_on.now();
    assert_eq!(until(&mut wire, DATA, 1).await, b"second");
}
