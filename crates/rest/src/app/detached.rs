//! The detached handlers that still run, so that a server that stops can wait for them.

use tokio::sync::watch;

use super::{Core, Scope};

/// Counts the detached handlers of a mount.
#[derive(Debug)]
pub(crate) struct Detached(watch::Sender<usize>);

impl Default for Detached {
    fn default() -> Self {
        Self(watch::Sender::new(0))
    }
}

/// Held by a detached handler while it runs.
#[derive(Debug)]
pub(crate) struct Running(watch::Sender<usize>);

impl Detached {
    fn enter(&self) -> Running {
        self.0.send_modify(|count| *count += 1);
        Running(self.0.clone())
    }

    async fn ended(&self) {
        // Cannot fail: the sender is in `self`.
        let _ = self.0.subscribe().wait_for(|count| *count == 0).await;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

impl Scope {
    /// Counts one more, until what is returned is dropped.
    pub(crate) fn enter_detached(&self) -> Running {
        self.settings.detached.enter()
    }
}

impl Core {
    /// Waits until no detached handler runs.
    pub(crate) async fn detached_ended(&self) {
        for scope in &self.scopes {
            scope.settings.detached.ended().await;
        }
    }
}
