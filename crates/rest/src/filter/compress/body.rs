//! A body that is compressed while it is sent.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body as HttpBody, Frame};

use crate::box_error::BoxError;
use crate::coding::{Coding, Encoder, Levels};
use crate::response::ReplyBody;

/// The most bytes that are compressed before the task yields.
const STEP: usize = 32 * 1024;

/// A body that is compressed chunk by chunk. Each chunk is flushed before it waits for the next.
pub(super) struct CompressedBody {
    source: ReplyBody,
    state: EncodingState,
    /// Bytes that are read and not yet compressed.
    pending: Bytes,
    trailers: Option<Frame<Bytes>>,
}

enum EncodingState {
    /// Compressors are large, so it is made when the first bytes arrive.
    New(Coding, Levels),
    Working(Encoder),
    Done,
}

impl CompressedBody {
    pub(super) fn new(source: ReplyBody, coding: Coding, levels: Levels) -> Self {
        Self {
            source,
            state: EncodingState::New(coding, levels),
            pending: Bytes::new(),
            trailers: None,
        }
    }

    fn encoder(&mut self) -> Option<&mut Encoder> {
        if let EncodingState::New(coding, levels) = self.state {
            let size = self.source.size().and_then(|size| size.try_into().ok());
            self.state = EncodingState::Working(Encoder::new(coding, levels, size));
        }
        match &mut self.state {
            EncodingState::Working(encoder) => Some(encoder),
            EncodingState::New(..) | EncodingState::Done => None,
        }
    }

    /// Compresses one step of the pending bytes.
    fn advance(&mut self) -> Result<Bytes, BoxError> {
        let piece = self.pending.split_to(self.pending.len().min(STEP));
        let more = !self.pending.is_empty() || self.source.is_end_stream();
        let Some(encoder) = self.encoder() else {
            return Ok(Bytes::new());
        };
        encoder.write(&piece)?;
        if !more {
            encoder.flush()?;
        }
        Ok(encoder.take())
    }

    fn finish(&mut self) -> Result<Bytes, BoxError> {
        self.encoder();
        match std::mem::replace(&mut self.state, EncodingState::Done) {
            EncodingState::Working(encoder) => Ok(encoder.finish()?),
            EncodingState::New(..) | EncodingState::Done => Ok(Bytes::new()),
        }
    }
}

impl HttpBody for CompressedBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        loop {
            if let EncodingState::Done = self.state {
                return Poll::Ready(self.trailers.take().map(Ok));
            }
            let encoded = if self.pending.is_empty() {
                match ready!(Pin::new(&mut self.source).poll_frame(cx)).transpose()? {
                    None => self.finish()?,
                    Some(frame) => match frame.into_data() {
                        Ok(chunk) => {
                            self.pending = chunk;
                            continue;
                        }
                        Err(trailers) => {
                            self.trailers = Some(trailers);
                            self.finish()?
                        }
                    },
                }
            } else {
                self.advance()?
            };
            if !encoded.is_empty() {
                return Poll::Ready(Some(Ok(Frame::data(encoded))));
            }
            if !self.pending.is_empty() {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
        }
    }
}
