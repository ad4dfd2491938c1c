//! A websocket as handlers use it.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_core::Stream;

use super::close::{Close, Closed};
use super::connection::Connection;
use super::message::Message;
use super::return_slot::ReturnSlot;

/// An open websocket: messages in both directions.
///
/// ```
/// use innkeeper_rest::{Message, Socket};
///
/// /// Sends every text back, twice.
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
/// Pings are sent and answered, and a stop of the server noticed, while [`next`](Self::next) or
/// [`send`](Self::send) is awaited. A handler that waits for something else as well uses
/// `tokio::select!`; no message is lost when one of the two futures is dropped.
///
/// Dropping the socket closes it with code 1000.
pub struct Socket {
    /// `Some` until the socket is dropped.
    connection: Option<Box<Connection>>,
    /// Where the connection goes on drop; `None` for the in-process client.
    return_slot: Option<Arc<ReturnSlot>>,
    protocol: Option<Box<str>>,
}

impl Socket {
    pub(super) fn new(
        connection: Box<Connection>,
        return_slot: Option<Arc<ReturnSlot>>,
        protocol: Option<Box<str>>,
    ) -> Self {
        Self {
            connection: Some(connection),
            return_slot,
            protocol,
        }
    }

    /// Waits for the next message. Returns `None` when the websocket is closed;
    /// [`closed`](Self::closed) then tells why.
    ///
    /// An invalid message closes the websocket: with code 1009 if it is too large, 1007 if a text is
    /// not UTF-8, and 1002 if it is not a valid frame.
    pub async fn next(&mut self) -> Option<Message> {
        poll_fn(|cx| self.poll_message(cx)).await
    }

    /// Sends a message and waits until it is written to the connection.
    ///
    /// If the future is dropped early, the message may be sent later.
    ///
    /// # Errors
    ///
    /// Fails if the websocket is closed.
    pub async fn send(&mut self, message: impl Into<Message>) -> Result<(), Closed> {
        let mut message = Some(message.into());
        poll_fn(|cx| match &mut self.connection {
            Some(connection) => connection.poll_send(&mut message, cx),
            None => Poll::Ready(Err(Closed(Close::abnormal("")))),
        })
        .await
    }

    /// Closes the websocket. Messages that the client still sends are not read.
    pub async fn close(&mut self, close: Close) {
        if let Some(connection) = &mut self.connection {
            poll_fn(|cx| {
                connection.close(close.clone(), cx);
                connection.poll_close_sent(cx)
            })
            .await;
        }
    }

    /// Returns why the websocket is closed; `None` while it is open.
    pub fn closed(&self) -> Option<&Close> {
        self.connection.as_ref()?.closed()
    }

    /// Returns the subprotocol that was negotiated.
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
        if let (Some(slot), Some(connection)) = (&self.return_slot, self.connection.take()) {
            slot.put(connection);
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
