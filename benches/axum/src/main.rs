//! axum as its documentation shows it, on the connection builder that its own `serve` uses.
//!
//! `axum::serve` cannot set a timer or a deadline for the head, so its loop is written out
//! here with both; nothing else differs. The body limit is axum's default, 2 MiB.
//! The handlers add the two common headers, which is cheaper than a layer.

use std::pin::pin;

use anyhow::Result;
use axum::Router;
use axum::extract::{Json, Path, Query};
use axum::http::HeaderName;
use axum::http::header::{CACHE_CONTROL, VARY, X_CONTENT_TYPE_OPTIONS};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use bench_common::{Account, HEAD_TIMEOUT, Profile, Search, Settings};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{SignalKind, signal};

const COMMON: [(HeaderName, &str); 2] = [
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (CACHE_CONTROL, "no-cache"),
];

fn main() -> Result<()> {
    let settings = Settings::read()?;
    runtime(settings.threads)?.block_on(serve(settings))
}

fn runtime(threads: usize) -> std::io::Result<Runtime> {
    if threads == 1 {
        return Builder::new_current_thread().enable_all().build();
    }
    Builder::new_multi_thread()
        .worker_threads(threads)
        .enable_all()
        .build()
}

async fn serve(settings: Settings) -> Result<()> {
    let router = Router::new()
        .route("/plaintext", get(plaintext))
        .route("/users", post(echo))
        .route("/users/{id}", get(user))
        .route("/search", get(search));
    let mut terminate = signal(SignalKind::terminate())?;
    let mut terminated = pin!(terminate.recv());
    let listener = TcpListener::bind(settings.address).await?;
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = &mut terminated => return Ok(()),
        };
        // A client that disconnects is not an error of the server, here and below.
        let Ok((stream, _)) = accepted else { continue };
        drop(stream.set_nodelay(true));
        let service = TowerToHyperService::new(router.clone());
        tokio::spawn(async move {
            let mut builder = auto::Builder::new(TokioExecutor::new());
            builder
                .http1()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_TIMEOUT);
            builder.http2().enable_connect_protocol();
            drop(
                builder
                    .serve_connection_with_upgrades(TokioIo::new(stream), service)
                    .await,
            );
        });
    }
}

async fn plaintext() -> impl IntoResponse {
    (COMMON, [(VARY, "accept")], "Hello, World!")
}

async fn user(Path(id): Path<u64>) -> impl IntoResponse {
    (COMMON, Json(Profile::of(id)))
}

async fn echo(Json(account): Json<Account>) -> impl IntoResponse {
    (COMMON, Json(account))
}

async fn search(Query(search): Query<Search>) -> impl IntoResponse {
    (COMMON, Json(search))
}
