//! The baseline: hyper without a framework, routed by hand.
//!
//! It has the protections of the framework it is compared with, as a careful author would write
//! them: a deadline for the head, a limit and a deadline for the body, a cap on connections.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;

use anyhow::{Context, Result};
use bench_common::{Account, BODY_LIMIT, HEAD_TIMEOUT, Profile, Settings};
use bytes::{Bytes, BytesMut};
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Incoming};
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, VARY, X_CONTENT_TYPE_OPTIONS};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde::Serialize;
use tokio::net::{TcpListener, TcpSocket};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Semaphore;

const CONNECTION_LIMIT: usize = 10_000;

type Answer = Response<Full<Bytes>>;

fn main() -> Result<()> {
    let settings = Settings::read()?;
    let others: Vec<_> = (1..settings.threads)
        .map(|_| std::thread::spawn(move || run(settings.address)))
        .collect();
    run(settings.address)?;
    for other in others {
        other
            .join()
            .map_err(|_| anyhow::anyhow!("a worker panicked"))??;
    }
    Ok(())
}

fn run(address: SocketAddr) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(serve(address))
}

/// Creates a listener for one worker; the kernel distributes connections among them.
fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.set_reuseport(true)?;
    socket.bind(address)?;
    socket.listen(1024)
}

async fn serve(address: SocketAddr) -> Result<()> {
    let listener = listen(address).context("listening")?;
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .pipeline_flush(true);
    let places = Arc::new(Semaphore::new(CONNECTION_LIMIT));
    let mut terminate = signal(SignalKind::terminate())?;
    let mut terminated = pin!(terminate.recv());
    loop {
        let place = Arc::clone(&places).acquire_owned().await?;
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = &mut terminated => return Ok(()),
        };
        // A client that disconnects is not an error of the server, here and below.
        let Ok((stream, _)) = accepted else { continue };
        drop(stream.set_nodelay(true));
        let connection = http.serve_connection(TokioIo::new(stream), service_fn(answer));
        tokio::spawn(async move {
            drop(connection.await);
            drop(place);
        });
    }
}

async fn answer(request: Request<Incoming>) -> Result<Answer, Infallible> {
    let path = request.uri().path();
    Ok(match (request.method(), path) {
        (&Method::GET, "/plaintext") => plaintext(),
        (&Method::GET, "/search") => search(request.uri().query()),
        (&Method::POST, "/users") => echo(request.into_body()).await,
        (&Method::GET, _) => match path.strip_prefix("/users/") {
            Some(id) => user(id),
            None => failure(StatusCode::NOT_FOUND),
        },
        _ => failure(StatusCode::NOT_FOUND),
    })
}

fn plaintext() -> Answer {
    let body = Bytes::from_static(b"Hello, World!");
    let mut answer = entity(HeaderValue::from_static("text/plain; charset=utf-8"), body);
    answer
        .headers_mut()
        .insert(VARY, HeaderValue::from_static("accept"));
    answer
}

fn user(id: &str) -> Answer {
    match id.parse() {
        Ok(id) => json(&Profile::of(id)),
        Err(_) => failure(StatusCode::BAD_REQUEST),
    }
}

fn search(query: Option<&str>) -> Answer {
    let pairs = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    match bench_common::search(pairs) {
        Some(found) => json(&found),
        None => failure(StatusCode::BAD_REQUEST),
    }
}

async fn echo(body: Incoming) -> Answer {
    let body = match tokio::time::timeout(HEAD_TIMEOUT, read(body)).await {
        Ok(Ok(body)) => body,
        Ok(Err(status)) => return failure(status),
        Err(_) => return failure(StatusCode::REQUEST_TIMEOUT),
    };
    match serde_json::from_slice::<Account>(&body) {
        Ok(account) => json(&account),
        Err(_) => failure(StatusCode::BAD_REQUEST),
    }
}

/// Reads the whole body. A body that arrives in one piece is not copied.
async fn read(mut body: Incoming) -> Result<Bytes, StatusCode> {
    let announced = body.size_hint().lower();
    if announced > BODY_LIMIT as u64 {
        return Err(StatusCode::PAYLOAD_TOO_LARGE);
    }
    let first = next(&mut body).await?.unwrap_or_default();
    if first.len() as u64 == announced && body.is_end_stream() {
        return Ok(first);
    }
    let mut whole = BytesMut::from(first);
    while let Some(data) = next(&mut body).await? {
        if whole.len() + data.len() > BODY_LIMIT {
            return Err(StatusCode::PAYLOAD_TOO_LARGE);
        }
        whole.extend_from_slice(&data);
    }
    Ok(whole.freeze())
}

async fn next(body: &mut Incoming) -> Result<Option<Bytes>, StatusCode> {
    while let Some(frame) = body.frame().await {
        match frame {
            Ok(frame) => {
                if let Ok(data) = frame.into_data() {
                    return Ok(Some(data));
                }
            }
            Err(_) => return Err(StatusCode::BAD_REQUEST),
        }
    }
    Ok(None)
}

fn json<T: Serialize>(value: &T) -> Answer {
    match serde_json::to_vec(value) {
        Ok(body) => entity(HeaderValue::from_static("application/json"), body.into()),
        Err(_) => failure(StatusCode::INTERNAL_SERVER_ERROR),
    }
}

fn entity(content_type: HeaderValue, body: Bytes) -> Answer {
    let mut answer = Response::new(Full::new(body));
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, content_type);
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    answer
}

fn failure(status: StatusCode) -> Answer {
    let mut answer = Response::new(Full::default());
    *answer.status_mut() = status;
    answer
}
