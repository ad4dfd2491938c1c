//! Where a dropped socket leaves its connection, so that it is closed properly.

use std::future::poll_fn;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

use super::connection::Connection;

/// Hands the connection of a dropped socket back to the task that opened it.
#[derive(Default)]
pub(super) struct ReturnSlot(Mutex<SlotContent>);

#[derive(Default)]
struct SlotContent {
    connection: Option<Box<Connection>>,
    waker: Option<Waker>,
}

impl ReturnSlot {
    fn lock(&self) -> MutexGuard<'_, SlotContent> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn put(&self, connection: Box<Connection>) {
        let mut content = self.lock();
        content.connection = Some(connection);
        if let Some(waker) = content.waker.take() {
            drop(content);
            waker.wake();
        }
    }

    /// Waits for the connection: a handler may have moved its socket to another task.
    pub(super) async fn take(&self) -> Box<Connection> {
        poll_fn(|cx| {
            let mut content = self.lock();
            if let Some(connection) = content.connection.take() {
                return Poll::Ready(connection);
            }
            content.waker = Some(cx.waker().clone());
            Poll::Pending
        })
        .await
    }
}
