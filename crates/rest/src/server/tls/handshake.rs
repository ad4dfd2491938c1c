//! From an accepted socket to an encrypted connection.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use webpki::EndEntityCert;

use super::Tls;
use crate::server::io::LINGER;
use crate::server::listener::{Arrival, Reader, Socket, Writer};
use crate::server::pulse::Pulse;

/// The certificate a client has proved to own; read it with `#[value]`.
///
/// It is there on servers with [`Tls::require_client_certificates`] or
/// [`Tls::ask_for_client_certificates`].
///
/// ```
/// use innkeeper_rest::{ClientCertificate, resource};
///
/// struct Me;
///
/// #[resource("/me")]
/// impl Me {
///     #[get]
///     fn names(&self, #[value] certificate: ClientCertificate) -> Vec<String> {
///         certificate.dns_names()
///     }
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientCertificate(Arc<Vec<u8>>);

impl ClientCertificate {
    /// The certificate, in DER.
    pub fn der(&self) -> &[u8] {
        &self.0
    }

    /// The DNS names among its subject's alternative names.
    pub fn dns_names(&self) -> Vec<String> {
        let der = self.der().into();
        match EndEntityCert::try_from(&der) {
            Ok(parsed) => parsed.valid_dns_names().map(str::to_owned).collect(),
            Err(_) => Vec::new(),
        }
    }
}

/// The certificate of the client at the other end.
pub(in crate::server) fn certificate_of(reader: &Reader) -> Option<ClientCertificate> {
    let Reader::Tls(encrypted) = reader else {
        return None;
    };
    encrypted.with(|session| {
        let (_, connection) = session.stream.get_ref();
        let leaf = connection.peer_certificates()?.first()?;
        Some(ClientCertificate(Arc::new(leaf.to_vec())))
    })
}

impl Tls {
    /// Agrees on keys with the client, for as long as the client takes: the janitor ends the task.
    pub(in crate::server) async fn handshake(
        &self,
        arrival: Arrival,
        pulse: &Arc<Pulse>,
        http2: bool,
    ) -> io::Result<(Reader, Writer)> {
        let config = self.with_configs(|configs| {
            let config = if http2 { &configs.both } else { &configs.http1 };
            Arc::clone(config)
        });
        let peer = arrival.peer;
        let accepting = TlsAcceptor::from(config).accept(arrival.socket);
        match accepting.into_fallible().await {
            Ok(stream) => {
                let pulse = Arc::clone(pulse);
                let session = Session { stream, pulse };
                let reader = Encrypted(Arc::new(Mutex::new(session)));
                let writer = Encrypted(Arc::clone(&reader.0));
                Ok((Reader::Tls(reader), Writer::Tls(writer)))
            }
            Err((error, socket)) => {
                tracing::debug!(?peer, %error, "no handshake");
                let _ = tokio::time::timeout(LINGER, part_from(socket)).await;
                Err(error)
            }
        }
    }
}

/// Closes our side and waits for the client to close the other.
///
/// A socket that is closed with bytes left to read resets the connection, and the client would not
/// learn from the alert what went wrong.
async fn part_from(mut socket: Socket) -> io::Result<()> {
    socket.shutdown().await?;
    let mut room = [0; 1024];
    while socket.read(&mut room).await? > 0 {}
    Ok(())
}

/// An encrypted connection, read in one place and written in another.
///
/// Only the task of the connection asks, so nobody waits for the lock.
pub(in crate::server) struct Encrypted(Arc<Mutex<Session>>);

struct Session {
    stream: TlsStream<Socket>,
    pulse: Arc<Pulse>,
}

impl Encrypted {
    fn with<T>(&self, work: impl FnOnce(&mut Session) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Session {
    /// Says goodbye to a client whose silence has lasted too long.
    ///
    /// In the middle of an answer nothing is said: the client must not take what it has for the whole.
    fn drop(&mut self) {
        if !self.pulse.is_at_rest() {
            return;
        }
        let (socket, connection) = self.stream.get_mut();
        connection.send_close_notify();
        let _ = connection.write_tls(&mut AtOnce(socket));
    }
}

/// Writes what the socket takes now.
struct AtOnce<'s>(&'s Socket);

impl io::Write for AtOnce<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0 {
            Socket::Tcp(stream) => stream.try_write(bytes),
            Socket::Unix(stream) => stream.try_write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl AsyncRead for Encrypted {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.with(|session| Pin::new(&mut session.stream).poll_read(cx, buffer))
    }
}

impl AsyncWrite for Encrypted {
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
