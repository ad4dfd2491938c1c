//! Where a socket that is no longer needed is left, to be closed as it should be.

use std::future::poll_fn;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

use super::connection::Connection;

/// Waits for a connection to come back.
#[derive(Default)]
pub(super) struct Desk(Mutex<State>);

#[derive(Default)]
struct State {
    left: Option<Box<Connection>>,
    waiting: Option<Waker>,
}

impl Desk {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn leave(&self, connection: Box<Connection>) {
        let mut state = self.lock();
        state.left = Some(connection);
        if let Some(waker) = state.waiting.take() {
            drop(state);
            waker.wake();
        }
    }

    /// The connection, when it is back: a handler may have given its socket to another task.
    pub(super) async fn returned(&self) -> Box<Connection> {
        poll_fn(|cx| {
            let mut state = self.lock();
            if let Some(connection) = state.left.take() {
                return Poll::Ready(connection);
            }
            state.waiting = Some(cx.waker().clone());
            Poll::Pending
        })
        .await
    }
}
