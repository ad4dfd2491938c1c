//! The connection of a websocket: messages in and out, pings, and the closing handshake.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_core::Stream;
use futures_sink::Sink;
use tokio::io::AsyncWriteExt as _;
use tokio::time::{Instant, Sleep};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message as Raw};

use super::close::{Close, Closed};
use super::message::{Message, Text};
use super::upgraded::{UpgradedConnection, UpgradedIo};

/// How long the closing handshake may take.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// The limits of a websocket. Sizes are in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct SocketConfig {
    pub(super) max_message: usize,
    pub(super) max_frame: usize,
    pub(super) read_buffer: usize,
    /// Silence of the peer before it is sent a ping.
    pub(super) ping_after: Option<Duration>,
    /// Silence of the peer after a ping before it is taken for gone.
    pub(super) pong_within: Duration,
}

impl Default for SocketConfig {
    fn default() -> Self {
        Self {
            max_message: 1024 * 1024,
            max_frame: usize::MAX,
            read_buffer: 1024,
            ping_after: Some(Duration::from_secs(30)),
            pong_within: Duration::from_secs(30),
        }
    }
}

pub(super) struct Connection {
    stream: WebSocketStream<Box<dyn UpgradedIo>>,
    /// Whether a ping or a pong may wait to be flushed.
    needs_flush: bool,
    heartbeat: Option<Heartbeat>,
    /// Ready when the server stops.
    stop: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    closed: Option<Close>,
    /// Whether the peer may still be connected.
    is_connected: bool,
}

impl Connection {
    pub(super) async fn open(
        upgraded: UpgradedConnection,
        role: Role,
        config: SocketConfig,
    ) -> Self {
        let protocol_config = WebSocketConfig::default()
            .read_buffer_size(config.read_buffer)
            .write_buffer_size(0)
            .max_message_size(Some(config.max_message))
            .max_frame_size(Some(config.max_frame.min(config.max_message)));
        let heartbeat = config
            .ping_after
            .map(|ping_after| Heartbeat::new(ping_after, config.pong_within));
        let UpgradedConnection { io, stop } = upgraded;
        Self {
            stream: WebSocketStream::from_raw_socket(io, role, Some(protocol_config)).await,
            needs_flush: false,
            heartbeat,
            stop: Some(Box::pin(async move { stop.requested().await })),
            closed: None,
            is_connected: true,
        }
    }

    pub(super) fn closed(&self) -> Option<&Close> {
        self.closed.as_ref()
    }

    /// Waits for the next message; `None` when the websocket is closed by either side.
    pub(super) fn poll_message(&mut self, cx: &mut Context<'_>) -> Poll<Option<Message>> {
        while self.closed.is_none() {
            // A peer that sends pings without reading the pongs is not read from either.
            if self.needs_flush && self.poll_flushed(cx).is_pending() {
                ready!(self.poll_events(cx));
                continue;
            }
            match Pin::new(&mut self.stream).poll_next(cx) {
                Poll::Ready(Some(Ok(raw))) => {
                    if let Some(message) = self.receive(raw, cx) {
                        return Poll::Ready(Some(message));
                    }
                }
                Poll::Ready(Some(Err(error))) => self.fail(&error, cx),
                Poll::Ready(None) => self.disconnect("the connection was lost"),
                Poll::Pending => ready!(self.poll_events(cx)),
            }
        }
        Poll::Ready(None)
    }

    /// Handles a control frame, or returns a message.
    fn receive(&mut self, raw: Raw, cx: &mut Context<'_>) -> Option<Message> {
        if let Some(heartbeat) = &mut self.heartbeat {
            heartbeat.peer_active();
        }
        match raw {
            Raw::Text(text) => return Some(Message::Text(Text(text))),
            Raw::Binary(bytes) => return Some(Message::Binary(bytes)),
            // The pong is queued already.
            Raw::Ping(_) => self.needs_flush = true,
            Raw::Pong(_) | Raw::Frame(_) => {}
            Raw::Close(frame) => {
                self.closed = Some(Close::from_frame(frame.as_ref()));
                // What cannot be sent now is sent by `close_and_wait`.
                let _ = self.poll_flushed(cx);
            }
        }
        None
    }

    /// Sends a message and flushes it. The message is taken from the option when it is queued.
    pub(super) fn poll_send(
        &mut self,
        message: &mut Option<Message>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), Closed>> {
        while self.closed.is_none() {
            let ready = if message.is_some() {
                Pin::new(&mut self.stream).poll_ready(cx)
            } else {
                Pin::new(&mut self.stream).poll_flush(cx)
            };
            let result = match ready {
                Poll::Ready(Ok(())) => match message.take() {
                    Some(message) => Pin::new(&mut self.stream).start_send(message.into()),
                    None => return Poll::Ready(Ok(())),
                },
                Poll::Ready(Err(error)) => Err(error),
                Poll::Pending => {
                    ready!(self.poll_events(cx));
                    continue;
                }
            };
            if let Err(error) = result {
                self.fail(&error, cx);
            }
        }
        Poll::Ready(Err(self.closed_error()))
    }

    fn closed_error(&self) -> Closed {
        Closed(self.closed.clone().unwrap_or_else(|| Close::abnormal("")))
    }

    fn poll_flushed(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        match ready!(Pin::new(&mut self.stream).poll_flush(cx)) {
            Ok(()) => self.needs_flush = false,
            Err(error) => self.fail(&error, cx),
        }
        Poll::Ready(())
    }

    /// Ready when the server stops, or when a ping or a timeout is due. Handles it.
    fn poll_events(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if let Some(stop) = &mut self.stop
            && stop.as_mut().poll(cx).is_ready()
        {
            self.stop = None;
            self.close(Close::new(Close::AWAY, "the server is shutting down"), cx);
            return Poll::Ready(());
        }
        let Some(heartbeat) = &mut self.heartbeat else {
            return Poll::Pending;
        };
        match ready!(heartbeat.poll(cx)) {
            HeartbeatEvent::PingDue => {
                let ping = Raw::Ping(bytes::Bytes::new());
                if let Err(error) = Pin::new(&mut self.stream).start_send(ping) {
                    self.fail(&error, cx);
                }
                self.needs_flush = true;
            }
            HeartbeatEvent::TimedOut => self.disconnect("a ping was not answered"),
        }
        Poll::Ready(())
    }

    /// Sends a close frame, unless the websocket is closed already.
    pub(super) fn close(&mut self, close: Close, cx: &mut Context<'_>) {
        if self.closed.is_some() {
            return;
        }
        let frame = Raw::Close(Some(close.frame()));
        self.closed = Some(close);
        // What cannot be sent now is sent by `close_and_wait`.
        if Pin::new(&mut self.stream).start_send(frame).is_ok() {
            let _ = self.poll_flushed(cx);
        }
    }

    /// Waits until the close frame is sent.
    pub(super) fn poll_close_sent(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.poll_flushed(cx)
    }

    /// Closes the websocket after an error of the protocol or the connection.
    fn fail(&mut self, error: &Error, cx: &mut Context<'_>) {
        if self.closed.is_some() {
            return;
        }
        match Close::for_error(error) {
            Some(close) => self.close(close, cx),
            None => self.disconnect("the connection was lost"),
        }
    }

    /// Records that the peer cannot be reached any more.
    fn disconnect(&mut self, reason: &'static str) {
        self.is_connected = false;
        self.closed.get_or_insert_with(|| Close::abnormal(reason));
    }

    /// Closes the websocket if it is open, and completes the closing handshake.
    pub(super) async fn close_and_wait(mut self: Box<Self>, close: Close) {
        let closing = async {
            poll_fn(|cx| {
                self.close(close.clone(), cx);
                self.poll_flushed(cx)
            })
            .await;
            while self.is_connected {
                match poll_fn(|cx| Pin::new(&mut self.stream).poll_next(cx)).await {
                    Some(Ok(_)) => {}
                    Some(Err(_)) | None => break,
                }
            }
            let _ = self.stream.get_mut().shutdown().await;
        };
        // A peer that does not answer in time is disconnected.
        let _ = tokio::time::timeout(CLOSE_TIMEOUT, closing).await;
    }
}

/// Pings a silent peer, and notices when it does not answer.
struct Heartbeat {
    timer: Pin<Box<Sleep>>,
    ping_after: Duration,
    pong_within: Duration,
    /// When the peer last sent anything.
    last_active: Instant,
    /// Whether a ping was sent since then.
    is_pinged: bool,
}

enum HeartbeatEvent {
    PingDue,
    TimedOut,
}

impl Heartbeat {
    fn new(ping_after: Duration, pong_within: Duration) -> Self {
        Self {
            timer: Box::pin(tokio::time::sleep(ping_after)),
            ping_after,
            pong_within,
            last_active: Instant::now(),
            is_pinged: false,
        }
    }

    fn peer_active(&mut self) {
        self.last_active = Instant::now();
        self.is_pinged = false;
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<HeartbeatEvent> {
        loop {
            ready!(self.timer.as_mut().poll(cx));
            let now = Instant::now();
            if self.is_pinged {
                return Poll::Ready(HeartbeatEvent::TimedOut);
            }
            let due = self.last_active + self.ping_after;
            if due > now {
                self.timer.as_mut().reset(due);
            } else {
                self.is_pinged = true;
                self.timer.as_mut().reset(now + self.pong_within);
                return Poll::Ready(HeartbeatEvent::PingDue);
            }
        }
    }
}
