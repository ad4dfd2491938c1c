//! Accepts connections, as many as there may be.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::client_limit::ClientLimit;
use super::connection::{self, ConnectionConfig};
use super::listener::AsyncListener;
use super::registry::ConnectionRegistry;
use crate::pipeline::Core;
use crate::runtime::ConnectionActivity;

/// How long the next warning about connections that cannot be accepted waits.
const WARNING_INTERVAL: Duration = Duration::from_secs(1);

/// How long a connection that is closed to make room may take to end.
const EVICTION_TIME: Duration = Duration::from_millis(50);

/// Takes the place of a connection. If none is free, closes the connection that has been idle for longest.
async fn acquire(
    permits: &Arc<Semaphore>,
    registry: &ConnectionRegistry,
) -> Option<OwnedSemaphorePermit> {
    if let Ok(permit) = Arc::clone(permits).try_acquire_owned() {
        return Some(permit);
    }
    loop {
        registry.close_longest_idle();
        let permit = Arc::clone(permits).acquire_owned();
        // A busy connection may be the next to become idle, or to end.
        if let Ok(permit) = tokio::time::timeout(EVICTION_TIME, permit).await {
            // The semaphore is never closed.
            return permit.ok();
        }
    }
}

/// Accepts connections for ever, each in a task of its own.
pub(super) async fn accept_all(
    listener: &AsyncListener,
    core: &Arc<Core>,
    registry: &Arc<ConnectionRegistry>,
    (permits, clients): (&Arc<Semaphore>, &ClientLimit),
    config: &Arc<ConnectionConfig>,
) {
    let mut last_warning = None;
    loop {
        let accepted = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                // Out of file descriptors, or a client that left before it was accepted.
                let now = Instant::now();
                if is_warning_due(last_warning, now) {
                    tracing::warn!(%error, "cannot accept a connection");
                    last_warning = Some(now);
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            }
        };
        let Some(counted) = clients.count(accepted.peer) else {
            tracing::debug!(peer = ?accepted.peer, "closing a connection of a client with too many");
            continue;
        };
        let permit = (acquire(permits, registry).await, counted);
        let activity = Arc::new(ConnectionActivity::new());
        let registration = registry.register(Arc::clone(&activity));
        let id = registration.id();
        let serving = connection::serve(accepted, Arc::clone(core), activity, Arc::clone(config));
        let task = tokio::spawn(async move {
            if let Some(upgraded) = serving.await {
                registration.hand_over(permit, upgraded);
            }
        });
        registry.attach(id, task.abort_handle());
    }
}

/// Whether to warn again: out of file descriptors, accepting fails fifty times a second.
fn is_warning_due(last: Option<Instant>, now: Instant) -> bool {
    last.is_none_or(|last| now.duration_since(last) >= WARNING_INTERVAL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_logged_once_a_second() {
        let start = Instant::now();
        let after = |millis| start + Duration::from_millis(millis);
        assert!(is_warning_due(None, start));
        assert!(!is_warning_due(Some(start), start));
        assert!(!is_warning_due(Some(start), after(999)));
        assert!(is_warning_due(Some(start), after(1000)));
    }
}
