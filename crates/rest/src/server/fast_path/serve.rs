//! Reads requests, has the application answer them, and writes the responses.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};

use http::{Method, StatusCode};
use http_body::Body as _;
use hyper::rt::Write as _;

use super::encode::{self, Framing, push_chunk_size};
use super::parse::{HeadLimits, Parsed, is_same_line, parse};
use crate::box_error::BoxError;
use crate::pipeline::finish;
use crate::request::Request;
use crate::response::{ReplyBody, Response};
use crate::runtime::BusyGuard;
use crate::server::context::{ActiveRequest, ConnectionContext};
use crate::server::stream::ConnectionStream;

/// A head that is not complete after this many reads is left to hyper.
const MAX_READS: u32 = 4;

/// How the fast path ended.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::server) enum FastPathOutcome {
    /// The connection is closed, or should be.
    Closed,
    /// The next request is one for hyper; its bytes are unread.
    LeftToHyper,
}

/// The client has closed the connection, or cannot be sent the rest of a response.
struct Disconnected;

/// Serves requests until the connection ends, or until one comes that is left to hyper.
pub(in crate::server) async fn serve(
    stream: &mut ConnectionStream,
    context: &Arc<ConnectionContext>,
    limits: HeadLimits,
) -> FastPathOutcome {
    let mut reads = 0;
    // How much of an incomplete request line was parsed.
    let mut line = 0;
    loop {
        let parsed = match stream.unread() {
            [] => Parsed::Partial,
            bytes if bytes.len() < limits.bytes && is_same_line(bytes, line) => Parsed::PartialLine,
            bytes => parse(bytes, limits),
        };
        line = match parsed {
            Parsed::PartialLine => stream.unread().len(),
            _ => 0,
        };
        match parsed {
            Parsed::Request(request, length) => {
                stream.consume(length);
                reads = 0;
                match answer(stream, context, request).await {
                    Ok(true) => {}
                    Ok(false) => return close(stream).await,
                    Err(Disconnected) => return abandon(stream).await,
                }
            }
            Parsed::Partial | Parsed::PartialLine if reads < MAX_READS || line > 0 => {
                reads += u32::from(!stream.unread().is_empty());
                match read_more(stream, context).await {
                    Ok(true) => {}
                    Ok(false) if stream.unread().is_empty() => return close(stream).await,
                    Ok(false) if context.activity.is_head_late() => {
                        return refuse(stream, StatusCode::REQUEST_TIMEOUT).await;
                    }
                    Ok(false) => return FastPathOutcome::LeftToHyper,
                    Err(Disconnected) => return abandon(stream).await,
                }
            }
            Parsed::Refused(status) => return refuse(stream, status).await,
            Parsed::Partial | Parsed::PartialLine | Parsed::Unusual => {
                return FastPathOutcome::LeftToHyper;
            }
        }
    }
}

/// Answers a request that is not read any further, and closes the connection.
async fn refuse(stream: &mut ConnectionStream, status: StatusCode) -> FastPathOutcome {
    stream.buffer(|out| push_refusal(out, status));
    close(stream).await
}

/// Appends a response without a body that ends its connection.
pub(in crate::server) fn push_refusal(out: &mut Vec<u8>, status: StatusCode) {
    let refusal = finish(&Method::GET, Response::status(status));
    encode::head(out, &Method::GET, &refusal, true);
}

/// Closes the connection in a way that lets the client read the last response.
async fn close(stream: &mut ConnectionStream) -> FastPathOutcome {
    // The client may have gone without waiting for that.
    let _ = poll_fn(|cx| Pin::new(&mut *stream).poll_shutdown(cx)).await;
    FastPathOutcome::Closed
}

/// Sends what can be sent at once of a response that cannot be completed.
async fn abandon(stream: &mut ConnectionStream) -> FastPathOutcome {
    poll_fn(|cx| {
        // If this fails too, there is nobody to tell.
        let _ = stream.poll_send_buffered(cx);
        Poll::Ready(FastPathOutcome::Closed)
    })
    .await
}

/// Sends the write buffer and waits for more bytes. Returns `false` at the end of the stream, when the
/// server stops, or when a head takes too long.
async fn read_more(
    stream: &mut ConnectionStream,
    context: &ConnectionContext,
) -> Result<bool, Disconnected> {
    poll_fn(|cx| {
        match stream.poll_send_buffered(cx) {
            Poll::Ready(Ok(())) => {}
            Poll::Ready(Err(_)) => return Poll::Ready(Err(Disconnected)),
            // The requests of a client that does not read its responses wait.
            Poll::Pending => return Poll::Pending,
        }
        match stream.poll_fill(cx) {
            Poll::Ready(Ok(count)) => Poll::Ready(Ok(count > 0)),
            Poll::Ready(Err(_)) => Poll::Ready(Err(Disconnected)),
            // Only now: a request that has arrived is still answered.
            Poll::Pending if context.activity.is_stopping() || context.activity.is_head_late() => {
                Poll::Ready(Ok(false))
            }
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}

/// Answers a request. Returns whether the connection stays open.
async fn answer(
    stream: &mut ConnectionStream,
    context: &Arc<ConnectionContext>,
    mut request: Box<Request>,
) -> Result<bool, Disconnected> {
    context.annotate(&mut request);
    let active = ActiveRequest::begin(&**context);
    let response = respond(stream, context, &mut request).await?;
    let mut response = finish(request.method(), response);
    drop(active);
    let is_last = context.activity.is_stopping();
    let head = stream.buffer(|out| encode::head(out, request.method(), &response, is_last));
    if let Some(payload) = response.body.take_whole() {
        send(stream, payload.as_slice()).await?;
    } else {
        response.body.hold(BusyGuard::new(&context.activity));
        send_stream(stream, response.body, head.framing).await?;
    }
    Ok(!head.closes)
}

/// Runs the application, for as long as the client waits.
async fn respond(
    stream: &mut ConnectionStream,
    context: &ConnectionContext,
    request: &mut Request,
) -> Result<Response, Disconnected> {
    let core = &context.core;
    match core.unfiltered_route(request) {
        Some(route) => unless_disconnected(stream, core.dispatch(route, request)).await,
        None => unless_disconnected(stream, core.run_filters(request)).await,
    }
}

async fn unless_disconnected<T>(
    stream: &mut ConnectionStream,
    future: impl Future<Output = T>,
) -> Result<T, Disconnected> {
    let mut future = pin!(future);
    poll_fn(|cx| match future.as_mut().poll(cx) {
        Poll::Ready(output) => Poll::Ready(Ok(output)),
        Poll::Pending => poll_disconnected(stream, cx).map(Err),
    })
    .await
}

/// Sends the write buffer, and is ready when the client has disconnected.
fn poll_disconnected(stream: &mut ConnectionStream, cx: &mut Context<'_>) -> Poll<Disconnected> {
    if let Poll::Ready(Err(_)) = stream.poll_send_buffered(cx) {
        return Poll::Ready(Disconnected);
    }
    while stream.has_room() {
        match stream.poll_fill(cx) {
            Poll::Ready(Ok(0) | Err(_)) => return Poll::Ready(Disconnected),
            Poll::Ready(Ok(_)) => {}
            Poll::Pending => return Poll::Pending,
        }
    }
    Poll::Pending
}

/// Sends bytes after those in the write buffer, or appends them to it if they are few.
async fn send(stream: &mut ConnectionStream, bytes: &[u8]) -> Result<(), Disconnected> {
    let mut sent = 0;
    poll_fn(|cx| stream.poll_send(cx, bytes, &mut sent))
        .await
        .map_err(|_| Disconnected)
}

/// Sends a body as it is produced.
async fn send_stream(
    stream: &mut ConnectionStream,
    mut body: ReplyBody,
    framing: Framing,
) -> Result<(), Disconnected> {
    let mut remaining = framing;
    loop {
        let frame = poll_fn(|cx| match Pin::new(&mut body).poll_frame(cx) {
            Poll::Ready(frame) => Poll::Ready(Ok(frame)),
            Poll::Pending => poll_disconnected(stream, cx).map(Err),
        });
        let chunk = match frame.await? {
            None => break,
            Some(Ok(frame)) => frame.into_data().unwrap_or_default(),
            Some(Err(error)) => return Err(broken_body(&error)),
        };
        if chunk.is_empty() {
            continue;
        }
        let size = chunk.len() as u64;
        match &mut remaining {
            Framing::Chunked => stream.buffer(|out| push_chunk_size(out, size)),
            Framing::Length(length) => match length.checked_sub(size) {
                Some(rest) => *length = rest,
                None => return Err(broken_body(&"the body is longer than its size".into())),
            },
        }
        send(stream, &chunk).await?;
        if remaining == Framing::Chunked {
            stream.buffer(|out| out.extend_from_slice(b"\r\n"));
        }
    }
    match remaining {
        Framing::Chunked => stream.buffer(|out| out.extend_from_slice(b"0\r\n\r\n")),
        Framing::Length(0) => {}
        Framing::Length(_) => return Err(broken_body(&"the body is shorter than its size".into())),
    }
    Ok(())
}

/// Logs why a body is not complete. The client can only learn it from the end of the connection.
fn broken_body(error: &BoxError) -> Disconnected {
    tracing::debug!(%error, "cannot send the whole body");
    Disconnected
}
