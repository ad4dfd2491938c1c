//! A body that is put together from ranges of the content and text between them.

use std::collections::VecDeque;
use std::ops::Range;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf as _, Bytes};
use futures_core::Stream;

use crate::box_error::BoxError;
use crate::response::{ByteStream, Content, OpenRange};

/// Returns a range of bytes in memory.
pub(super) fn slice(bytes: &Bytes, range: &Range<u64>) -> Bytes {
    let index = |offset: u64| {
        usize::try_from(offset)
            .unwrap_or(usize::MAX)
            .min(bytes.len())
    };
    let (start, end) = (index(range.start), index(range.end));
    bytes.slice(start.min(end)..end)
}

/// A piece of a body.
#[derive(Debug)]
pub(super) enum BodyPiece {
    Text(Bytes),
    /// Bytes of the content.
    Range(Range<u64>),
}

impl BodyPiece {
    pub(super) fn length(&self) -> u64 {
        match self {
            Self::Text(text) => text.len() as u64,
            Self::Range(range) => range.end - range.start,
        }
    }
}

/// Content that is read in ranges, in any order or forwards only.
pub(super) enum ContentReader {
    Bytes(Bytes),
    Seekable {
        open: OpenRange,
        /// The stream of the range being read.
        current: Option<ByteStream>,
    },
    Forward {
        stream: ByteStream,
        /// Bytes that were read and not used.
        unread: Bytes,
        /// The offset of the unread bytes.
        offset: u64,
    },
}

impl ContentReader {
    pub(super) fn new(content: Content) -> Self {
        match content {
            Content::Bytes(payload) => Self::Bytes(payload.into_bytes()),
            Content::Seekable(open, _) => Self::Seekable {
                open,
                current: None,
            },
            Content::Stream(stream, _) => Self::Forward {
                stream,
                unread: Bytes::new(),
                offset: 0,
            },
            // Content of other kinds has no size, and so no ranges.
            _ => Self::Bytes(Bytes::new()),
        }
    }

    pub(super) fn is_forward_only(&self) -> bool {
        matches!(self, Self::Forward { .. })
    }

    /// Reads the next bytes of a range: some of them, or all.
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
                unread,
                offset,
            } => {
                while *offset + unread.len() as u64 <= range.start {
                    *offset += unread.len() as u64;
                    *unread = match ready!(poll_chunk(stream, cx)) {
                        Ok(chunk) => chunk,
                        Err(error) => return Poll::Ready(Err(error)),
                    };
                }
                let skipped = usize::try_from(range.start - *offset).unwrap_or(usize::MAX);
                unread.advance(skipped.min(unread.len()));
                *offset = range.start;
                let length = usize::try_from(range.end - range.start).unwrap_or(usize::MAX);
                let chunk = unread.split_to(length.min(unread.len()));
                *offset += chunk.len() as u64;
                Poll::Ready(Ok(chunk))
            }
        }
    }
}

/// Reads the next chunk that is not empty.
fn poll_chunk(stream: &mut ByteStream, cx: &mut Context<'_>) -> Poll<Result<Bytes, BoxError>> {
    loop {
        match ready!(stream.as_mut().poll_next(cx)) {
            Some(Ok(chunk)) if chunk.is_empty() => {}
            Some(chunk) => return Poll::Ready(chunk),
            None => return Poll::Ready(Err("the stream ended before its announced size".into())),
        }
    }
}

/// A stream of pieces.
pub(super) struct PieceStream {
    reader: ContentReader,
    pieces: VecDeque<BodyPiece>,
}

impl PieceStream {
    pub(super) fn new(reader: ContentReader, pieces: Vec<BodyPiece>) -> Self {
        Self {
            reader,
            pieces: pieces.into(),
        }
    }

    pub(super) fn into_content(self, length: u64) -> Content {
        Content::Stream(Box::pin(self), Some(length))
    }
}

impl Stream for PieceStream {
    type Item = Result<Bytes, BoxError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Self { reader, pieces } = &mut *self;
        let chunk = match pieces.front_mut() {
            None => return Poll::Ready(None),
            Some(BodyPiece::Text(text)) => Ok(std::mem::take(text)),
            Some(BodyPiece::Range(range)) => {
                let chunk = ready!(reader.poll_read(cx, range));
                if let Ok(chunk) = &chunk {
                    range.start += chunk.len() as u64;
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
