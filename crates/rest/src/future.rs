//! Futures of handlers and filters: boxed, timed, and with their panics caught.

use std::fmt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::rejection::Rejection;
use crate::runtime::LazyTimeout;

pub(crate) type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Polls, and turns a panic into an error.
pub(crate) fn catch_panic<T>(poll: impl FnOnce() -> Poll<T>) -> Poll<Result<T, Panicked>> {
    match std::panic::catch_unwind(AssertUnwindSafe(poll)) {
        Ok(poll) => poll.map(Ok),
        Err(_) => Poll::Ready(Err(Panicked)),
    }
}

/// A handler or filter panicked; the panic hook has reported where.
#[derive(Debug)]
pub(crate) struct Panicked;

impl fmt::Display for Panicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a handler or filter panicked")
    }
}

impl std::error::Error for Panicked {}

/// A future with a time limit. Its panics and the end of its time become rejections.
pub(crate) struct Guarded<F> {
    future: F,
    timeout: LazyTimeout,
}

impl<F> Guarded<F> {
    pub(crate) fn new(future: F, limit: Option<Duration>) -> Self {
        Self {
            future,
            timeout: LazyTimeout::new(limit),
        }
    }
}

impl<F: Future + Unpin> Future for Guarded<F> {
    type Output = Result<F::Output, Rejection>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        match catch_panic(|| Pin::new(&mut this.future).poll(cx)) {
            Poll::Ready(result) => Poll::Ready(result.map_err(Rejection::internal)),
            Poll::Pending => this.timeout.poll(cx).map(|()| Err(Rejection::timeout())),
        }
    }
}
