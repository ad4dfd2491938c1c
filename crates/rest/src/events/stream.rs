//! The bytes of a stream of events.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use futures_core::Stream;
use tokio::time::{Instant, Sleep};

use super::{Event, IntoEvent};
use crate::body::BoxError;
use crate::server::Stop;

/// What is sent when there is nothing to send.
const NOTHING: Bytes = Bytes::from_static(b":\n\n");

type Source = Pin<Box<dyn Stream<Item = Result<Event, BoxError>> + Send>>;

/// Events as they come, comments while none come, and an end when the server ends.
pub(crate) struct EventStream {
    /// None once it is over.
    source: Option<Source>,
    keep_alive: Option<Duration>,
    /// When something was sent last, as long as it matters.
    sent: Option<Instant>,
    /// Armed when there is first nothing to send.
    timer: Option<Pin<Box<Sleep>>>,
    ending: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

impl EventStream {
    pub(super) fn new<S>(stream: S, keep_alive: Duration) -> Self
    where
        S: Stream + Send + 'static,
        S::Item: IntoEvent,
    {
        Self {
            source: Some(Box::pin(Converted { stream })),
            keep_alive: Some(keep_alive),
            sent: None,
            timer: None,
            ending: None,
        }
    }

    pub(super) fn set_keep_alive(&mut self, silence: Option<Duration>) {
        // Without a moment of silence there would be nothing but comments.
        self.keep_alive = silence.map(|silence| silence.max(Duration::from_millis(1)));
    }

    /// Ends the stream when this is told.
    pub(crate) fn end_with(&mut self, stop: &Stop) {
        let stop = stop.clone();
        self.ending = Some(Box::pin(async move { stop.told().await }));
    }

    fn is_over(&mut self, cx: &mut Context<'_>) -> bool {
        let ending = self.ending.as_mut();
        if ending.is_some_and(|ending| ending.as_mut().poll(cx).is_ready()) {
            self.ending = None;
            self.source = None;
        }
        self.source.is_none()
    }

    /// Ready when a comment is due.
    fn poll_silence(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(silence) = self.keep_alive else {
            return Poll::Pending;
        };
        let timer = self
            .timer
            .get_or_insert_with(|| Box::pin(tokio::time::sleep(silence)));
        loop {
            ready!(timer.as_mut().poll(cx));
            let now = Instant::now();
            // What was sent since the timer was armed has moved the moment.
            let due = self.sent.take().map(|sent| sent + silence);
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
        if this.is_over(cx) {
            return Poll::Ready(None);
        }
        let Some(source) = &mut this.source else {
            return Poll::Ready(None);
        };
        match source.as_mut().poll_next(cx) {
            Poll::Ready(Some(Ok(event))) => {
                if this.timer.is_some() {
                    this.sent = Some(Instant::now());
                }
                Poll::Ready(Some(Ok(event.into_bytes())))
            }
            Poll::Ready(Some(Err(error))) => {
                this.source = None;
                tracing::error!(%error, "a stream of events broke off");
                Poll::Ready(Some(Err(error)))
            }
            Poll::Ready(None) => {
                this.source = None;
                Poll::Ready(None)
            }
            Poll::Pending => this.poll_silence(cx).map(|()| Some(Ok(NOTHING))),
        }
    }
}

pin_project_lite::pin_project! {
    /// A stream whose items are made into events.
    struct Converted<S> {
        #[pin]
        stream: S,
    }
}

impl<S> Stream for Converted<S>
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
