//! The body of a response on its way to the transport.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use futures_core::Stream;
use http_body::{Body as HttpBody, Frame, SizeHint};

use super::Payload;
use crate::box_error::BoxError;
use crate::runtime::BusyGuard;

/// The most that is handed to hyper at a time, in bytes.
const LARGEST_PIECE: usize = 64 * 1024;

pub(crate) type ByteStream = Pin<Box<dyn Stream<Item = Result<Bytes, BoxError>> + Send>>;

/// The body of a response, for transports and tower services.
pub struct ReplyBody {
    kind: ReplyBodyKind,
    /// Keeps the connection from being taken for idle until the body has been sent.
    busy: Option<BusyGuard>,
}

enum ReplyBodyKind {
    Empty,
    Bytes(Payload),
    Stream(ByteStream),
    Sized(ByteStream, u64),
    Foreign(Pin<Box<dyn HttpBody<Data = Bytes, Error = BoxError> + Send>>),
}

impl ReplyBody {
    pub(crate) fn empty() -> Self {
        Self {
            kind: ReplyBodyKind::Empty,
            busy: None,
        }
    }

    pub(crate) fn payload(payload: Payload) -> Self {
        let kind = if payload.as_slice().is_empty() {
            ReplyBodyKind::Empty
        } else {
            ReplyBodyKind::Bytes(payload)
        };
        Self { kind, busy: None }
    }

    pub(crate) fn stream(stream: ByteStream, size: Option<u64>) -> Self {
        let kind = match size {
            Some(size) => ReplyBodyKind::Sized(stream, size),
            None => ReplyBodyKind::Stream(stream),
        };
        Self { kind, busy: None }
    }

    pub(crate) fn foreign<B>(body: B) -> Self
    where
        B: HttpBody + Send + 'static,
        B::Data: Buf + Send,
        B::Error: Into<BoxError>,
    {
        Self {
            kind: ReplyBodyKind::Foreign(Box::pin(ForeignBody { body })),
            busy: None,
        }
    }

    /// Whether it is not yet all in memory.
    pub(crate) fn is_streamed(&self) -> bool {
        !matches!(self.kind, ReplyBodyKind::Empty | ReplyBodyKind::Bytes(_))
    }

    /// Takes the bytes, if they are all in memory.
    pub(crate) fn take_whole(&mut self) -> Option<Payload> {
        match std::mem::replace(&mut self.kind, ReplyBodyKind::Empty) {
            ReplyBodyKind::Empty => Some(Payload::copy(&[])),
            ReplyBodyKind::Bytes(payload) => Some(payload),
            streamed => {
                self.kind = streamed;
                None
            }
        }
    }

    /// Takes the next piece of bytes that are all in memory; `None` for other bodies. A transport
    /// that has a piece does not have more than that until the client takes it.
    pub(crate) fn take_piece(&mut self) -> Option<Payload> {
        let ReplyBodyKind::Bytes(payload) = &mut self.kind else {
            return None;
        };
        if payload.as_slice().len() <= LARGEST_PIECE {
            return self.take_whole();
        }
        let mut rest = std::mem::replace(payload, Payload::copy(&[])).into_bytes();
        let piece = rest.split_to(LARGEST_PIECE);
        *payload = rest.into();
        Some(piece.into())
    }

    /// Marks the connection as busy until the end of this body.
    pub(crate) fn hold(&mut self, busy: BusyGuard) {
        self.busy = Some(busy);
    }

    /// Returns the number of bytes, if known.
    pub(crate) fn size(&self) -> Option<u64> {
        match &self.kind {
            ReplyBodyKind::Empty => Some(0),
            ReplyBodyKind::Bytes(payload) => Some(payload.as_slice().len() as u64),
            ReplyBodyKind::Sized(_, size) => Some(*size),
            ReplyBodyKind::Stream(_) => None,
            ReplyBodyKind::Foreign(body) => body.size_hint().exact(),
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
        match &mut self.kind {
            ReplyBodyKind::Empty => Poll::Ready(None),
            ReplyBodyKind::Bytes(_) => {
                let ReplyBodyKind::Bytes(payload) =
                    std::mem::replace(&mut self.kind, ReplyBodyKind::Empty)
                else {
                    return Poll::Ready(None);
                };
                Poll::Ready(Some(Ok(Frame::data(payload.into_bytes()))))
            }
            ReplyBodyKind::Stream(stream) => stream
                .as_mut()
                .poll_next(cx)
                .map(|next| next.map(|chunk| chunk.map(Frame::data))),
            ReplyBodyKind::Sized(stream, left) => {
                let chunk = match ready!(stream.as_mut().poll_next(cx)) {
                    Some(Ok(chunk)) => chunk,
                    Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                    None if *left == 0 => return Poll::Ready(None),
                    None => {
                        return Poll::Ready(Some(Err(
                            "the stream ended before its announced size".into(),
                        )));
                    }
                };
                let Some(rest) = left.checked_sub(chunk.len() as u64) else {
                    return Poll::Ready(Some(Err(
                        "the stream is longer than its announced size".into()
                    )));
                };
                *left = rest;
                Poll::Ready(Some(Ok(Frame::data(chunk))))
            }
            ReplyBodyKind::Foreign(body) => body.as_mut().poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.kind {
            ReplyBodyKind::Empty => true,
            ReplyBodyKind::Foreign(body) => body.is_end_stream(),
            ReplyBodyKind::Bytes(_) | ReplyBodyKind::Stream(_) | ReplyBodyKind::Sized(..) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        self.size().map(SizeHint::with_exact).unwrap_or_default()
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
    /// A stream with its chunks and errors converted to our types.
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
    /// The body of a tower service with its data and errors converted to our types.
    struct ForeignBody<B> {
        #[pin]
        body: B,
    }
}

impl<B> HttpBody for ForeignBody<B>
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
