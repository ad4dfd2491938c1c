//! The byte stream of a response with events.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use futures_core::Stream;
use tokio::time::{Instant, Sleep};

use super::{Event, IntoEvent};
use crate::box_error::BoxError;
use crate::runtime::Stop;

/// An empty comment, which keeps the connection alive.
const KEEP_ALIVE_COMMENT: Bytes = Bytes::from_static(b":\n\n");

type BoxedEvents = Pin<Box<dyn Stream<Item = Result<Event, BoxError>> + Send>>;

/// Sends events as they come and comments in between, and ends when the server shuts down.
pub(crate) struct EventStream {
    /// `None` after the end.
    source: Option<BoxedEvents>,
    keep_alive: Option<Duration>,
    /// The time of the last event, while the timer is armed.
    last_sent: Option<Instant>,
    /// Armed when the stream is pending for the first time.
    timer: Option<Pin<Box<Sleep>>>,
    shutdown: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

impl EventStream {
    pub(super) fn new<S>(stream: S, keep_alive: Duration) -> Self
    where
        S: Stream + Send + 'static,
        S::Item: IntoEvent,
    {
        Self {
            source: Some(Box::pin(IntoEvents { stream })),
            keep_alive: Some(keep_alive),
            last_sent: None,
            timer: None,
            shutdown: None,
        }
    }

    pub(super) fn set_keep_alive(&mut self, silence: Option<Duration>) {
        // With an interval of zero it would send nothing but comments.
        self.keep_alive = silence.map(|silence| silence.max(Duration::from_millis(1)));
    }

    /// Ends the stream when the server is told to stop.
    pub(crate) fn end_on_shutdown(&mut self, stop: &Stop) {
        let stop = stop.clone();
        self.shutdown = Some(Box::pin(async move { stop.requested().await }));
    }

    fn poll_ended(&mut self, cx: &mut Context<'_>) -> bool {
        let shutdown = self.shutdown.as_mut();
        if shutdown.is_some_and(|shutdown| shutdown.as_mut().poll(cx).is_ready()) {
            self.shutdown = None;
            self.source = None;
        }
        self.source.is_none()
    }

    /// Ready when a comment is due.
    fn poll_keep_alive(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(silence) = self.keep_alive else {
            return Poll::Pending;
        };
        let timer = self
            .timer
            .get_or_insert_with(|| Box::pin(tokio::time::sleep(silence)));
        loop {
            ready!(timer.as_mut().poll(cx));
            let now = Instant::now();
            // An event since the timer was armed has moved the deadline.
            let due = self.last_sent.take().map(|last_sent| last_sent + silence);
            match due {
                Some(due) if due > now => timer.as_mut().reset(due),
                _ => {
                    timer.as_mut().reset(now + silence);
                    return Poll::Ready(());
                }
            }
        }
    }
}

impl Stream for EventStream {
    type Item = Result<Bytes, BoxError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        if this.poll_ended(cx) {
            return Poll::Ready(None);
        }
        let Some(source) = &mut this.source else {
            return Poll::Ready(None);
        };
        match source.as_mut().poll_next(cx) {
            Poll::Ready(Some(Ok(event))) => {
                if this.timer.is_some() {
                    this.last_sent = Some(Instant::now());
                }
                Poll::Ready(Some(Ok(event.into_bytes())))
            }
            Poll::Ready(Some(Err(error))) => {
                this.source = None;
                tracing::error!(%error, "an event stream failed");
                Poll::Ready(Some(Err(error)))
            }
            Poll::Ready(None) => {
                this.source = None;
                Poll::Ready(None)
            }
            Poll::Pending => this
                .poll_keep_alive(cx)
                .map(|()| Some(Ok(KEEP_ALIVE_COMMENT))),
        }
    }
}

pin_project_lite::pin_project! {
    /// A stream whose items are converted to events.
    struct IntoEvents<S> {
        #[pin]
        stream: S,
    }
}

impl<S> Stream for IntoEvents<S>
where
    S: Stream,
    S::Item: IntoEvent,
{
    type Item = Result<Event, BoxError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = ready!(self.project().stream.poll_next(cx));
        Poll::Ready(next.map(IntoEvent::into_event))
    }
}
