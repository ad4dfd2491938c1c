//! One connection, from the handshake to its end.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::header::EXPECT;
use http::{Method, StatusCode, Version};
use hyper::body::Incoming;
use hyper::rt::Write as _;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;

use super::buffered_writer::WriterHandle;
use super::context::{ActiveRequest, ConnectionContext};
use super::fast_path::{self, FastPathOutcome, HeadLimits};
use super::halves;
use super::refusal;
use super::socket::AcceptedConnection;
use super::stream::{ConnectionStream, Protocol};
use super::stream_tasks::{StreamExecutor, WaitsFor, stream_waits_for};
#[cfg(feature = "tls")]
use super::tls::Tls;
use super::upgrade::{UpgradeOffer, UpgradedFuture};
use super::wire_body::WireBody;
use crate::body::Body;
use crate::box_error::BoxError;
use crate::head::Head;
use crate::pipeline::{Core, finish};
use crate::request::Request;
use crate::response::Response;
use crate::runtime::{BusyGuard, ConnectionActivity};

/// The settings of a server that its connections share.
pub(super) struct ConnectionConfig {
    pub(super) http1: http1::Builder,
    /// Larger heads are left to hyper.
    pub(super) head_limits: HeadLimits,
    pub(super) http2: http2::Builder<StreamExecutor>,
    pub(super) http2_enabled: bool,
    #[cfg(feature = "tls")]
    pub(super) tls: Option<Tls>,
}

/// Serves a connection until HTTP ends. Returns a future if the connection was upgraded.
#[expect(
    clippy::too_many_lines,
    reason = "the closure is not divided, so that no future holds its request twice"
)]
pub(super) async fn serve(
    accepted: AcceptedConnection,
    core: Arc<Core>,
    activity: Arc<ConnectionActivity>,
    config: Arc<ConnectionConfig>,
) -> Option<UpgradedFuture> {
    accepted.socket.set_nodelay();
    let peer = accepted.peer;
    let opened = unless_stopped(&activity, open(accepted, &activity, &config)).await;
    let Some(Ok(mut stream)) = opened else {
        return None;
    };
    let mut upgraded = None;
    let context = Arc::new(ConnectionContext::new(core, &activity, peer, &stream));
    if stream.protocol() == Protocol::Http1
        && fast_path::serve(&mut stream, &context, config.head_limits).await
            == FastPathOutcome::Closed
    {
        return None;
    }
    let service_context = Arc::clone(&context);
    let service = service_fn(move |request: http::Request<Incoming>| {
        let context = &service_context;
        let (parts, body) = request.into_parts();
        let version = parts.version;
        let early = if context.activity.had_trailers() {
            // Perhaps the response was complete before the trailers came; this may be a part of them.
            Some(refusal::bad_request())
        } else {
            refusal::response_to(&parts)
        };
        let offer = UpgradeOffer::new(&parts);
        let connection = (version < Version::HTTP_2).then(|| Arc::clone(&context.activity));
        // Made here and nowhere else: handed on as a value it would be copied.
        let mut request = Request::new(Head::from_hyper(parts), Body::from_hyper(body, connection));
        context.annotate(&mut request);
        offer.attach(&mut request);
        let active = ActiveRequest::begin(Arc::clone(context));
        // No `async fn`: it would hold the request twice, as its argument and as its variable.
        async move {
            let context = &*active.0;
            if let Some(early) = early {
                stream_waits_for(WaitsFor::Client);
                return Ok(early);
            }
            let response = match context.core.unfiltered_route(&mut request) {
                Some(route) => context.core.dispatch(route, &mut request).await,
                None => context.core.run_filters(&mut request).await,
            };
            // Whoever waits to be asked for a body has not sent it.
            if context.activity.closes() && !request.head().has_header(EXPECT) {
                request.body_mut().skip_arrived().await;
            }
            let mut response = into_hyper(context, request.method(), response);
            let is_upgrade = response.status() == StatusCode::SWITCHING_PROTOCOLS;
            if context.activity.closes() && !is_upgrade {
                refusal::close(version, &mut response);
            }
            offer.accept(&response, &context.upgrade);
            Ok::<_, Infallible>(response)
        }
    });
    let (stream, writer) = stream.share_writer();
    let result = match stream.protocol() {
        Protocol::Http1 => {
            let connection = config.http1.serve_connection(stream, service);
            let mut driver = ConnectionDriver::new(connection, writer, Arc::clone(&activity));
            driver.is_http1 = true;
            let result = (&mut driver).await;
            if result.is_ok() && context.upgrade.is_accepted() {
                upgraded = context
                    .upgrade
                    .start(driver.connection, &context.core, &activity);
            } else if result.is_ok() {
                // hyper does not shut down a connection whose client asked for an upgrade that was refused.
                // Boxed, so that connections have no room for it while they are served.
                Box::pin(close(driver.connection.into_parts().io)).await;
            }
            result
        }
        Protocol::Http2 if config.http2_enabled => {
            let connection = config.http2.serve_connection(stream, service);
            ConnectionDriver::new(connection, writer, activity).await
        }
        Protocol::Http2 => Ok(()),
        #[cfg(feature = "websocket")]
        // No connection begins as an upgraded one.
        Protocol::Upgraded => Ok(()),
    };
    log_end(peer, result);
    upgraded
}

/// Closes a connection in a way that lets the client read the last response.
async fn close(mut stream: ConnectionStream) {
    // The client may have gone without waiting for that.
    let _ = poll_fn(|cx| Pin::new(&mut stream).poll_shutdown(cx)).await;
}

/// Converts a response for hyper. A body that takes time keeps the connection busy.
fn into_hyper(
    context: &ConnectionContext,
    method: &Method,
    response: Response,
) -> http::Response<WireBody> {
    stream_waits_for(WaitsFor::Client);
    finish(method, response).into_http(|mut body| {
        if body.is_streamed() {
            body.hold(BusyGuard::new(&context.activity));
        }
        WireBody(body)
    })
}

fn log_end(peer: Option<SocketAddr>, result: hyper::Result<()>) {
    if let Err(error) = result {
        // Clients leave and send nonsense all day: worth a look only when one is looking.
        tracing::debug!(?peer, %error, "connection ended");
    }
}

/// Does what comes before the first request: the TLS handshake, if there is one, and detecting the
/// protocol.
async fn open(
    accepted: AcceptedConnection,
    activity: &Arc<ConnectionActivity>,
    config: &ConnectionConfig,
) -> std::io::Result<ConnectionStream> {
    #[cfg(feature = "tls")]
    if let Some(tls) = &config.tls {
        // Boxed, so that connections without encryption have no room for it.
        let handshake = Box::pin(tls.handshake(accepted, activity, config.http2_enabled));
        let (reader, writer) = handshake.await?;
        return ConnectionStream::detect(reader, writer, Arc::clone(activity)).await;
    }
    #[cfg(not(feature = "tls"))]
    let _ = config;
    let (reader, writer) = halves::split(accepted.socket);
    ConnectionStream::detect(reader, writer, Arc::clone(activity)).await
}

/// Waits for something a client may never do, but no longer than the server runs or a head may take.
async fn unless_stopped<T>(
    activity: &ConnectionActivity,
    future: impl Future<Output = T>,
) -> Option<T> {
    let mut future = std::pin::pin!(future);
    poll_fn(|cx| {
        activity.register_waker(cx.waker());
        match future.as_mut().poll(cx) {
            Poll::Pending if activity.is_stopping() || activity.is_head_late() => Poll::Ready(None),
            polled => polled.map(Some),
        }
    })
    .await
}

/// A connection of hyper that can be asked to end after the request it is handling.
trait GracefulShutdown: Future<Output = hyper::Result<()>> {
    fn graceful_shutdown(self: Pin<&mut Self>);
}

impl<I, S, B> GracefulShutdown for http1::Connection<I, S>
where
    S: hyper::service::HttpService<Incoming, ResBody = B>,
    S::Error: Into<BoxError>,
    I: hyper::rt::Read + hyper::rt::Write + Unpin,
    B: http_body::Body + 'static,
    B::Error: Into<BoxError>,
{
    fn graceful_shutdown(self: Pin<&mut Self>) {
        Self::graceful_shutdown(self);
    }
}

impl<I, S, B> GracefulShutdown for http2::Connection<I, S, StreamExecutor>
where
    S: hyper::service::HttpService<Incoming, ResBody = B>,
    S::Error: Into<BoxError>,
    I: hyper::rt::Read + hyper::rt::Write + Unpin,
    B: http_body::Body + 'static,
    B::Error: Into<BoxError>,
    StreamExecutor: hyper::rt::bounds::Http2ServerConnExec<S::Future, B>,
{
    fn graceful_shutdown(self: Pin<&mut Self>) {
        Self::graceful_shutdown(self);
    }
}

pin_project_lite::pin_project! {
    /// Drives a connection of hyper: sends the buffered responses after each poll, and shuts the
    /// connection down when the server stops.
    struct ConnectionDriver<C> {
        #[pin]
        connection: C,
        writer: WriterHandle,
        activity: Arc<ConnectionActivity>,
        shutdown_started: bool,
        is_http1: bool,
    }
}

impl<C> ConnectionDriver<C> {
    fn new(connection: C, writer: WriterHandle, activity: Arc<ConnectionActivity>) -> Self {
        Self {
            connection,
            writer,
            activity,
            shutdown_started: false,
            is_http1: false,
        }
    }
}

impl<C: GracefulShutdown> Future for ConnectionDriver<C> {
    type Output = hyper::Result<()>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let mut polled = this.connection.as_mut().poll(cx);
        // Only now: a request that has arrived is still answered.
        if polled.is_pending() && !*this.shutdown_started && this.activity.is_stopping() {
            this.connection.as_mut().graceful_shutdown();
            *this.shutdown_started = true;
            polled = this.connection.poll(cx);
        }
        if polled.is_pending() && *this.is_http1 && this.activity.is_head_late() {
            let status = StatusCode::REQUEST_TIMEOUT;
            this.writer
                .with(|writer| fast_path::push_refusal(writer.buffer(), status));
            // Sent when the connection is closed.
            return Poll::Ready(Ok(()));
        }
        match this.writer.poll_flush(cx) {
            // The client has gone, though hyper has not noticed yet.
            Poll::Ready(Err(_)) => Poll::Ready(Ok(())),
            Poll::Ready(Ok(())) | Poll::Pending => polled,
        }
    }
}
