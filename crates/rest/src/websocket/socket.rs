//! A websocket as its handler sees it.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_core::Stream;

use super::close::{Close, Closed};
use super::connection::Connection;
use super::desk::Desk;
use super::message::Message;

/// An open websocket: messages in both directions.
///
/// ```
/// use innkeeper_rest::{Message, Socket};
///
/// /// Says everything twice.
/// async fn parrot(mut socket: Socket) {
///     while let Some(message) = socket.next().await {
///         if let Message::Text(text) = message
///             && socket.send(format!("{text} {text}")).await.is_err()
///         {
///             break;
///         }
///     }
/// }
/// ```
///
/// Pings are sent and answered, and the end of the server noticed, while [`next`](Self::next) or
/// [`send`](Self::send) is waited for. A handler that waits for something else does both at once, with
/// `tokio::select!`; neither loses a message when it is dropped.
///
/// A socket that is dropped is closed with code 1000.
pub struct Socket {
    /// There until the socket is dropped.
    connection: Option<Box<Connection>>,
    desk: Option<Arc<Desk>>,
    protocol: Option<Box<str>>,
}

impl Socket {
    pub(super) fn new(
        connection: Box<Connection>,
        desk: Option<Arc<Desk>>,
        protocol: Option<Box<str>>,
    ) -> Self {
        Self {
            connection: Some(connection),
            desk,
            protocol,
        }
    }

    /// The next message, or `None` when the websocket is closed.
    ///
    /// A message that breaks the rules closes it: too large is code 1009, a text that is not UTF-8
    /// is 1007, and what is no websocket frame is 1002. Why it was closed says
    /// [`closed`](Self::closed).
    pub async fn next(&mut self) -> Option<Message> {
        poll_fn(|cx| self.poll_message(cx)).await
    }

    /// Sends a message and waits until it has left.
    ///
    /// If this is dropped early the message may leave later.
    pub async fn send(&mut self, message: impl Into<Message>) -> Result<(), Closed> {
        let mut message = Some(message.into());
        poll_fn(|cx| match &mut self.connection {
            Some(connection) => connection.poll_send(&mut message, cx),
            None => Poll::Ready(Err(Closed(Close::lost("")))),
        })
        .await
    }

    /// Closes the websocket. What the other side still sends is not read.
    pub async fn close(&mut self, close: Close) {
        if let Some(connection) = &mut self.connection {
            poll_fn(|cx| {
                connection.close(close.clone(), cx);
                connection.poll_told(cx)
            })
            .await;
        }
    }

    /// Why it is closed, if it is.
    pub fn closed(&self) -> Option<&Close> {
        self.connection.as_ref()?.closed()
    }

    /// The subprotocol that was agreed on.
    pub fn protocol(&self) -> Option<&str> {
        self.protocol.as_deref()
    }

    fn poll_message(&mut self, cx: &mut Context<'_>) -> Poll<Option<Message>> {
        match &mut self.connection {
            Some(connection) => connection.poll_message(cx),
            None => Poll::Ready(None),
        }
    }
}

impl Stream for Socket {
    type Item = Message;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Message>> {
        self.poll_message(cx)
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        if let (Some(desk), Some(connection)) = (&self.desk, self.connection.take()) {
            desk.leave(connection);
        }
    }
}

impl fmt::Debug for Socket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Socket")
            .field("protocol", &self.protocol)
            .field("closed", &self.closed())
            .finish_non_exhaustive()
    }
}
