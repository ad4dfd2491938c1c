//! The tasks of HTTP/2 streams, and the deadline of those whose client does not take the response.
//!
//! The window of a stream may stay closed while others of the connection are served, so the timeouts of
//! the connection do not apply. hyper runs each stream as a task, and to end the task resets the stream.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::rt::Executor;
use tokio::time::{Instant, Sleep};

thread_local! {
    /// What the stream that is being polled waits for, as far as this poll has shown.
    static WAITS_FOR: Cell<Option<WaitsFor>> = const { Cell::new(None) };
}

/// What a stream waits for once its handler has returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WaitsFor {
    /// The next part of the response.
    Server,
    /// The client has to take the part that is ready.
    Client,
}

/// Records what the stream waits for that is being polled on this thread.
pub(super) fn stream_waits_for(whom: WaitsFor) {
    WAITS_FOR.set(Some(whom));
}

/// Spawns the streams of HTTP/2 connections.
#[derive(Debug, Clone, Copy)]
pub(super) struct StreamExecutor {
    /// How long a client may leave a part of a response untaken.
    pub(super) timeout: Duration,
}

impl<F> Executor<F> for StreamExecutor
where
    F: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, stream: F) {
        tokio::spawn(StreamTask {
            stream,
            timeout: self.timeout,
            deadline: None,
            is_waiting: false,
        });
    }
}

pin_project_lite::pin_project! {
    /// A stream that ends when its client has not taken a part of the response for too long.
    struct StreamTask<F> {
        #[pin]
        stream: F,
        timeout: Duration,
        // Allocated for the first part that the client does not take at once.
        deadline: Option<Pin<Box<Sleep>>>,
        is_waiting: bool,
    }
}

impl<F: Future<Output = ()>> Future for StreamTask<F> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = self.project();
        WAITS_FOR.set(None);
        if this.stream.poll(cx).is_ready() {
            return Poll::Ready(());
        }
        match WAITS_FOR.take() {
            // The same part as before, or a handler that has not returned.
            None => {}
            Some(WaitsFor::Server) => *this.is_waiting = false,
            Some(WaitsFor::Client) => {
                *this.is_waiting = true;
                let until = Instant::now() + *this.timeout;
                match this.deadline {
                    Some(deadline) => deadline.as_mut().reset(until),
                    None => *this.deadline = Some(Box::pin(tokio::time::sleep_until(until))),
                }
            }
        }
        match this.deadline {
            Some(deadline) if *this.is_waiting => deadline.as_mut().poll(cx),
            _ => Poll::Pending,
        }
    }
}
