//! The peer of the console benchmark: the least that sends the lines of machines to websockets, with axum and
//! tokio-tungstenite. It has a broadcast channel per machine, and no keys, no log and no limits.

use std::sync::Arc;

use anyhow::{Context, Result};
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::http::header::{CONNECTION, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, UPGRADE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures_util::{SinkExt, StreamExt};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::sync::broadcast;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};

/// How many lines a socket may be behind.
const CAPACITY: usize = 64;

type Rooms = Arc<[broadcast::Sender<Utf8Bytes>]>;

#[tokio::main]
async fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (address, machines) = arguments.next().zip(arguments.next()).context("usage")?;
    let machines: u32 = machines.parse().context("the number of machines")?;
    let rooms: Rooms = (0..machines)
        .map(|_| broadcast::Sender::new(CAPACITY))
        .collect();
    let listener = TcpListener::bind(address).await?;
    let routes = Router::new()
        .route("/{machine}", get(open))
        .with_state(Arc::clone(&rooms));
    tokio::spawn(bench_console_lines::write_lines(
        machines,
        move |machine, line| {
            if let Some(room) = rooms.get(machine) {
                // Without a reader nobody gets it.
                let _ = room.send(line.into());
            }
        },
    ));
    Ok(axum::serve(listener, routes).await?)
}

async fn open(
    State(rooms): State<Rooms>,
    Path(machine): Path<usize>,
    mut request: Request,
) -> Response {
    let Some(room) = rooms.get(machine) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let Some(key) = request.headers().get(SEC_WEBSOCKET_KEY) else {
        return StatusCode::UPGRADE_REQUIRED.into_response();
    };
    let Ok(accept) = HeaderValue::try_from(derive_accept_key(key.as_bytes())) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let (upgrading, lines) = (hyper::upgrade::on(&mut request), room.subscribe());
    tokio::spawn(async move {
        if let Ok(upgraded) = upgrading.await {
            serve(TokioIo::new(upgraded), lines).await;
        }
    });
    let headers = [
        (CONNECTION, HeaderValue::from_static("upgrade")),
        (UPGRADE, HeaderValue::from_static("websocket")),
        (SEC_WEBSOCKET_ACCEPT, accept),
    ];
    (StatusCode::SWITCHING_PROTOCOLS, headers).into_response()
}

/// Sends lines until the client is gone or too slow.
async fn serve(
    stream: TokioIo<hyper::upgrade::Upgraded>,
    mut lines: broadcast::Receiver<Utf8Bytes>,
) {
    // As small as ours.
    let config = WebSocketConfig::default()
        .read_buffer_size(1024)
        .write_buffer_size(0);
    let mut socket = WebSocketStream::from_raw_socket(stream, Role::Server, Some(config)).await;
    loop {
        let is_over = tokio::select! {
            line = lines.recv() => match line {
                Ok(line) => socket.send(Message::Text(line)).await.is_err(),
                Err(_) => true,
            },
            received = socket.next() => !matches!(received, Some(Ok(_))),
        };
        if is_over {
            return;
        }
    }
}
