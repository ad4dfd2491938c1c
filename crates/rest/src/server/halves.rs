//! The read and write halves of a connection, plain or encrypted.
//!
//! There is one type per half for all kinds of connections, so that hyper's code is compiled once and
//! not once per kind.

use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};
use tokio::net::{tcp, unix};

use super::socket::StreamSocket;
#[cfg(target_os = "linux")]
use super::tcp as direct;
#[cfg(feature = "tls")]
use super::tls::TlsHalf;

/// The half of a connection that requests are read from.
pub(super) enum ReadHalf {
    Tcp(tcp::OwnedReadHalf),
    Unix(unix::OwnedReadHalf),
    #[cfg(feature = "tls")]
    Tls(TlsHalf),
}

/// The half of a connection that responses are written to.
pub(super) enum WriteHalf {
    Tcp(tcp::OwnedWriteHalf),
    Unix(unix::OwnedWriteHalf),
    #[cfg(feature = "tls")]
    Tls(TlsHalf),
}

/// Splits a socket that is not encrypted.
pub(super) fn split(socket: StreamSocket) -> (ReadHalf, WriteHalf) {
    match socket {
        StreamSocket::Tcp(stream) => {
            let (reader, writer) = stream.into_split();
            (ReadHalf::Tcp(reader), WriteHalf::Tcp(writer))
        }
        StreamSocket::Unix(stream) => {
            let (reader, writer) = stream.into_split();
            (ReadHalf::Unix(reader), WriteHalf::Unix(writer))
        }
    }
}

/// Evaluates an expression with the inner value of any variant.
macro_rules! for_each_variant {
    ($value:expr, $type:ident, $inner:ident => $call:expr) => {
        match $value {
            $type::Tcp($inner) => $call,
            $type::Unix($inner) => $call,
            #[cfg(feature = "tls")]
            $type::Tls($inner) => $call,
        }
    };
}

impl ReadHalf {
    /// Waits until a TCP socket may have something to read. Other sockets are always ready: reading
    /// tells.
    #[inline]
    pub(super) fn poll_readable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self::Tcp(half) = self else {
            return Poll::Ready(Ok(()));
        };
        half.as_ref().poll_read_ready(cx)
    }

    /// Reads into the spare capacity of a buffer.
    #[inline]
    pub(super) fn poll_receive(
        &mut self,
        cx: &mut Context<'_>,
        buffer: &mut Vec<u8>,
    ) -> Poll<io::Result<usize>> {
        match self {
            #[cfg(target_os = "linux")]
            Self::Tcp(half) => direct::poll_receive(half.as_ref(), cx, buffer),
            other => pin!(other.read_buf(buffer)).poll(cx),
        }
    }
}

// Inlined, so that a connection without encryption pays for one comparison and no call.
impl AsyncRead for ReadHalf {
    #[inline]
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        for_each_variant!(self.get_mut(), ReadHalf, inner => Pin::new(inner).poll_read(cx, buffer))
    }
}

impl AsyncWrite for WriteHalf {
    #[inline]
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        #[cfg(target_os = "linux")]
        if let Self::Tcp(half) = &*self {
            return direct::poll_send(half.as_ref(), cx, bytes);
        }
        for_each_variant!(self.get_mut(), WriteHalf, inner => Pin::new(inner).poll_write(cx, bytes))
    }

    #[inline]
    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        for_each_variant!(self.get_mut(), WriteHalf, inner => {
            Pin::new(inner).poll_write_vectored(cx, parts)
        })
    }

    #[inline]
    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        for_each_variant!(self.get_mut(), WriteHalf, inner => Pin::new(inner).poll_flush(cx))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        for_each_variant!(self.get_mut(), WriteHalf, inner => Pin::new(inner).poll_shutdown(cx))
    }
}
