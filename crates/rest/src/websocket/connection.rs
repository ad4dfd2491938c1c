//! A websocket on its line: messages in and out, pings, and the end.

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
use super::line::{Io, Line};
use super::message::{Message, Text};

/// How long the other side has to answer that it closes too.
const FAREWELL: Duration = Duration::from_secs(5);

/// What holds for a websocket.
#[derive(Debug, Clone, Copy)]
pub(super) struct Settings {
    pub(super) message: usize,
    pub(super) frame: usize,
    pub(super) buffer: usize,
    /// Silence before a ping.
    pub(super) silence: Option<Duration>,
    /// Silence after one.
    pub(super) patience: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            message: 1024 * 1024,
            frame: usize::MAX,
            buffer: 1024,
            silence: Some(Duration::from_secs(30)),
            patience: Duration::from_secs(30),
        }
    }
}

pub(super) struct Connection {
    stream: WebSocketStream<Box<dyn Io>>,
    /// Whether a ping or a pong may still have to be sent.
    owes: bool,
    beat: Option<Beat>,
    ending: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    closed: Option<Close>,
    /// Whether the other side may still be there.
    there: bool,
}

impl Connection {
    pub(super) async fn open(line: Line, role: Role, settings: Settings) -> Self {
        let config = WebSocketConfig::default()
            .read_buffer_size(settings.buffer)
            .write_buffer_size(0)
            .max_message_size(Some(settings.message))
            .max_frame_size(Some(settings.frame.min(settings.message)));
        let beat = settings
            .silence
            .map(|silence| Beat::new(silence, settings.patience));
        let Line { io, ending } = line;
        Self {
            stream: WebSocketStream::from_raw_socket(io, role, Some(config)).await,
            owes: false,
            beat,
            ending: Some(Box::pin(async move { ending.told().await })),
            closed: None,
            there: true,
        }
    }

    pub(super) fn closed(&self) -> Option<&Close> {
        self.closed.as_ref()
    }

    /// The next message; `None` when the websocket is closed, whoever closed it.
    pub(super) fn poll_message(&mut self, cx: &mut Context<'_>) -> Poll<Option<Message>> {
        while self.closed.is_none() {
            // Whoever sends pings and reads no pongs is not read from either.
            if self.owes && self.poll_flushed(cx).is_pending() {
                ready!(self.poll_limits(cx));
                continue;
            }
            match Pin::new(&mut self.stream).poll_next(cx) {
                Poll::Ready(Some(Ok(raw))) => {
                    if let Some(message) = self.heard(raw, cx) {
                        return Poll::Ready(Some(message));
                    }
                }
                Poll::Ready(Some(Err(error))) => self.fail(&error, cx),
                Poll::Ready(None) => self.lose("the connection is gone"),
                Poll::Pending => ready!(self.poll_limits(cx)),
            }
        }
        Poll::Ready(None)
    }

    fn heard(&mut self, raw: Raw, cx: &mut Context<'_>) -> Option<Message> {
        if let Some(beat) = &mut self.beat {
            beat.heard();
        }
        match raw {
            Raw::Text(text) => return Some(Message::Text(Text(text))),
            Raw::Binary(bytes) => return Some(Message::Binary(bytes)),
            // The answer is written already.
            Raw::Ping(_) => self.owes = true,
            Raw::Pong(_) | Raw::Frame(_) => {}
            Raw::Close(frame) => {
                self.closed = Some(Close::heard(frame.as_ref()));
                // What cannot leave now leaves with the farewell.
                let _ = self.poll_flushed(cx);
            }
        }
        None
    }

    /// Sends a message that is taken out of its place when it is on its way.
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
                    ready!(self.poll_limits(cx));
                    continue;
                }
            };
            if let Err(error) = result {
                self.fail(&error, cx);
            }
        }
        Poll::Ready(Err(self.refusal()))
    }

    fn refusal(&self) -> Closed {
        Closed(self.closed.clone().unwrap_or_else(|| Close::lost("")))
    }

    fn poll_flushed(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        match ready!(Pin::new(&mut self.stream).poll_flush(cx)) {
            Ok(()) => self.owes = false,
            Err(error) => self.fail(&error, cx),
        }
        Poll::Ready(())
    }

    /// Ready when something has happened that no message says: the server stops, the time is up.
    fn poll_limits(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if let Some(ending) = &mut self.ending
            && ending.as_mut().poll(cx).is_ready()
        {
            self.ending = None;
            self.close(Close::new(Close::AWAY, "the server stops"), cx);
            return Poll::Ready(());
        }
        let Some(beat) = &mut self.beat else {
            return Poll::Pending;
        };
        match ready!(beat.poll(cx)) {
            Due::Ping => {
                let ping = Raw::Ping(bytes::Bytes::new());
                if let Err(error) = Pin::new(&mut self.stream).start_send(ping) {
                    self.fail(&error, cx);
                }
                self.owes = true;
            }
            Due::End => self.lose("no answer to a ping"),
        }
        Poll::Ready(())
    }

    /// Says that this is the end, unless it has been said.
    pub(super) fn close(&mut self, close: Close, cx: &mut Context<'_>) {
        if self.closed.is_some() {
            return;
        }
        let frame = Raw::Close(Some(close.frame()));
        self.closed = Some(close);
        // What cannot leave now leaves with the farewell.
        if Pin::new(&mut self.stream).start_send(frame).is_ok() {
            let _ = self.poll_flushed(cx);
        }
    }

    /// Waits until the end has been told.
    pub(super) fn poll_told(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.poll_flushed(cx)
    }

    fn fail(&mut self, error: &Error, cx: &mut Context<'_>) {
        if self.closed.is_some() {
            return;
        }
        match Close::after(error) {
            Some(close) => self.close(close, cx),
            None => self.lose("the connection is gone"),
        }
    }

    fn lose(&mut self, why: &'static str) {
        self.there = false;
        self.closed.get_or_insert_with(|| Close::lost(why));
    }

    /// Closes what is still open, and gives the other side time to notice.
    pub(super) async fn farewell(mut self: Box<Self>, close: Close) {
        let end = async {
            poll_fn(|cx| {
                self.close(close.clone(), cx);
                self.poll_flushed(cx)
            })
            .await;
            while self.there {
                match poll_fn(|cx| Pin::new(&mut self.stream).poll_next(cx)).await {
                    Some(Ok(_)) => {}
                    Some(Err(_)) | None => break,
                }
            }
            let _ = self.stream.get_mut().shutdown().await;
        };
        // Whoever does not answer in time is left without a word.
        let _ = tokio::time::timeout(FAREWELL, end).await;
    }
}

/// Listens for signs of life.
struct Beat {
    timer: Pin<Box<Sleep>>,
    silence: Duration,
    patience: Duration,
    /// When something was heard last.
    heard: Instant,
    asked: bool,
}

enum Due {
    Ping,
    End,
}

impl Beat {
    fn new(silence: Duration, patience: Duration) -> Self {
        Self {
            timer: Box::pin(tokio::time::sleep(silence)),
            silence,
            patience,
            heard: Instant::now(),
            asked: false,
        }
    }

    fn heard(&mut self) {
        self.heard = Instant::now();
        self.asked = false;
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Due> {
        loop {
            ready!(self.timer.as_mut().poll(cx));
            let now = Instant::now();
            if self.asked {
                return Poll::Ready(Due::End);
            }
            let due = self.heard + self.silence;
            if due > now {
                self.timer.as_mut().reset(due);
            } else {
                self.asked = true;
                self.timer.as_mut().reset(now + self.patience);
                return Poll::Ready(Due::Ping);
            }
        }
    }
}
