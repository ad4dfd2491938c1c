//! An encrypted connection, split into halves.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_rustls::server::TlsStream;

use crate::runtime::ConnectionActivity;
use crate::server::socket::StreamSocket;

/// One half of an encrypted connection. Both halves share the session.
///
/// Both belong to the connection's task, so the lock is never contended.
pub(in crate::server) struct TlsHalf(Arc<Mutex<TlsSession>>);

struct TlsSession {
    stream: TlsStream<StreamSocket>,
    activity: Arc<ConnectionActivity>,
}

impl TlsHalf {
    /// Makes the read half and the write half of a stream.
    pub(super) fn pair(
        stream: TlsStream<StreamSocket>,
        activity: Arc<ConnectionActivity>,
    ) -> (Self, Self) {
        let session = Arc::new(Mutex::new(TlsSession { stream, activity }));
        (Self(Arc::clone(&session)), Self(session))
    }

    /// Returns the certificate of the client in DER, if it has sent one.
    pub(super) fn peer_certificate(&self) -> Option<Vec<u8>> {
        self.with(|session| {
            let (_, connection) = session.stream.get_ref();
            let leaf = connection.peer_certificates()?.first()?;
            Some(leaf.to_vec())
        })
    }

    fn with<T>(&self, call: impl FnOnce(&mut TlsSession) -> T) -> T {
        call(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for TlsSession {
    /// Sends `close_notify` to a client whose connection was idle for too long.
    ///
    /// In the middle of a response it is not sent: the client would take a part for the whole.
    fn drop(&mut self) {
        if !self.activity.is_idle() {
            return;
        }
        let (socket, connection) = self.stream.get_mut();
        connection.send_close_notify();
        let _ = connection.write_tls(&mut NonBlocking(socket));
    }
}

/// Writes what the socket takes without waiting.
struct NonBlocking<'s>(&'s StreamSocket);

impl io::Write for NonBlocking<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0 {
            StreamSocket::Tcp(stream) => stream.try_write(bytes),
            StreamSocket::Unix(stream) => stream.try_write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl AsyncRead for TlsHalf {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.with(|session| Pin::new(&mut session.stream).poll_read(cx, buffer))
    }
}

impl AsyncWrite for TlsHalf {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.with(|session| Pin::new(&mut session.stream).poll_write(cx, bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.with(|session| Pin::new(&mut session.stream).poll_flush(cx))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.with(|session| Pin::new(&mut session.stream).poll_shutdown(cx))
    }
}
