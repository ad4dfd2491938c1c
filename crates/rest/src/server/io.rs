//! The connection as hyper sees it: with the bytes that were read to find out its protocol put back,
//! every read and write counted, answers of one turn sent together, and closed in a way that lets
//! the client read the last of them.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

use super::listener::Reader;
use super::outbox::Outbox;
use super::pulse::Pulse;
use crate::spare;

/// What an HTTP/2 client says first.
const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Room for what a client sends first, so that pipelined requests are read in one go.
const FIRST_READ: usize = 4 * 1024;

/// How long a closed connection is still read from.
pub(super) const LINGER: Duration = Duration::from_secs(1);

/// Which protocol a client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protocol {
    Http1,
    Http2,
    /// None of ours: bytes go through as they are.
    #[cfg(feature = "websocket")]
    Other,
}

/// A counted stream that first repeats what was read already.
pub(super) struct Watched<R, W> {
    reader: TokioIo<R>,
    outbox: Outbox<W>,
    pulse: Arc<Pulse>,
    protocol: Protocol,
    start: Vec<u8>,
    repeated: usize,
    /// Set once our side is closed.
    linger: Option<Pin<Box<Sleep>>>,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Watched<R, W> {
    /// Reads as much as it takes to tell HTTP/2 from HTTP/1.
    pub(super) async fn detect(mut reader: R, writer: W, pulse: Arc<Pulse>) -> io::Result<Self> {
        let mut start = Vec::with_capacity(FIRST_READ);
        let protocol = loop {
            let known = PREFACE
                .get(..start.len().min(PREFACE.len()))
                .unwrap_or(PREFACE);
            if !start.starts_with(known) {
                break Protocol::Http1;
            }
            if start.len() >= PREFACE.len() {
                break Protocol::Http2;
            }
            if reader.read_buf(&mut start).await? == 0 {
                break Protocol::Http1;
            }
        };
        Ok(Self {
            reader: TokioIo::new(reader),
            outbox: Outbox::new(writer, Arc::clone(&pulse)),
            pulse,
            protocol,
            start,
            repeated: 0,
            linger: None,
        })
    }

    #[cfg(feature = "tls")]
    pub(super) fn reader(&self) -> &R {
        self.reader.inner()
    }

    pub(super) fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// What was read and not used yet.
    pub(super) fn unread(&self) -> &[u8] {
        self.start.get(self.repeated..).unwrap_or_default()
    }

    /// Whether it is worth reading on while an answer is being made.
    pub(super) fn has_room(&self) -> bool {
        self.unread().len() < FIRST_READ
    }

    /// Uses so many of the bytes that were read.
    pub(super) fn consume(&mut self, count: usize) {
        self.repeated += count;
        if self.repeated >= self.start.len() {
            spare::give_back(std::mem::take(&mut self.start));
            self.repeated = 0;
        }
    }

    /// Adds to the bytes that wait until the end of the turn.
    pub(super) fn hold<T>(&mut self, write: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        self.outbox.with(|out| write(out.held()))
    }

    /// Sends the bytes that wait.
    pub(super) fn poll_send_held(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.outbox.poll_empty(cx)
    }

    /// Sends bytes after those that wait, together with them, or has them wait too if they are few.
    /// `sent` says how many have been sent, from one call to the next.
    pub(super) fn poll_send(
        &mut self,
        cx: &mut Context<'_>,
        bytes: &[u8],
        sent: &mut usize,
    ) -> Poll<io::Result<()>> {
        self.outbox.with(|out| out.poll_send(cx, bytes, sent))
    }

    /// For hyper; where answers wait until the end of a turn stays with us.
    pub(super) fn share(self) -> (Self, Outbox<W>) {
        let (outbox, ours) = self.outbox.share();
        (Self { outbox, ..self }, ours)
    }

    /// Goes on in another protocol, with what was read of it already.
    #[cfg(feature = "websocket")]
    pub(super) fn switch(mut self, start: &[u8]) -> Self {
        self.protocol = Protocol::Other;
        self.start = start.to_vec();
        self.repeated = 0;
        self
    }

    /// Reads and forgets until the client closes its side too, or the time is up.
    ///
    /// A socket that is closed with bytes left to read resets the connection, and the client may
    /// lose the answer that says why its request was refused.
    fn poll_linger(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let linger = self
            .linger
            .get_or_insert_with(|| Box::pin(tokio::time::sleep(LINGER)));
        if self.pulse.is_stopping() || linger.as_mut().poll(cx).is_ready() {
            return Poll::Ready(());
        }
        let mut room = [0; 4 * 1024];
        loop {
            let mut buffer = ReadBuf::new(&mut room);
            let read = Pin::new(self.reader.inner_mut()).poll_read(cx, &mut buffer);
            match ready!(read) {
                Ok(()) if !buffer.filled().is_empty() => {}
                Ok(()) | Err(_) => return Poll::Ready(()),
            }
        }
    }
}

impl<W> Watched<Reader, W> {
    /// Reads more; says how many bytes have come.
    pub(super) fn poll_fill(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        // Most of the time there is nothing, and no room is needed for it.
        ready!(self.reader.inner().poll_readable(cx))?;
        if self.repeated > 0 {
            self.start.drain(..self.repeated);
            self.repeated = 0;
        }
        if self.start.capacity() == 0 {
            self.start = spare::take();
        } else if self.start.len() == self.start.capacity() {
            self.start.reserve(FIRST_READ);
        }
        let read = self.reader.inner_mut().poll_receive(cx, &mut self.start);
        if self.start.is_empty() {
            spare::give_back(std::mem::take(&mut self.start));
        }
        let count = ready!(read)?;
        self.pulse.received();
        Poll::Ready(Ok(count))
    }
}

impl<R: AsyncRead + Unpin, W: Unpin> Read for Watched<R, W> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        mut buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if let Some(left) = this.start.get(this.repeated..)
            && !left.is_empty()
        {
            let now = left.len().min(buffer.remaining());
            buffer.put_slice(left.get(..now).unwrap_or(left));
            this.repeated += now;
            if this.repeated == this.start.len() {
                this.start = Vec::new();
                this.repeated = 0;
            }
            return Poll::Ready(Ok(()));
        }
        ready!(Pin::new(&mut this.reader).poll_read(cx, buffer))?;
        match this.protocol {
            Protocol::Http1 => this.pulse.received(),
            // Frames come between requests too: only the first head is waited for.
            Protocol::Http2 => this.pulse.moved(),
            #[cfg(feature = "websocket")]
            Protocol::Other => this.pulse.moved(),
        }
        Poll::Ready(Ok(()))
    }
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Write for Watched<R, W> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let protocol = self.protocol;
        self.outbox.with(|out| match protocol {
            Protocol::Http1 => out.poll_hold(cx, bytes),
            Protocol::Http2 => out.poll_write(cx, bytes),
            #[cfg(feature = "websocket")]
            Protocol::Other => {
                // The answer that has changed the protocol goes first.
                if out.has_held() {
                    ready!(out.poll_empty(cx))?;
                }
                out.poll_write(cx, bytes)
            }
        })
    }

    /// What is held leaves at the end of the turn.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.protocol {
            Protocol::Http1 => Poll::Ready(Ok(())),
            Protocol::Http2 => self.outbox.poll_empty(cx),
            #[cfg(feature = "websocket")]
            Protocol::Other => self.outbox.poll_empty(cx),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.linger.is_none() {
            ready!(self.outbox.poll_empty(cx))?;
            ready!(self.outbox.with(|out| out.poll_shutdown(cx)))?;
        }
        self.poll_linger(cx).map(Ok)
    }
}
