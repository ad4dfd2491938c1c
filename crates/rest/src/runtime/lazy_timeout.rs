//! A timeout whose timer is armed only if the wait is not over at once.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::Sleep;

/// Limits how long something may be waited for.
///
/// Arming a timer costs as much as routing a request, and most waits, such as the one for a body that
/// is in the socket already, are over when the task is next polled. So the first poll only wakes the
/// task again at once, and the second arms the timer.
#[derive(Debug)]
pub(crate) struct LazyTimeout {
    limit: Option<Duration>,
    timer: Timer,
}

#[derive(Debug)]
enum Timer {
    Unused,
    /// The task was woken once; the next poll arms the timer.
    Polled,
    Armed(Pin<Box<Sleep>>),
}

impl LazyTimeout {
    /// Makes a timeout that never passes if the limit is `None`.
    pub(crate) fn new(limit: Option<Duration>) -> Self {
        Self {
            limit,
            timer: Timer::Unused,
        }
    }

    /// Ends a wait; the next one starts with the full limit.
    pub(crate) fn reset(&mut self) {
        self.timer = Timer::Unused;
    }

    /// Ready when the limit has passed. Call it whenever the wait is still pending.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(limit) = self.limit else {
            return Poll::Pending;
        };
        if let Timer::Unused = self.timer {
            self.timer = Timer::Polled;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        if let Timer::Polled = self.timer {
            self.timer = Timer::Armed(Box::pin(tokio::time::sleep(limit)));
        }
        match &mut self.timer {
            Timer::Armed(sleep) => sleep.as_mut().poll(cx),
            Timer::Unused | Timer::Polled => Poll::Pending,
        }
    }
}
