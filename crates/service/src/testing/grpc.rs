//! A gRPC server for tests, which keeps the calls that it gets.

use std::collections::VecDeque;
use std::future::ready;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Incoming};
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A call without streams.
#[derive(Debug, Clone)]
pub struct GrpcCall {
    /// The path: `/package.Service/Method`.
    pub path: String,
    /// The headers.
    pub headers: HeaderMap,
    /// Whether the message is compressed.
    pub is_compressed: bool,
    /// The message, without its prefix.
    pub message: Bytes,
}

impl GrpcCall {
    /// Returns a header as text; empty if there is none.
    pub fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.and_then(|it| it.to_str().ok()).unwrap_or_default()
    }

    /// Whether these bytes are somewhere in the message.
    pub fn contains(&self, bytes: &str) -> bool {
        let mut parts = self.message.windows(bytes.len().max(1));
        parts.any(|part| part == bytes.as_bytes())
    }
}

/// A server that speaks HTTP/2 only, and answers every call with an empty message. It ends when it is dropped.
#[derive(Debug)]
pub struct GrpcReceiver {
    address: SocketAddr,
    received: Arc<Received>,
    task: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct Received {
    calls: Mutex<Vec<GrpcCall>>,
    refusals: Mutex<VecDeque<u16>>,
}

impl GrpcReceiver {
    /// Listens on a free port.
    pub async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let received = Arc::<Received>::default();
        let task = tokio::spawn(serve(listener, Arc::clone(&received)));
        Ok(Self {
            address,
            received,
            task,
        })
    }

    /// The URL of the server.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Answers the next call with this status.
    pub fn refuse_next(&self, status: u16) {
        lock(&self.received.refusals).push_back(status);
    }

    /// Returns the calls so far.
    pub fn calls(&self) -> Vec<GrpcCall> {
        lock(&self.received.calls).clone()
    }
}

impl Drop for GrpcReceiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn serve(listener: TcpListener, received: Arc<Received>) {
    while let Ok((stream, _)) = listener.accept().await {
        let received = Arc::clone(&received);
        let service = service_fn(move |request| answer(request, Arc::clone(&received)));
        let connection = http2::Builder::new(TokioExecutor::new())
            .serve_connection(TokioIo::new(stream), service);
        // A connection that breaks is the client's problem.
        tokio::spawn(async move { connection.await.ok() });
    }
}

async fn answer(
    request: Request<Incoming>,
    received: Arc<Received>,
) -> Result<Response<impl Body<Data = Bytes, Error = std::convert::Infallible>>, hyper::Error> {
    let (head, body) = request.into_parts();
    let mut message = body.collect().await?.to_bytes();
    let prefix = message.split_to(message.len().min(5));
    lock(&received.calls).push(GrpcCall {
        path: head.uri.path().to_owned(),
        headers: head.headers,
        is_compressed: prefix.first() == Some(&1),
        message,
    });
    let status = lock(&received.refusals).pop_front().unwrap_or_default();
    let mut trailers = HeaderMap::new();
    let name = HeaderName::from_static("grpc-status");
    trailers.insert(name, HeaderValue::from(status));
    // An empty message has a prefix too; a refusal has no message.
    let body = if status == 0 { &[0; 5][..] } else { &[] };
    let body = Full::new(Bytes::from_static(body)).with_trailers(ready(Some(Ok(trailers))));
    let mut response = Response::new(body);
    let kind = HeaderValue::from_static("application/grpc");
    response.headers_mut().insert("content-type", kind);
    Ok(response)
}
