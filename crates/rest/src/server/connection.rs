//! One connection, from its first byte to its last.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioExecutor;
use tokio::net::TcpStream;

use super::Options;
use super::io::{Protocol, Watched};
use super::pulse::{Busy, Pulse};
use crate::app::{Core, Reply};
use crate::body::Body;
use crate::head::Head;
use crate::request::Request;
use crate::response::ReplyBody;

/// What the requests of a connection share.
struct Shared {
    core: Arc<Core>,
    pulse: Arc<Pulse>,
    peer: SocketAddr,
}

/// A request being worked on.
struct Active(Arc<Shared>);

impl Active {
    fn begin(shared: &Arc<Shared>) -> Self {
        shared.pulse.begin();
        Self(Arc::clone(shared))
    }
}

impl Drop for Active {
    fn drop(&mut self) {
        self.0.pulse.end();
    }
}

/// Serves a connection until it ends.
pub(super) async fn serve(
    stream: TcpStream,
    peer: SocketAddr,
    core: Arc<Core>,
    pulse: Arc<Pulse>,
    options: Arc<Options>,
) {
    // A small answer should leave at once; a socket that refuses the option still works.
    let _ = stream.set_nodelay(true);
    let Ok((protocol, io)) = Watched::detect(stream, Arc::clone(&pulse)).await else {
        return;
    };
    let shared = Arc::new(Shared {
        core,
        pulse: Arc::clone(&pulse),
        peer,
    });
    let service = service_fn(move |request| answer(Active::begin(&shared), request));
    let result = match protocol {
        Protocol::Http1 => {
            let connection = options.http1.serve_connection(io, service);
            Stoppable {
                connection,
                pulse,
                told: false,
                known: false,
            }
            .await
        }
        Protocol::Http2 if options.http2_enabled => {
            let connection = options.http2.serve_connection(io, service);
            Stoppable {
                connection,
                pulse,
                told: false,
                known: false,
            }
            .await
        }
        Protocol::Http2 => Ok(()),
    };
    if let Err(error) = result {
        // Clients leave and send nonsense all day: worth a look only when one is looking.
        tracing::debug!(%peer, %error, "connection ended");
    }
}

/// Answers one request.
async fn answer(
    active: Active,
    request: http::Request<Incoming>,
) -> Result<http::Response<ReplyBody>, Infallible> {
    let shared = &*active.0;
    let (parts, body) = request.into_parts();
    let mut request = Request::new(Head::from_hyper(parts), Body::from_hyper(body));
    request.set_peer(Some(shared.peer));
    let response = shared.core.answer(&mut request).await;
    let mut reply = Reply::new(request.method(), response);
    if reply.body.takes_time() {
        reply.body.hold(Busy::new(&shared.pulse));
    }
    Ok(reply.into_http())
}

/// A connection of hyper that can be asked to end after the request it is working on.
trait Graceful: Future<Output = hyper::Result<()>> {
    fn graceful_shutdown(self: Pin<&mut Self>);
}

impl<I, S, B> Graceful for hyper::server::conn::http1::Connection<I, S>
where
    S: hyper::service::HttpService<Incoming, ResBody = B>,
    S::Error: Into<crate::BoxError>,
    I: hyper::rt::Read + hyper::rt::Write + Unpin,
    B: http_body::Body + 'static,
    B::Error: Into<crate::BoxError>,
{
    fn graceful_shutdown(self: Pin<&mut Self>) {
        Self::graceful_shutdown(self);
    }
}

impl<I, S, B> Graceful for hyper::server::conn::http2::Connection<I, S, TokioExecutor>
where
    S: hyper::service::HttpService<Incoming, ResBody = B>,
    S::Error: Into<crate::BoxError>,
    I: hyper::rt::Read + hyper::rt::Write + Unpin,
    B: http_body::Body + 'static,
    B::Error: Into<crate::BoxError>,
    TokioExecutor: hyper::rt::bounds::Http2ServerConnExec<S::Future, B>,
{
    fn graceful_shutdown(self: Pin<&mut Self>) {
        Self::graceful_shutdown(self);
    }
}

pin_project_lite::pin_project! {
    /// Watches for the word to stop each time the connection is woken.
    struct Stoppable<C> {
        #[pin]
        connection: C,
        pulse: Arc<Pulse>,
        told: bool,
        known: bool,
    }
}

impl<C: Graceful> Future for Stoppable<C> {
    type Output = hyper::Result<()>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        if !*this.known {
            this.pulse.woken_by(cx.waker());
            *this.known = true;
        }
        if !*this.told && this.pulse.is_stopping() {
            this.connection.as_mut().graceful_shutdown();
            *this.told = true;
        }
        this.connection.poll(cx)
    }
}
