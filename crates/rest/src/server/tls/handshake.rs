//! The TLS handshake of an accepted connection.

use std::io;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_rustls::TlsAcceptor;

use super::Tls;
use super::stream::TlsHalf;
use crate::runtime::ConnectionActivity;
use crate::server::halves::{ReadHalf, WriteHalf};
use crate::server::socket::{AcceptedConnection, StreamSocket};
use crate::server::stream::LINGER;

impl Tls {
    /// Performs the handshake, for as long as the client takes: the head timeout ends the task.
    pub(in crate::server) async fn handshake(
        &self,
        accepted: AcceptedConnection,
        activity: &Arc<ConnectionActivity>,
        http2: bool,
    ) -> io::Result<(ReadHalf, WriteHalf)> {
        let config = self.server_config(http2);
        let peer = accepted.peer;
        let accepting = TlsAcceptor::from(config).accept(accepted.socket);
        match accepting.into_fallible().await {
            Ok(stream) => {
                let (reader, writer) = TlsHalf::pair(stream, Arc::clone(activity));
                Ok((ReadHalf::Tls(reader), WriteHalf::Tls(writer)))
            }
            Err((error, socket)) => {
                tracing::debug!(?peer, %error, "TLS handshake failed");
                let _ = tokio::time::timeout(LINGER, close(socket)).await;
                Err(error)
            }
        }
    }
}

/// Closes the write half and waits for the client to close its own.
///
/// Closing a socket with bytes left to read resets the connection, and the client would not learn from
/// the alert what went wrong.
async fn close(mut socket: StreamSocket) -> io::Result<()> {
    socket.shutdown().await?;
    let mut discarded = [0; 1024];
    while socket.read(&mut discarded).await? > 0 {}
    Ok(())
}
