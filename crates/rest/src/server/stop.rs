//! The word to stop.

use std::sync::Arc;

use tokio::signal::unix::{SignalKind, signal};
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

    /// Stops when the process is asked to end: Ctrl-C or SIGTERM, from this call on. Call it on a
    /// runtime.
    pub fn on_signals() -> Self {
        let stop = Self::new();
        // Not by the task: a signal that comes before it runs would end the process at once.
        for kind in [SignalKind::terminate(), SignalKind::interrupt()] {
            let told = stop.clone();
            match signal(kind) {
                Ok(mut signal) => {
                    tokio::spawn(async move {
                        signal.recv().await;
                        told.now();
                    });
                }
                Err(error) => tracing::warn!(%error, ?kind, "a signal cannot be caught"),
            }
        }
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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::Stop;

    const INTERRUPT: u64 = 1 << 1;
    const TERMINATE: u64 = 1 << 14;

    /// No other test of this process may listen for signals: the first to do so does it for all.
    #[tokio::test]
    async fn signals_are_caught_before_the_call_returns() {
        // Those of the two that this process does not leave to the system.
        let caught = || {
            let status = std::fs::read_to_string("/proc/self/status").unwrap();
            let mut lines = status.lines();
            let mask = lines.find_map(|line| line.strip_prefix("SigCgt:"));
            u64::from_str_radix(mask.unwrap().trim(), 16).unwrap() & (INTERRUPT | TERMINATE)
        };
        assert_eq!(caught(), 0);

        let stop = Stop::on_signals();

        assert_eq!(caught(), INTERRUPT | TERMINATE);
        assert!(!stop.is_told());
    }
}
