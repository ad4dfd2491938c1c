//! Handles SIGHUP, which makes a running server reload without a restart.

use std::convert::Infallible;
use std::future::pending;

use innkeeper_service::telemetry::LogReopener;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Receives SIGHUP. Without it the signal would end the process.
pub(crate) struct Hangups(Option<Signal>);

impl Hangups {
    /// Installs the signal handler. Must be called on a runtime.
    pub(crate) fn listen() -> Self {
        let signals = signal(SignalKind::hangup());
        Self(
            signals
                .inspect_err(|error| tracing::warn!(%error, "cannot handle SIGHUP"))
                .ok(),
        )
    }

    /// Runs the handler for each signal, one after the other. Never returns.
    pub(crate) async fn handle(mut self, handler: impl AsyncFn()) -> Infallible {
        loop {
            let received = match &mut self.0 {
                Some(signals) => signals.recv().await,
                None => None,
            };
            match received {
                Some(()) => handler().await,
                None => pending().await,
            }
        }
    }
}

/// Reopens the log file at its path, so that a file that was moved away is released.
pub(crate) fn reopen_log(log: &LogReopener) {
    if let Err(error) = log.reopen() {
        tracing::error!(%error, "cannot reopen the log file");
    }
}
