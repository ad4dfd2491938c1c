//! HTTP/2 clients that do not take the responses they asked for.

use std::time::Duration;

use futures_util::{StreamExt, stream};
use innkeeper_rest::{App, Response, RestApi, Stop, resource};

use super::wire::{Running, Wire, eventually};

const SHORT: Duration = Duration::from_millis(100);

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

    /// Pauses for longer than the idle timeout.
    #[get("/rare")]
    fn rare(&self) -> Response {
        let ticks = stream::iter(["first ", "second"]).then(async |tick| {
            tokio::time::sleep(SHORT * 3).await;
            Ok::<_, std::io::Error>(tick)
        });
        Response::ok().stream(Box::pin(ticks))
    }
}

fn serve(bodies: &Bodies) -> Running {
    serve_with(bodies, SHORT)
}

fn serve_with(bodies: &Bodies, idle_timeout: Duration) -> Running {
    let app = App::new().mount("/", RestApi::new(bodies.clone()));
    Running::with(app, |server| server.idle_timeout(idle_timeout))
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
        tokio::time::sleep(SHORT / 10).await;
    }
}

/// Sends PINGs until the server closes the connection.
async fn ping_to_the_end(mut wire: Wire) {
    let mut is_open = true;
    for _ in 0..1000 {
        let sent = wire.try_send(frame(PING, 0, 0, b"stay up!")).await;
        let read = tokio::time::timeout(SHORT / 10, wire.try_read()).await;
        if sent.is_err() || matches!(read, Ok(Ok(0) | Err(_))) {
            is_open = false;
            break;
        }
        tokio::time::sleep(SHORT / 10).await;
    }
    assert!(!is_open, "the connection stays open");
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
        eventually(|| bodies.dropped.is_requested()).await;
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
    let bodies = Bodies::default();
    let server = serve_with(&bodies, SHORT * 20);
    let mut wire = connect(&server, 1).await;
    wire.send(request(1, "/bodies/endless")).await;
    until(&mut wire, HEADERS, 1).await;
    // Altogether longer than the timeout, and each time far shorter.
    for _ in 0..6 {
        tokio::time::sleep(SHORT * 4).await;
        // The window opens by more than a part, so that the next one is asked for.
        wire.send(frame(WINDOW_UPDATE, 0, 1, &[0, 0, 0x20, 0]))
            .await;
        until(&mut wire, DATA, 1).await;
    }
    assert!(!bodies.dropped.is_requested());
}

#[tokio::test]
async fn a_stream_that_waits_for_the_server_goes_on() {
    let server = serve(&Bodies::default());
    let mut wire = connect(&server, 100).await;
    wire.send(request(1, "/bodies/rare")).await;
    assert_eq!(until(&mut wire, DATA, 1).await, b"first ");
    assert_eq!(until(&mut wire, DATA, 1).await, b"second");
}
