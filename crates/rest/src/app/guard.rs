//! Work of others, kept within bounds: a limit on its time, and its panics caught.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::alarm::Alarm;
use crate::rejection::Rejection;
use crate::resource::catch_panic;

/// Ends with what the work ends with, or with the refusal that is sent instead.
pub(super) struct Guarded<F> {
    work: F,
    alarm: Alarm,
}

impl<F> Guarded<F> {
    pub(super) fn new(work: F, limit: Option<Duration>) -> Self {
        Self {
            work,
            alarm: Alarm::new(limit),
        }
    }
}

impl<F: Future + Unpin> Future for Guarded<F> {
    type Output = Result<F::Output, Rejection>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        match catch_panic(|| Pin::new(&mut this.work).poll(cx)) {
            Poll::Ready(result) => Poll::Ready(result.map_err(Rejection::internal)),
            Poll::Pending => this.alarm.poll(cx).map(|()| Err(Rejection::timeout())),
        }
    }
}
