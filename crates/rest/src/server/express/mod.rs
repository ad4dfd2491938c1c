//! HTTP/1.1 for plain requests: those whose head is in order and without surprises, and whose body is
//! there with it or is none. Nearly all are.
//!
//! Everything else is left to hyper, from the first byte of the request on: bodies that are still to
//! come, upgrades, other versions, and whatever is wrong. So there is one judge of what is wrong, and
//! this one need not know it.

mod encode;
mod parse;

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};

use http_body::Body as _;
use hyper::rt::Write as _;

use self::encode::{Framing, push_chunk_size};
pub(super) use self::parse::Bounds;
use self::parse::{Parsed, parse};
use super::io::Watched;
use super::listener::{Reader, Writer};
use super::pulse::Busy;
use super::shared::{Active, Shared};
use crate::app::finish;
use crate::body::BoxError;
use crate::request::Request;
use crate::response::{ReplyBody, Response};

type Io = Watched<Reader, Writer>;

/// A head that has not come completely after so many reads is left to hyper.
const READS: u32 = 4;

/// How it ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// The connection is closed, or should be.
    Closed,
    /// The next request is one for hyper.
    Unusual,
}

/// The client is not there any more.
struct Gone;

/// Serves plain requests, until one comes that is not, or none.
pub(super) async fn serve(io: &mut Io, shared: &Arc<Shared>, bounds: Bounds) -> Ended {
    let mut reads = 0;
    loop {
        let parsed = match io.unread() {
            [] => Parsed::Part,
            bytes => parse(bytes, bounds),
        };
        match parsed {
            Parsed::Request(request, length) => {
                io.consume(length);
                reads = 0;
                match answer(io, shared, request).await {
                    Ok(true) => {}
                    Ok(false) => return close(io).await,
                    Err(Gone) => return give_up(io).await,
                }
            }
            Parsed::Part if reads < READS => {
                reads += u32::from(!io.unread().is_empty());
                match more(io, shared).await {
                    Ok(true) => {}
                    Ok(false) if io.unread().is_empty() => return close(io).await,
                    Ok(false) => return Ended::Unusual,
                    Err(Gone) => return give_up(io).await,
                }
            }
            Parsed::Part | Parsed::Other => return Ended::Unusual,
        }
    }
}

/// Lets the client read the last of what was sent.
async fn close(io: &mut Io) -> Ended {
    // It may have gone without waiting for that.
    let _ = poll_fn(|cx| Pin::new(&mut *io).poll_shutdown(cx)).await;
    Ended::Closed
}

/// Sends what can be sent at once of an answer that ends too early.
async fn give_up(io: &mut Io) -> Ended {
    poll_fn(|cx| {
        // Nobody is there to be told.
        let _ = io.poll_send_held(cx);
        Poll::Ready(Ended::Closed)
    })
    .await
}

/// Sends what is held and waits for more bytes; says whether some came.
async fn more(io: &mut Io, shared: &Shared) -> Result<bool, Gone> {
    poll_fn(|cx| {
        match io.poll_send_held(cx) {
            Poll::Ready(Ok(())) => {}
            Poll::Ready(Err(_)) => return Poll::Ready(Err(Gone)),
            // A client that does not read has nothing more to ask for.
            Poll::Pending => return Poll::Pending,
        }
        match io.poll_fill(cx) {
            Poll::Ready(Ok(count)) => Poll::Ready(Ok(count > 0)),
            Poll::Ready(Err(_)) => Poll::Ready(Err(Gone)),
            // Only now: a request that has arrived is still answered.
            Poll::Pending if shared.pulse.is_stopping() => Poll::Ready(Ok(false)),
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}

/// Answers a request; says whether the connection stays.
async fn answer(
    io: &mut Io,
    shared: &Arc<Shared>,
    mut request: Box<Request>,
) -> Result<bool, Gone> {
    shared.introduce(&mut request);
    let active = Active::begin(&**shared);
    let response = respond(io, shared, &mut request).await?;
    let mut reply = finish(request.method(), response);
    drop(active);
    let last = shared.pulse.is_stopping();
    let said = io.hold(|out| encode::head(out, request.method(), &reply, last));
    if let Some(payload) = reply.body.take_whole() {
        send(io, payload.as_slice()).await?;
    } else {
        reply.body.hold(Busy::new(&shared.pulse));
        stream(io, reply.body, said.framing).await?;
    }
    Ok(!said.closes)
}

/// Has the application answer, for as long as the client waits.
async fn respond(io: &mut Io, shared: &Shared, request: &mut Request) -> Result<Response, Gone> {
    let core = &shared.core;
    match core.unfiltered_route(request) {
        Some(route) => unless_gone(io, core.dispatch(route, request)).await,
        None => unless_gone(io, core.run_filters(request)).await,
    }
}

async fn unless_gone<T>(io: &mut Io, work: impl Future<Output = T>) -> Result<T, Gone> {
    let mut work = pin!(work);
    poll_fn(|cx| match work.as_mut().poll(cx) {
        Poll::Ready(done) => Poll::Ready(Ok(done)),
        Poll::Pending => poll_gone(io, cx).map(Err),
    })
    .await
}

/// Sends what is held, and is ready when the client has gone.
fn poll_gone(io: &mut Io, cx: &mut Context<'_>) -> Poll<Gone> {
    if let Poll::Ready(Err(_)) = io.poll_send_held(cx) {
        return Poll::Ready(Gone);
    }
    while io.has_room() {
        match io.poll_fill(cx) {
            Poll::Ready(Ok(0) | Err(_)) => return Poll::Ready(Gone),
            Poll::Ready(Ok(_)) => {}
            Poll::Pending => return Poll::Pending,
        }
    }
    Poll::Pending
}

/// Sends bytes after those that are held; few of them are held too.
async fn send(io: &mut Io, bytes: &[u8]) -> Result<(), Gone> {
    let mut sent = 0;
    poll_fn(|cx| io.poll_send(cx, bytes, &mut sent))
        .await
        .map_err(|_| Gone)
}

/// Sends a body as it is made.
async fn stream(io: &mut Io, mut body: ReplyBody, framing: Framing) -> Result<(), Gone> {
    let mut left = framing;
    loop {
        let frame = poll_fn(|cx| match Pin::new(&mut body).poll_frame(cx) {
            Poll::Ready(frame) => Poll::Ready(Ok(frame)),
            Poll::Pending => poll_gone(io, cx).map(Err),
        });
        let chunk = match frame.await? {
            None => break,
            Some(Ok(frame)) => frame.into_data().unwrap_or_default(),
            Some(Err(error)) => return Err(broken(&error)),
        };
        if chunk.is_empty() {
            continue;
        }
        let size = chunk.len() as u64;
        match &mut left {
            Framing::Chunked => io.hold(|out| push_chunk_size(out, size)),
            Framing::Length(left) => match left.checked_sub(size) {
                Some(rest) => *left = rest,
                None => return Err(broken(&"the body is longer than its size".into())),
            },
        }
        send(io, &chunk).await?;
        if left == Framing::Chunked {
            io.hold(|out| out.extend_from_slice(b"\r\n"));
        }
    }
    match left {
        Framing::Chunked => io.hold(|out| out.extend_from_slice(b"0\r\n\r\n")),
        Framing::Length(0) => {}
        Framing::Length(_) => return Err(broken(&"the body ended before its size".into())),
    }
    Ok(())
}

/// A client can only learn from the end of the connection that a body is not complete.
fn broken(error: &BoxError) -> Gone {
    tracing::debug!(%error, "a body could not be sent");
    Gone
}
