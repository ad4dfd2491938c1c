//! A body that is compressed on its way.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body as HttpBody, Frame};

use super::encoder::Encoder;
use crate::body::BoxError;
use crate::coding::{Coding, Levels};
use crate::response::ReplyBody;

/// How much is compressed before others have their turn.
const PIECE: usize = 32 * 1024;

/// A body, compressed chunk by chunk. What has come in has gone out before more is waited for.
pub(super) struct Compressed {
    source: ReplyBody,
    state: State,
    /// Read and not yet compressed.
    waiting: Bytes,
    trailers: Option<Frame<Bytes>>,
}

enum State {
    /// Compressors are large: there is none before it has something to do.
    New(Coding, Levels),
    Working(Encoder),
    Done,
}

impl Compressed {
    pub(super) fn new(source: ReplyBody, coding: Coding, levels: Levels) -> Self {
        Self {
            source,
            state: State::New(coding, levels),
            waiting: Bytes::new(),
            trailers: None,
        }
    }

    fn encoder(&mut self) -> Option<&mut Encoder> {
        if let State::New(coding, levels) = self.state {
            let size = self.source.size().and_then(|size| size.try_into().ok());
            self.state = State::Working(Encoder::new(coding, levels, size));
        }
        match &mut self.state {
            State::Working(encoder) => Some(encoder),
            State::New(..) | State::Done => None,
        }
    }

    /// Compresses a piece of what is waiting.
    fn advance(&mut self) -> Result<Bytes, BoxError> {
        let piece = self.waiting.split_to(self.waiting.len().min(PIECE));
        let more = !self.waiting.is_empty() || self.source.is_end_stream();
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
        match std::mem::replace(&mut self.state, State::Done) {
            State::Working(encoder) => Ok(encoder.finish()?),
            State::New(..) | State::Done => Ok(Bytes::new()),
        }
    }
}

impl HttpBody for Compressed {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        loop {
            if let State::Done = self.state {
                return Poll::Ready(self.trailers.take().map(Ok));
            }
            let out = if self.waiting.is_empty() {
                match ready!(Pin::new(&mut self.source).poll_frame(cx)).transpose()? {
                    None => self.finish()?,
                    Some(frame) => match frame.into_data() {
                        Ok(chunk) => {
                            self.waiting = chunk;
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
            if !out.is_empty() {
                return Poll::Ready(Some(Ok(Frame::data(out))));
            }
            if !self.waiting.is_empty() {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
        }
    }
}
