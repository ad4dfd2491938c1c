//! The connection as hyper sees it: with the bytes that were read to find out its protocol put back,
//! and every read and write counted.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};

use super::pulse::Pulse;

/// What an HTTP/2 client says first.
const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Which protocol a client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protocol {
    Http1,
    Http2,
}

/// A counted stream that first repeats what was read already.
pub(super) struct Watched<S> {
    inner: TokioIo<S>,
    pulse: Arc<Pulse>,
    start: Vec<u8>,
    repeated: usize,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Watched<S> {
    /// Reads as much as it takes to tell HTTP/2 from HTTP/1.
    pub(super) async fn detect(mut stream: S, pulse: Arc<Pulse>) -> io::Result<(Protocol, Self)> {
        let mut start = Vec::new();
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
            if stream.read_buf(&mut start).await? == 0 {
                break Protocol::Http1;
            }
        };
        Ok((
            protocol,
            Self {
                inner: TokioIo::new(stream),
                pulse,
                start,
                repeated: 0,
            },
        ))
    }
}

impl<S: AsyncRead + Unpin> Read for Watched<S> {
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
        ready!(Pin::new(&mut this.inner).poll_read(cx, buffer))?;
        this.pulse.received();
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> Write for Watched<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = &mut *self;
        let written = ready!(Pin::new(&mut this.inner).poll_write(cx, bytes))?;
        this.pulse.sent();
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = &mut *self;
        let written = ready!(Pin::new(&mut this.inner).poll_write_vectored(cx, parts))?;
        this.pulse.sent();
        Poll::Ready(Ok(written))
    }
}
