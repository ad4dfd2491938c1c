//! The signal that stops servers.

use std::sync::Arc;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// A signal that stops servers: keep a clone and call [`now`](Self::now).
///
/// ```
/// use innkeeper_rest::Stop;
///
/// let stop = Stop::new();
/// let for_the_server = stop.clone();
/// stop.now();
/// assert!(for_the_server.is_requested());
/// ```
#[derive(Debug, Clone)]
pub struct Stop(Arc<watch::Sender<bool>>);

impl Stop {
    /// Creates a signal that is given by calling [`now`](Self::now) on a clone.
    pub fn new() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }

    /// Creates a signal that is given when the process receives Ctrl-C or SIGTERM. From this call on
    /// neither ends the process.
    ///
    /// # Panics
    ///
    /// Panics if it is called outside of a tokio runtime.
    pub fn on_signals() -> Self {
        let stop = Self::new();
        // Not in the task: a signal that arrives before it runs would end the process at once.
        for kind in [SignalKind::terminate(), SignalKind::interrupt()] {
            let requested = stop.clone();
            match signal(kind) {
                Ok(mut signal) => {
                    tokio::spawn(async move {
                        signal.recv().await;
                        requested.now();
                    });
                }
                Err(error) => tracing::warn!(%error, ?kind, "cannot listen for a signal"),
            }
        }
        stop
    }

    /// Gives the signal. It cannot be withdrawn.
    pub fn now(&self) {
        self.0.send_replace(true);
    }

    /// Whether the signal was given.
    pub fn is_requested(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until the signal is given.
    pub async fn requested(&self) {
        let mut receiver = self.0.subscribe();
        // Cannot fail: the sender is in `self`.
        let _ = receiver.wait_for(|requested| *requested).await;
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

    /// No other test in this process may listen for signals: the first listener serves all.
    #[tokio::test]
    async fn signals_are_caught_before_the_call_returns() {
        // Which of the two signals have a handler in this process.
        let caught = || {
            let status = std::fs::read_to_string("/proc/self/status").unwrap();
            let mut lines = status.lines();
            let mask = lines.find_map(|line| line.strip_prefix("SigCgt:"));
            u64::from_str_radix(mask.unwrap().trim(), 16).unwrap() & (INTERRUPT | TERMINATE)
        };
        assert_eq!(caught(), 0);

        let stop = Stop::on_signals();

        assert_eq!(caught(), INTERRUPT | TERMINATE);
        assert!(!stop.is_requested());
    }
}
