//! The write half of a connection, with a buffer for responses that leave together.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use tokio::io::AsyncWrite;

use super::halves::WriteHalf;
use crate::runtime::{ConnectionActivity, recycle_buffer, take_buffer};

/// How many bytes the buffer holds at most.
const CAPACITY: usize = 16 * 1024;

/// Larger writes are not worth copying: they bypass the buffer.
const LARGEST_COPY: usize = 4 * 1024;

/// A handle on the writer of a connection.
///
/// hyper writes each response of a pipeline when it is ready. They are buffered until the
/// connection's task has no more to do, so that all of them leave in one packet. hyper's own
/// `pipeline_flush` does not achieve this: it waits for as long as there are bytes of a next request,
/// even if that is never completed, and buffers without limit meanwhile.
pub(super) enum WriterHandle {
    /// The only handle.
    Owned(BufferedWriter),
    /// One handle for hyper, one for the task around it, which flushes at the end of each poll.
    Shared(Arc<Mutex<BufferedWriter>>),
}

pub(super) struct BufferedWriter {
    writer: WriteHalf,
    buffer: Vec<u8>,
    /// How much of the buffer has been written.
    written: usize,
    activity: Arc<ConnectionActivity>,
    /// Whether the last write waits for the client to read.
    is_blocked: bool,
}

impl WriterHandle {
    pub(super) fn new(writer: WriteHalf, activity: Arc<ConnectionActivity>) -> Self {
        Self::Owned(BufferedWriter {
            writer,
            buffer: Vec::new(),
            written: 0,
            activity,
            is_blocked: false,
        })
    }

    /// Makes two handles on the same writer.
    pub(super) fn share(self) -> (Self, Self) {
        let shared = match self {
            Self::Owned(writer) => Arc::new(Mutex::new(writer)),
            Self::Shared(shared) => shared,
        };
        (Self::Shared(Arc::clone(&shared)), Self::Shared(shared))
    }

    pub(super) fn with<T>(&mut self, call: impl FnOnce(&mut BufferedWriter) -> T) -> T {
        match self {
            Self::Owned(writer) => call(writer),
            // Both handles belong to the connection's task, so the lock is never contended.
            Self::Shared(shared) => {
                call(&mut shared.lock().unwrap_or_else(PoisonError::into_inner))
            }
        }
    }

    /// Writes the buffer and flushes the socket.
    pub(super) fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.with(|writer| writer.poll_flush(cx))
    }
}

impl BufferedWriter {
    /// The buffer, to append to.
    pub(super) fn buffer(&mut self) -> &mut Vec<u8> {
        if self.buffer.capacity() == 0 {
            self.buffer = take_buffer();
        }
        &mut self.buffer
    }

    #[cfg(feature = "websocket")]
    pub(super) fn has_buffered(&self) -> bool {
        !self.buffer.is_empty()
    }

    pub(super) fn poll_shutdown(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.writer).poll_shutdown(cx)
    }

    /// Appends bytes to the buffer, or writes them if they are many. Returns how many were taken.
    pub(super) fn poll_write_buffered(
        &mut self,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let is_large = bytes.len() > LARGEST_COPY;
        if is_large || self.buffer.len() + bytes.len() > CAPACITY {
            ready!(self.poll_flush(cx))?;
        }
        if is_large {
            return self.poll_write(cx, bytes);
        }
        self.buffer().extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    /// Appends bytes to the buffer if they are few, or else writes the buffer and all of them without
    /// copying. `sent` counts what has been written of them, from one call to the next.
    pub(super) fn poll_write_all(
        &mut self,
        cx: &mut Context<'_>,
        bytes: &[u8],
        sent: &mut usize,
    ) -> Poll<io::Result<()>> {
        let fits = bytes.len() <= LARGEST_COPY && self.buffer.len() + bytes.len() <= CAPACITY;
        if *sent == 0 && fits {
            self.buffer().extend_from_slice(bytes);
            return Poll::Ready(Ok(()));
        }
        loop {
            let buffered = self.buffer.get(self.written..).unwrap_or_default();
            let remaining = bytes.get(*sent..).unwrap_or_default();
            if buffered.is_empty() && remaining.is_empty() {
                self.release_buffer();
                return Poll::Ready(Ok(()));
            }
            let buffered_length = buffered.len();
            let parts = [IoSlice::new(buffered), IoSlice::new(remaining)];
            let parts = if buffered.is_empty() {
                parts.get(1..).unwrap_or_default()
            } else {
                &parts
            };
            let written = Pin::new(&mut self.writer).poll_write_vectored(cx, parts);
            self.record_write(written.is_pending());
            let written = ready!(written)?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.written += written.min(buffered_length);
            *sent += written.saturating_sub(buffered_length);
        }
    }

    /// Gives the buffer back once all of it has been written.
    fn release_buffer(&mut self) {
        self.written = 0;
        recycle_buffer(std::mem::take(&mut self.buffer));
    }

    /// Writes bytes past the buffer, which has to be empty.
    pub(super) fn poll_write(
        &mut self,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.writer).poll_write(cx, bytes);
        self.record_write(written.is_pending());
        written
    }

    /// Writes bytes past the buffer without counting them as progress, which the caller does.
    pub(super) fn poll_write_uncounted(
        &mut self,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.writer).poll_write(cx, bytes);
        self.set_blocked(written.is_pending());
        written
    }

    /// Writes the buffer and flushes the socket.
    pub(super) fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.buffer.is_empty() {
            while let Some(remaining) = self.buffer.get(self.written..)
                && !remaining.is_empty()
            {
                let written = Pin::new(&mut self.writer).poll_write(cx, remaining);
                self.record_write(written.is_pending());
                match ready!(written)? {
                    0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                    written => self.written += written,
                }
            }
            self.release_buffer();
        }
        // A TCP socket has nothing of its own to flush; an encrypted one may.
        Pin::new(&mut self.writer).poll_flush(cx)
    }

    /// Records the result of a write for the timeout check.
    fn record_write(&mut self, is_blocked: bool) {
        if !is_blocked {
            self.activity.progressed();
        }
        self.set_blocked(is_blocked);
    }

    fn set_blocked(&mut self, is_blocked: bool) {
        if is_blocked != self.is_blocked {
            self.is_blocked = is_blocked;
            self.activity.set_write_blocked(is_blocked);
        }
    }
}
