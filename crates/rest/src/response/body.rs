//! The body of an answer on its way to the transport.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use futures_core::Stream;
use http_body::{Body as HttpBody, Frame, SizeHint};

use super::Payload;
use super::payload::Chunk;
use crate::body::BoxError;
use crate::server::Busy;

pub(crate) type ByteStream = Pin<Box<dyn Stream<Item = Result<Bytes, BoxError>> + Send>>;

/// The body of a response as transports and tower services see it.
pub struct ReplyBody {
    inner: Inner,
    /// Keeps the connection from being taken for idle until the body has been sent.
    busy: Option<Busy>,
}

enum Inner {
    Empty,
    Bytes(Payload),
    Stream(ByteStream),
    Sized(ByteStream, u64),
    Foreign(Pin<Box<dyn HttpBody<Data = Bytes, Error = BoxError> + Send>>),
}

impl ReplyBody {
    pub(crate) fn empty() -> Self {
        Self {
            inner: Inner::Empty,
            busy: None,
        }
    }

    pub(crate) fn payload(payload: Payload) -> Self {
        let inner = if payload.as_slice().is_empty() {
            Inner::Empty
        } else {
            Inner::Bytes(payload)
        };
        Self { inner, busy: None }
    }

    pub(crate) fn stream(stream: ByteStream, size: Option<u64>) -> Self {
        let inner = match size {
            Some(size) => Inner::Sized(stream, size),
            None => Inner::Stream(stream),
        };
        Self { inner, busy: None }
    }

    pub(crate) fn foreign<B>(body: B) -> Self
    where
        B: HttpBody + Send + 'static,
        B::Data: Buf + Send,
        B::Error: Into<BoxError>,
    {
        Self {
            inner: Inner::Foreign(Box::pin(Rewrapped { body })),
            busy: None,
        }
    }

    /// Whether it is more than bytes that are there already.
    pub(crate) fn takes_time(&self) -> bool {
        !matches!(self.inner, Inner::Empty | Inner::Bytes(_))
    }

    /// The bytes, if they are all there already; nothing is left of them then.
    pub(crate) fn take_whole(&mut self) -> Option<Payload> {
        match std::mem::replace(&mut self.inner, Inner::Empty) {
            Inner::Empty => Some(Payload::copy(&[])),
            Inner::Bytes(payload) => Some(payload),
            streamed => {
                self.inner = streamed;
                None
            }
        }
    }

    /// Ties the connection's business to the end of this body.
    pub(crate) fn hold(&mut self, busy: Busy) {
        self.busy = Some(busy);
    }

    /// The number of bytes, if known.
    pub(crate) fn size(&self) -> Option<u64> {
        match &self.inner {
            Inner::Empty => Some(0),
            Inner::Bytes(payload) => Some(payload.as_slice().len() as u64),
            Inner::Sized(_, size) => Some(*size),
            Inner::Stream(_) => None,
            Inner::Foreign(body) => body.size_hint().exact(),
        }
    }
}

impl HttpBody for ReplyBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        match &mut self.inner {
            Inner::Empty => Poll::Ready(None),
            Inner::Bytes(_) => {
                let Inner::Bytes(payload) = std::mem::replace(&mut self.inner, Inner::Empty) else {
                    return Poll::Ready(None);
                };
                Poll::Ready(Some(Ok(Frame::data(payload.into_bytes()))))
            }
            Inner::Stream(stream) => stream
                .as_mut()
                .poll_next(cx)
                .map(|next| next.map(|chunk| chunk.map(Frame::data))),
            Inner::Sized(stream, left) => {
                let chunk = match ready!(stream.as_mut().poll_next(cx)) {
                    Some(Ok(chunk)) => chunk,
                    Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                    None if *left == 0 => return Poll::Ready(None),
                    None => {
                        return Poll::Ready(Some(Err("the stream ended before its size".into())));
                    }
                };
                let Some(rest) = left.checked_sub(chunk.len() as u64) else {
                    return Poll::Ready(Some(Err("the stream is longer than its size".into())));
                };
                *left = rest;
                Poll::Ready(Some(Ok(Frame::data(chunk))))
            }
            Inner::Foreign(body) => body.as_mut().poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.inner {
            Inner::Empty => true,
            Inner::Foreign(body) => body.is_end_stream(),
            Inner::Bytes(_) | Inner::Stream(_) | Inner::Sized(..) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        self.size().map(SizeHint::with_exact).unwrap_or_default()
    }
}

/// A [`ReplyBody`] for our own transport, which takes payloads as they are.
#[derive(Debug)]
pub(crate) struct WireBody(pub(crate) ReplyBody);

impl HttpBody for WireBody {
    type Data = Chunk;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Chunk>, BoxError>>> {
        if matches!(self.0.inner, Inner::Bytes(_))
            && let Inner::Bytes(payload) = std::mem::replace(&mut self.0.inner, Inner::Empty)
        {
            return Poll::Ready(Some(Ok(Frame::data(payload.into()))));
        }
        let next = ready!(Pin::new(&mut self.0).poll_frame(cx));
        let chunk = |bytes| Chunk::from(Payload::Bytes(bytes));
        Poll::Ready(next.map(|frame| frame.map(|frame| frame.map_data(chunk))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.size_hint()
    }
}

impl fmt::Debug for ReplyBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplyBody")
            .field("size", &self.size())
            .finish_non_exhaustive()
    }
}

pin_project_lite::pin_project! {
    /// A stream of somebody else's chunks and errors as a stream of ours.
    pub(crate) struct MapChunks<S> {
        #[pin]
        stream: S,
    }
}

impl<S> MapChunks<S> {
    pub(crate) fn new(stream: S) -> Self {
        Self { stream }
    }
}

impl<S, B, E> Stream for MapChunks<S>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
    E: Into<BoxError>,
{
    type Item = Result<Bytes, BoxError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = ready!(self.project().stream.poll_next(cx));
        Poll::Ready(next.map(|chunk| chunk.map(Into::into).map_err(Into::into)))
    }
}

pin_project_lite::pin_project! {
    /// A body of a tower service with its data and errors in our types.
    struct Rewrapped<B> {
        #[pin]
        body: B,
    }
}

impl<B> HttpBody for Rewrapped<B>
where
    B: HttpBody,
    B::Data: Buf,
    B::Error: Into<BoxError>,
{
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let next = ready!(self.project().body.poll_frame(cx));
        Poll::Ready(next.map(|frame| {
            frame
                .map(|frame| frame.map_data(|mut data| data.copy_to_bytes(data.remaining())))
                .map_err(Into::into)
        }))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
