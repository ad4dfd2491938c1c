//! A connection as the fast path and hyper read and write it.
//!
//! The stream repeats the bytes that were read to detect the protocol, records every read and write
//! for the timeout check, sends the responses of one poll together, and closes in a way that lets the
//! client read the last of them.

use std::io;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncReadExt, ReadBuf};
use tokio::time::Sleep;

use super::buffered_writer::WriterHandle;
use super::frame_scanner::FrameScanner;
use super::halves::{ReadHalf, WriteHalf};
use crate::runtime::{ConnectionActivity, recycle_buffer, take_buffer};

/// The connection preface of HTTP/2.
const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The capacity for the first read, so that pipelined requests are read in one call.
const FIRST_READ: usize = 4 * 1024;

/// The largest read of an HTTP/2 connection.
const FRAME_READ: usize = 16 * 1024;

/// How long a closed connection is still read from.
pub(super) const LINGER: Duration = Duration::from_secs(1);

/// The protocol of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protocol {
    Http1,
    Http2,
    /// The connection was upgraded to a protocol that reads and writes raw bytes.
    #[cfg(feature = "websocket")]
    Upgraded,
}

/// Both halves of a connection, with a read buffer and a write buffer.
pub(super) struct ConnectionStream {
    reader: TokioIo<ReadHalf>,
    writer: WriterHandle,
    activity: Arc<ConnectionActivity>,
    protocol: Protocol,
    read_buffer: Vec<u8>,
    /// How much of the read buffer has been used.
    consumed: usize,
    /// The scanners of received and sent frames; `None` for HTTP/1.
    frames: Option<Box<[FrameScanner; 2]>>,
    /// Set once the write half is closed.
    linger: Option<Pin<Box<Sleep>>>,
}

impl ConnectionStream {
    /// Reads as much as it takes to tell HTTP/2 from HTTP/1.
    pub(super) async fn detect(
        mut reader: ReadHalf,
        writer: WriteHalf,
        activity: Arc<ConnectionActivity>,
    ) -> io::Result<Self> {
        let mut read_buffer = Vec::with_capacity(FIRST_READ);
        let protocol = loop {
            let expected = PREFACE
                .get(..read_buffer.len().min(PREFACE.len()))
                .unwrap_or(PREFACE);
            if !read_buffer.starts_with(expected) {
                break Protocol::Http1;
            }
            if read_buffer.len() >= PREFACE.len() {
                break Protocol::Http2;
            }
            if reader.read_buf(&mut read_buffer).await? == 0 {
                break Protocol::Http1;
            }
        };
        Ok(Self {
            reader: TokioIo::new(reader),
            writer: WriterHandle::new(writer, Arc::clone(&activity)),
            activity,
            protocol,
            read_buffer,
            consumed: 0,
            frames: (protocol == Protocol::Http2).then(|| {
                let received = FrameScanner::after_preface(PREFACE.len());
                Box::new([received, FrameScanner::default()])
            }),
            linger: None,
        })
    }

    #[cfg(feature = "tls")]
    pub(super) fn reader(&self) -> &ReadHalf {
        self.reader.inner()
    }

    pub(super) fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// The bytes that were read and not consumed.
    pub(super) fn unread(&self) -> &[u8] {
        self.read_buffer.get(self.consumed..).unwrap_or_default()
    }

    /// Whether the read buffer takes more while a response is being made.
    pub(super) fn has_room(&self) -> bool {
        self.unread().len() < FIRST_READ
    }

    /// Consumes this many of the unread bytes.
    pub(super) fn consume(&mut self, count: usize) {
        self.consumed += count;
        if self.consumed >= self.read_buffer.len() {
            recycle_buffer(std::mem::take(&mut self.read_buffer));
            self.consumed = 0;
        }
    }

    /// Reads more into the read buffer. Returns how many bytes were read; 0 is the end.
    pub(super) fn poll_fill(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        // Most of the time there is nothing to read, and no buffer is needed for it.
        ready!(self.reader.inner().poll_readable(cx))?;
        if self.consumed > 0 {
            self.read_buffer.drain(..self.consumed);
            self.consumed = 0;
        }
        if self.read_buffer.capacity() == 0 {
            self.read_buffer = take_buffer();
        } else if self.read_buffer.len() == self.read_buffer.capacity() {
            self.read_buffer.reserve(FIRST_READ);
        }
        let read = self
            .reader
            .inner_mut()
            .poll_receive(cx, &mut self.read_buffer);
        if self.read_buffer.is_empty() {
            recycle_buffer(std::mem::take(&mut self.read_buffer));
        }
        let count = ready!(read)?;
        self.activity.bytes_received();
        Poll::Ready(Ok(count))
    }

    /// Appends to the write buffer, which is sent at the end of the poll.
    pub(super) fn buffer<T>(&mut self, append: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        self.writer.with(|writer| append(writer.buffer()))
    }

    /// Sends the write buffer.
    pub(super) fn poll_send_buffered(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.writer.poll_flush(cx)
    }

    /// Sends bytes together with the write buffer, or appends them to it if they are few. `sent`
    /// counts what has been sent of them, from one call to the next.
    pub(super) fn poll_send(
        &mut self,
        cx: &mut Context<'_>,
        bytes: &[u8],
        sent: &mut usize,
    ) -> Poll<io::Result<()>> {
        self.writer
            .with(|writer| writer.poll_write_all(cx, bytes, sent))
    }

    /// Makes a second handle on the writer, to flush it when hyper owns the stream.
    pub(super) fn share_writer(self) -> (Self, WriterHandle) {
        let (writer, second) = self.writer.share();
        (Self { writer, ..self }, second)
    }

    /// Continues in another protocol, whose first bytes were read already.
    #[cfg(feature = "websocket")]
    pub(super) fn upgrade(mut self, first_bytes: &[u8]) -> Self {
        self.protocol = Protocol::Upgraded;
        self.read_buffer = first_bytes.to_vec();
        self.consumed = 0;
        self
    }

    /// Reads frames of HTTP/2 and records progress if any of them belongs to a request. The head
    /// timeout holds for the first head only: frames come between requests too.
    fn poll_read_frames(
        &mut self,
        cx: &mut Context<'_>,
        buffer: &mut ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        if self.unread().is_empty() {
            let mut room = [const { MaybeUninit::uninit() }; FRAME_READ];
            let size = buffer.remaining().min(FRAME_READ);
            let mut read = ReadBuf::uninit(room.get_mut(..size).unwrap_or_default());
            ready!(Pin::new(self.reader.inner_mut()).poll_read(cx, &mut read))?;
            self.receive_frames(read.filled());
            buffer.put_slice(read.filled());
            return Poll::Ready(Ok(()));
        }
        let mut unread = std::mem::take(&mut self.read_buffer).split_off(self.consumed);
        self.consumed = 0;
        self.read_buffer = unread.split_off(unread.len().min(buffer.remaining()));
        self.receive_frames(&unread);
        buffer.put_slice(&unread);
        Poll::Ready(Ok(()))
    }

    fn receive_frames(&mut self, bytes: &[u8]) {
        if let Some(frames) = &mut self.frames
            && let [received, _] = &mut **frames
            && received.scan(bytes)
        {
            self.activity.progressed();
        }
    }

    /// Reads and discards until the client closes its side too, or the time is up.
    ///
    /// Closing a socket with bytes left to read resets the connection, and the client may lose the
    /// response that says why its request was refused.
    fn poll_linger(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let linger = self
            .linger
            .get_or_insert_with(|| Box::pin(tokio::time::sleep(LINGER)));
        if self.activity.is_stopping() || linger.as_mut().poll(cx).is_ready() {
            return Poll::Ready(());
        }
        let mut discarded = [0; 4 * 1024];
        loop {
            let mut buffer = ReadBuf::new(&mut discarded);
            let read = Pin::new(self.reader.inner_mut()).poll_read(cx, &mut buffer);
            match ready!(read) {
                Ok(()) if !buffer.filled().is_empty() => {}
                Ok(()) | Err(_) => return Poll::Ready(()),
            }
        }
    }
}

impl Read for ConnectionStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        mut buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.protocol == Protocol::Http2 {
            return this.poll_read_frames(cx, &mut buffer);
        }
        if let Some(unread) = this.read_buffer.get(this.consumed..)
            && !unread.is_empty()
        {
            let count = unread.len().min(buffer.remaining());
            buffer.put_slice(unread.get(..count).unwrap_or(unread));
            this.consumed += count;
            if this.consumed == this.read_buffer.len() {
                this.read_buffer = Vec::new();
                this.consumed = 0;
            }
            return Poll::Ready(Ok(()));
        }
        ready!(Pin::new(&mut this.reader).poll_read(cx, buffer))?;
        match this.protocol {
            Protocol::Http1 => this.activity.bytes_received(),
            Protocol::Http2 => {}
            #[cfg(feature = "websocket")]
            Protocol::Upgraded => this.activity.progressed(),
        }
        Poll::Ready(Ok(()))
    }
}

impl Write for ConnectionStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let protocol = self.protocol;
        let written = self.writer.with(|writer| match protocol {
            Protocol::Http1 => writer.poll_write_buffered(cx, bytes),
            Protocol::Http2 => writer.poll_write_uncounted(cx, bytes),
            #[cfg(feature = "websocket")]
            Protocol::Upgraded => {
                // The response that accepts the upgrade goes first.
                if writer.has_buffered() {
                    ready!(writer.poll_flush(cx))?;
                }
                writer.poll_write(cx, bytes)
            }
        });
        if let (Poll::Ready(Ok(count)), Some(frames)) = (&written, &mut self.frames)
            && let [_, sent] = &mut **frames
            && sent.scan(bytes.get(..*count).unwrap_or(bytes))
        {
            self.activity.progressed();
        }
        written
    }

    /// Does nothing for HTTP/1, whose buffer is sent at the end of the poll.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.protocol {
            Protocol::Http1 => Poll::Ready(Ok(())),
            Protocol::Http2 => self.writer.poll_flush(cx),
            #[cfg(feature = "websocket")]
            Protocol::Upgraded => self.writer.poll_flush(cx),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.linger.is_none() {
            ready!(self.writer.poll_flush(cx))?;
            ready!(self.writer.with(|writer| writer.poll_shutdown(cx)))?;
        }
        self.poll_linger(cx).map(Ok)
    }
}
