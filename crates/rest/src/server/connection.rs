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

use super::Options;
use super::express::{self, Ended};
use super::io::{Protocol, Watched};
use super::listener::{Arrival, Reader, Writer};
use super::outbox::Outbox;
use super::pulse::{Busy, Pulse};
use super::shared::{Active, Shared};
use super::switch::{Offer, Rest};
use crate::app::{Core, finish};
use crate::body::Body;
use crate::head::Head;
use crate::request::Request;
use crate::response::WireBody;

/// Serves a connection until it ends, or until HTTP does: then there is a rest.
pub(super) async fn serve(
    arrival: Arrival,
    core: Arc<Core>,
    pulse: Arc<Pulse>,
    options: Arc<Options>,
) -> Option<Rest> {
    arrival.socket.set_nodelay();
    let peer = arrival.peer;
    let Some(Ok(mut io)) = unless_stopped(&pulse, begin(arrival, &pulse, &options)).await else {
        return None;
    };
    let mut rest = None;
    let shared = Arc::new(Shared::new(core, &pulse, peer, &io));
    if io.protocol() == Protocol::Http1
        && express::serve(&mut io, &shared, options.plain).await == Ended::Closed
    {
        return None;
    }
    let afterwards = Arc::clone(&shared);
    let service = service_fn(move |request: http::Request<Incoming>| {
        let (parts, body) = request.into_parts();
        let offer = Offer::new(&parts);
        // Made here and nowhere else: handed on as a value it would be copied.
        let mut request = Request::new(Head::from_hyper(parts), Body::from_hyper(body));
        shared.introduce(&mut request);
        offer.attach(&mut request);
        let active = Active::begin(Arc::clone(&shared));
        // No `async fn`: it would hold the request twice, as its argument and as its variable.
        async move {
            let shared = &*active.0;
            let response = match shared.core.unfiltered_route(&mut request) {
                Some(route) => shared.core.dispatch(route, &mut request).await,
                None => shared.core.run_filters(&mut request).await,
            };
            let reply = finish(request.method(), response).into_http(|mut body| {
                if body.is_streamed() {
                    body.hold(Busy::new(&shared.pulse));
                }
                WireBody(body)
            });
            offer.settle(&reply, &shared.switch);
            Ok::<_, Infallible>(reply)
        }
    });
    let (io, outbox) = io.share();
    let result = match io.protocol() {
        Protocol::Http1 => {
            let connection = options.http1.serve_connection(io, service);
            let mut turns = Turns::new(connection, outbox, Arc::clone(&pulse));
            let result = (&mut turns).await;
            if result.is_ok() {
                rest = afterwards
                    .switch
                    .rest(turns.connection, &afterwards.core, &pulse);
            }
            result
        }
        Protocol::Http2 if options.http2_enabled => {
            Turns::new(options.http2.serve_connection(io, service), outbox, pulse).await
        }
        Protocol::Http2 => Ok(()),
        #[cfg(feature = "websocket")]
        // Nobody begins with another protocol.
        Protocol::Other => Ok(()),
    };
    note(peer, result);
    rest
}

fn note(peer: Option<SocketAddr>, result: hyper::Result<()>) {
    if let Err(error) = result {
        // Clients leave and send nonsense all day: worth a look only when one is looking.
        tracing::debug!(?peer, %error, "connection ended");
    }
}

/// Does what comes before the first request: encryption, if it is asked for, and the protocol.
async fn begin(
    arrival: Arrival,
    pulse: &Arc<Pulse>,
    options: &Options,
) -> std::io::Result<Watched<Reader, Writer>> {
    #[cfg(feature = "tls")]
    if let Some(tls) = &options.tls {
        // Boxed, so that connections without encryption have no room for it.
        let handshake = Box::pin(tls.handshake(arrival, pulse, options.http2_enabled));
        let (reader, writer) = handshake.await?;
        return Watched::detect(reader, writer, Arc::clone(pulse)).await;
    }
    #[cfg(not(feature = "tls"))]
    let _ = options;
    let (reader, writer) = arrival.socket.into_split();
    Watched::detect(reader, writer, Arc::clone(pulse)).await
}

/// Waits for something a client may never do, but no longer than the server runs.
async fn unless_stopped<T>(pulse: &Pulse, work: impl Future<Output = T>) -> Option<T> {
    let mut work = std::pin::pin!(work);
    std::future::poll_fn(|cx| {
        pulse.woken_by(cx.waker());
        match work.as_mut().poll(cx) {
            Poll::Pending if pulse.is_stopping() => Poll::Ready(None),
            done_or_not => done_or_not.map(Some),
        }
    })
    .await
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
    /// A connection's turns: each ends with its answers being sent, the last one begins with the
    /// word to stop.
    struct Turns<C> {
        #[pin]
        connection: C,
        outbox: Outbox<Writer>,
        pulse: Arc<Pulse>,
        told: bool,
    }
}

impl<C> Turns<C> {
    fn new(connection: C, outbox: Outbox<Writer>, pulse: Arc<Pulse>) -> Self {
        Self {
            connection,
            outbox,
            pulse,
            told: false,
        }
    }
}

impl<C: Graceful> Future for Turns<C> {
    type Output = hyper::Result<()>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let mut polled = this.connection.as_mut().poll(cx);
        // Only now: a request that has arrived is still answered.
        if polled.is_pending() && !*this.told && this.pulse.is_stopping() {
            this.connection.as_mut().graceful_shutdown();
            *this.told = true;
            polled = this.connection.poll(cx);
        }
        match this.outbox.poll_empty(cx) {
            // The client has gone. So should we, though hyper has not noticed yet.
            Poll::Ready(Err(_)) => Poll::Ready(Ok(())),
            Poll::Ready(Ok(())) | Poll::Pending => polled,
        }
    }
}
