//! Content in parts: what was asked for, with or without heads between.

use std::collections::VecDeque;
use std::ops::Range;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf as _, Bytes};
use futures_core::Stream;

use crate::body::BoxError;
use crate::response::{ByteStream, Content, OpenRange};

/// The part of some bytes.
pub(super) fn slice(bytes: &Bytes, range: &Range<u64>) -> Bytes {
    let place = |number: u64| {
        usize::try_from(number)
            .unwrap_or(usize::MAX)
            .min(bytes.len())
    };
    let (start, end) = (place(range.start), place(range.end));
    bytes.slice(start.min(end)..end)
}

/// What a body is made of.
#[derive(Debug)]
pub(super) enum Piece {
    Text(Bytes),
    /// Bytes of the content.
    Range(Range<u64>),
}

impl Piece {
    pub(super) fn length(&self) -> u64 {
        match self {
            Self::Text(text) => text.len() as u64,
            Self::Range(range) => range.end - range.start,
        }
    }
}

/// Content that can be read from, from any place or forwards only.
pub(super) enum Reader {
    Bytes(Bytes),
    Seekable {
        open: OpenRange,
        current: Option<ByteStream>,
    },
    Forward {
        stream: ByteStream,
        /// What has been read and not been used.
        left: Bytes,
        /// Where that starts.
        place: u64,
    },
}

impl Reader {
    pub(super) fn of(content: Content) -> Self {
        match content {
            Content::Bytes(payload) => Self::Bytes(payload.into_bytes()),
            Content::Seekable(open, _) => Self::Seekable {
                open,
                current: None,
            },
            Content::Stream(stream, _) => Self::Forward {
                stream,
                left: Bytes::new(),
                place: 0,
            },
            // Nothing else has a size.
            _ => Self::Bytes(Bytes::new()),
        }
    }

    pub(super) fn is_forward_only(&self) -> bool {
        matches!(self, Self::Forward { .. })
    }

    /// The next bytes of a range: some of them, or all.
    fn poll_read(
        &mut self,
        cx: &mut Context<'_>,
        range: &Range<u64>,
    ) -> Poll<Result<Bytes, BoxError>> {
        match self {
            Self::Bytes(bytes) => Poll::Ready(Ok(slice(bytes, range))),
            Self::Seekable { open, current } => {
                let stream = current.get_or_insert_with(|| open(range.clone()));
                let chunk = ready!(poll_chunk(stream, cx));
                let read = chunk.as_ref().map_or(0, |chunk| chunk.len() as u64);
                if read >= range.end - range.start {
                    *current = None;
                }
                Poll::Ready(chunk)
            }
            Self::Forward {
                stream,
                left,
                place,
            } => {
                while *place + left.len() as u64 <= range.start {
                    *place += left.len() as u64;
                    *left = match ready!(poll_chunk(stream, cx)) {
                        Ok(chunk) => chunk,
                        Err(error) => return Poll::Ready(Err(error)),
                    };
                }
                let skipped = usize::try_from(range.start - *place).unwrap_or(usize::MAX);
                left.advance(skipped.min(left.len()));
                *place = range.start;
                let wanted = usize::try_from(range.end - range.start).unwrap_or(usize::MAX);
                let chunk = left.split_to(wanted.min(left.len()));
                *place += chunk.len() as u64;
                Poll::Ready(Ok(chunk))
            }
        }
    }
}

/// The next chunk that has something in it.
fn poll_chunk(stream: &mut ByteStream, cx: &mut Context<'_>) -> Poll<Result<Bytes, BoxError>> {
    loop {
        match ready!(stream.as_mut().poll_next(cx)) {
            Some(Ok(chunk)) if chunk.is_empty() => {}
            Some(chunk) => return Poll::Ready(chunk),
            None => return Poll::Ready(Err("the stream ended before its announced size".into())),
        }
    }
}

/// A body of pieces.
pub(super) struct Parts {
    reader: Reader,
    pieces: VecDeque<Piece>,
}

impl Parts {
    pub(super) fn new(reader: Reader, pieces: Vec<Piece>) -> Self {
        Self {
            reader,
            pieces: pieces.into(),
        }
    }

    pub(super) fn into_content(self, length: u64) -> Content {
        Content::Stream(Box::pin(self), Some(length))
    }
}

impl Stream for Parts {
    type Item = Result<Bytes, BoxError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Self { reader, pieces } = &mut *self;
        let chunk = match pieces.front_mut() {
            None => return Poll::Ready(None),
            Some(Piece::Text(text)) => Ok(std::mem::take(text)),
            Some(Piece::Range(range)) => {
                let chunk = ready!(reader.poll_read(cx, range));
                if let Ok(chunk) = &chunk {
                    range.start += chunk.len() as u64;
                    // A stream that says more than it was asked for.
                    if range.start > range.end {
                        let problem = "the stream is longer than its range";
                        return Poll::Ready(Some(Err(problem.into())));
                    }
                    if range.start < range.end {
                        return Poll::Ready(Some(Ok(chunk.clone())));
                    }
                }
                chunk
            }
        };
        pieces.pop_front();
        Poll::Ready(Some(chunk))
    }
}
