//! SIGHUP: what a running server takes over without a restart.

use std::convert::Infallible;
use std::future::pending;

use innkeeper_service::telemetry::LogReopener;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals SIGHUP that come; without this one would end the process.
pub(crate) struct Hangups(Option<Signal>);

impl Hangups {
    /// Listens from now on. Call it on a runtime.
    pub(crate) fn listen() -> Self {
        let signals = signal(SignalKind::hangup());
        Self(
            signals
                .inspect_err(|error| tracing::warn!(%error, "SIGHUP cannot be caught"))
                .ok(),
        )
    }

    /// Does something for each, one after the other. Never ends.
    pub(crate) async fn each(mut self, act: impl AsyncFn()) -> Infallible {
        loop {
            let came = match &mut self.0 {
                Some(signals) => signals.recv().await,
                None => None,
            };
            match came {
                Some(()) => act().await,
                None => pending().await,
            }
        }
    }
}

/// Lets a log file go that was moved away.
pub(crate) fn reopen(log: &LogReopener) {
    if let Err(error) = log.reopen() {
        tracing::error!(%error, "the log file was not opened again");
    }
}
