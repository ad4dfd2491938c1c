//! The word to stop.

use std::sync::Arc;

use tokio::sync::watch;

/// Tells servers to stop: keep a clone and call [`now`](Self::now).
///
/// ```
/// use innkeeper_rest::Stop;
///
/// let stop = Stop::new();
/// let for_the_server = stop.clone();
/// stop.now();
/// assert!(for_the_server.is_told());
/// ```
#[derive(Debug, Clone)]
pub struct Stop(Arc<watch::Sender<bool>>);

impl Stop {
    /// Stops when [`now`](Self::now) is called on a clone.
    pub fn new() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }

    pub(crate) fn never() -> Self {
        Self::new()
    }

    /// Stops when the process is asked to end: Ctrl-C or SIGTERM. Call it on a runtime.
    pub fn on_signals() -> Self {
        let stop = Self::new();
        let told = stop.clone();
        tokio::spawn(async move {
            signal().await;
            told.now();
        });
        stop
    }

    /// Stops.
    pub fn now(&self) {
        self.0.send_replace(true);
    }

    /// Whether it was called.
    pub fn is_told(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is called.
    pub async fn told(&self) {
        let mut told = self.0.subscribe();
        // Cannot fail: the sender is in `self`.
        let _ = told.wait_for(|told| *told).await;
    }
}

impl Default for Stop {
    fn default() -> Self {
        Self::new()
    }
}

async fn signal() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
        }
        Err(error) => {
            tracing::warn!(%error, "SIGTERM cannot be caught");
            let _ = tokio::signal::ctrl_c().await;
        }
    }
}
