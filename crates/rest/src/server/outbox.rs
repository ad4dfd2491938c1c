//! The way out of a connection.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use tokio::io::AsyncWrite;

use super::pulse::Pulse;
use crate::spare;

/// How many bytes of answers may wait for those after them.
const HOLD: usize = 16 * 1024;

/// An answer of more bytes than this is not worth copying: it leaves at once.
const DIRECT: usize = 4 * 1024;

/// The way out of a connection, with the answers that wait for each other.
///
/// hyper writes each answer of a pipeline when it is ready. Held until the connection's task has no
/// more to do, all that are ready leave in one packet. hyper's own `pipeline_flush` is no way to get
/// there: it waits for as long as there are bytes of a next request, even if that is never completed,
/// and keeps in memory whatever is to be sent meanwhile.
pub(super) enum Outbox<W> {
    /// Nobody else sends.
    Own(Out<W>),
    /// hyper sends, and so does the task around it when its turn ends.
    Shared(Arc<Mutex<Out<W>>>),
}

pub(super) struct Out<W> {
    writer: W,
    held: Vec<u8>,
    /// How much of it has been sent.
    sent: usize,
    pulse: Arc<Pulse>,
    /// Whether the client does not read.
    blocked: bool,
}

impl<W: AsyncWrite + Unpin> Outbox<W> {
    pub(super) fn new(writer: W, pulse: Arc<Pulse>) -> Self {
        Self::Own(Out {
            writer,
            held: Vec::new(),
            sent: 0,
            pulse,
            blocked: false,
        })
    }

    /// One for hyper and one for the task around it.
    pub(super) fn share(self) -> (Self, Self) {
        let shared = match self {
            Self::Own(out) => Arc::new(Mutex::new(out)),
            Self::Shared(shared) => shared,
        };
        (Self::Shared(Arc::clone(&shared)), Self::Shared(shared))
    }

    pub(super) fn with<T>(&mut self, work: impl FnOnce(&mut Out<W>) -> T) -> T {
        match self {
            Self::Own(out) => work(out),
            // Only the task of the connection ever asks, so nobody waits here.
            Self::Shared(out) => work(&mut out.lock().unwrap_or_else(PoisonError::into_inner)),
        }
    }

    /// Sends what is held.
    pub(super) fn poll_empty(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.with(|out| out.poll_empty(cx))
    }
}

impl<W: AsyncWrite + Unpin> Out<W> {
    /// Bytes that wait until the end of the turn, to be added to.
    pub(super) fn held(&mut self) -> &mut Vec<u8> {
        if self.held.capacity() == 0 {
            self.held = spare::take();
        }
        &mut self.held
    }

    #[cfg(feature = "websocket")]
    pub(super) fn has_held(&self) -> bool {
        !self.held.is_empty()
    }

    pub(super) fn poll_shutdown(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.writer).poll_shutdown(cx)
    }

    pub(super) fn poll_hold(
        &mut self,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let is_large = bytes.len() > DIRECT;
        if is_large || self.held.len() + bytes.len() > HOLD {
            ready!(self.poll_empty(cx))?;
        }
        if is_large {
            return self.poll_write(cx, bytes);
        }
        self.held().extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    pub(super) fn poll_send(
        &mut self,
        cx: &mut Context<'_>,
        bytes: &[u8],
        sent: &mut usize,
    ) -> Poll<io::Result<()>> {
        if *sent == 0 && bytes.len() <= DIRECT && self.held.len() + bytes.len() <= HOLD {
            self.held().extend_from_slice(bytes);
            return Poll::Ready(Ok(()));
        }
        loop {
            let held = self.held.get(self.sent..).unwrap_or_default();
            let left = bytes.get(*sent..).unwrap_or_default();
            if held.is_empty() && left.is_empty() {
                self.forget_held();
                return Poll::Ready(Ok(()));
            }
            let length = held.len();
            let parts = [IoSlice::new(held), IoSlice::new(left)];
            let parts = if held.is_empty() {
                parts.get(1..).unwrap_or_default()
            } else {
                &parts
            };
            let written = Pin::new(&mut self.writer).poll_write_vectored(cx, parts);
            self.note(written.is_pending());
            let written = ready!(written)?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.sent += written.min(length);
            *sent += written.saturating_sub(length);
        }
    }

    /// What was held has been sent.
    fn forget_held(&mut self) {
        self.sent = 0;
        spare::give_back(std::mem::take(&mut self.held));
    }

    pub(super) fn poll_write(
        &mut self,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.writer).poll_write(cx, bytes);
        self.note(written.is_pending());
        written
    }

    pub(super) fn poll_empty(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.held.is_empty() {
            while let Some(left) = self.held.get(self.sent..)
                && !left.is_empty()
            {
                let written = Pin::new(&mut self.writer).poll_write(cx, left);
                self.note(written.is_pending());
                match ready!(written)? {
                    0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                    written => self.sent += written,
                }
            }
            self.forget_held();
        }
        // A TCP socket has nothing of its own to flush; an encrypted one may.
        Pin::new(&mut self.writer).poll_flush(cx)
    }

    /// Tells the janitor how a write went.
    fn note(&mut self, blocked: bool) {
        if !blocked {
            self.pulse.moved();
        }
        if blocked != self.blocked {
            self.blocked = blocked;
            self.pulse.block(blocked);
        }
    }
}
