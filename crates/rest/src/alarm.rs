//! A timer that most waits never need.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::Sleep;

/// Rings when something has been waited for too long.
///
/// Arming a timer costs as much as routing a request, and most waits, such as the one for a body that
/// is in the socket already, are over when the task is next polled. So the first wait only asks to be
/// polled again at once, and a wait that is not over then arms the timer.
#[derive(Debug)]
pub(crate) struct Alarm {
    limit: Option<Duration>,
    state: State,
}

#[derive(Debug)]
enum State {
    Idle,
    Asked,
    Armed(Pin<Box<Sleep>>),
}

impl Alarm {
    pub(crate) fn new(limit: Option<Duration>) -> Self {
        Self {
            limit,
            state: State::Idle,
        }
    }

    /// What was waited for has come; the next wait starts anew.
    pub(crate) fn reset(&mut self) {
        self.state = State::Idle;
    }

    /// Ready when the limit has passed. Call it each time there is nothing to do but wait.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(limit) = self.limit else {
            return Poll::Pending;
        };
        if let State::Idle = self.state {
            self.state = State::Asked;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        if let State::Asked = self.state {
            self.state = State::Armed(Box::pin(tokio::time::sleep(limit)));
        }
        match &mut self.state {
            State::Armed(sleep) => sleep.as_mut().poll(cx),
            State::Idle | State::Asked => Poll::Pending,
        }
    }
}
