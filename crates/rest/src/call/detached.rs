//! Counts detached handlers, so that a server that stops can wait for them.

use tokio::sync::watch;

/// The number of detached handlers of a mount that are running. Clones share it.
#[derive(Debug, Clone)]
pub(crate) struct DetachedCount(watch::Sender<usize>);

impl Default for DetachedCount {
    fn default() -> Self {
        Self(watch::Sender::new(0))
    }
}

/// Held by a detached handler while it runs.
#[derive(Debug)]
pub(crate) struct DetachedGuard(watch::Sender<usize>);

impl DetachedCount {
    /// Counts a handler as running until the guard is dropped.
    pub(super) fn enter(&self) -> DetachedGuard {
        self.0.send_modify(|count| *count += 1);
        DetachedGuard(self.0.clone())
    }

    /// Waits until no handler runs.
    pub(crate) async fn wait_for_zero(&self) {
        // Cannot fail: the sender is in `self`.
        let _ = self.0.subscribe().wait_for(|count| *count == 0).await;
    }
}

impl Drop for DetachedGuard {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}
