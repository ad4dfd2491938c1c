//! The open connections of a server, and the check that enforces their timeouts.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::task::AbortHandle;

use super::stream::LINGER;
use crate::runtime::ConnectionActivity;

/// All open connections of a server.
#[derive(Debug, Default)]
pub(super) struct ConnectionRegistry {
    connections: Mutex<HashMap<u64, ConnectionEntry>>,
    next_id: AtomicU64,
    stopping: AtomicBool,
    empty: tokio::sync::Notify,
}

#[derive(Debug)]
struct ConnectionEntry {
    activity: Arc<ConnectionActivity>,
    task: Option<AbortHandle>,
    last_check: LastCheck,
}

/// The counters at the last check, and for how many checks they have not changed.
#[derive(Debug, Default)]
struct LastCheck {
    progress: u32,
    requests: u32,
    /// Checks in a row without progress while nothing is being handled.
    idle_checks: u32,
    /// Checks in a row with the same incomplete request head.
    head_checks: u32,
}

/// Timeouts, in numbers of checks.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimeoutChecks {
    head: u32,
    idle: u32,
    /// How long the refusal of a late head may take.
    refusal: u32,
}

/// What the check found out about a connection.
#[derive(Debug, PartialEq, Eq)]
enum Staleness {
    Fresh,
    /// A request head has taken too long; the connection can still say so.
    LateHead,
    /// It is aborted.
    Stale,
}

impl TimeoutChecks {
    /// Returns the interval between checks, and how many of them each timeout lasts.
    pub(super) fn new(head: Duration, idle: Duration) -> (Duration, Self) {
        let interval = (head.min(idle) / 8).max(Duration::from_millis(5));
        let checks = |timeout: Duration| {
            let count = timeout.as_millis().div_ceil(interval.as_millis().max(1));
            u32::try_from(count).unwrap_or(u32::MAX)
        };
        (
            interval,
            Self {
                head: checks(head),
                idle: checks(idle),
                refusal: checks(LINGER * 2),
            },
        )
    }
}

impl ConnectionRegistry {
    /// Adds a connection until the registration is dropped.
    pub(super) fn register(self: &Arc<Self>, activity: Arc<ConnectionActivity>) -> Registration {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        if self.stopping.load(Ordering::SeqCst) {
            activity.stop();
        }
        let entry = ConnectionEntry {
            activity,
            task: None,
            last_check: LastCheck::default(),
        };
        self.lock().insert(id, entry);
        Registration {
            registry: Arc::clone(self),
            id,
        }
    }

    /// Stores the handle of a connection's task, so that the timeout check can abort it.
    pub(super) fn attach(&self, id: u64, task: AbortHandle) {
        if let Some(entry) = self.lock().get_mut(&id) {
            // Another task may have taken over already.
            entry.task.get_or_insert(task);
        }
    }

    /// Ends the connections that have exceeded a timeout.
    pub(super) fn close_stale(&self, timeouts: TimeoutChecks) {
        for entry in self.lock().values_mut() {
            match (entry.check(timeouts), &entry.task) {
                (Staleness::LateHead, _) => entry.activity.refuse_head(),
                (Staleness::Stale, Some(task)) => task.abort(),
                (Staleness::Stale, None) | (Staleness::Fresh, _) => {}
            }
        }
    }

    /// Aborts the connection that has been idle for longest, if any is idle.
    pub(super) fn close_longest_idle(&self) {
        let connections = self.lock();
        let idle = connections.iter().filter(|(_, entry)| entry.is_idle());
        // Of those that were idle at as many checks, the oldest.
        let longest = idle.max_by_key(|(id, entry)| (entry.last_check.idle_checks, Reverse(**id)));
        if let Some((_, entry)) = longest
            && let Some(task) = &entry.task
        {
            task.abort();
        }
    }

    /// Asks every connection to end after the request it is handling.
    pub(super) fn stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
        for entry in self.lock().values() {
            entry.activity.stop();
        }
    }

    /// Waits until no connection is open.
    pub(super) async fn closed(&self) {
        loop {
            let waiting = self.empty.notified();
            if self.lock().is_empty() {
                return;
            }
            waiting.await;
        }
    }

    /// Aborts every connection.
    pub(super) fn abort(&self) {
        for entry in self.lock().values() {
            if let Some(task) = &entry.task {
                task.abort();
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, ConnectionEntry>> {
        self.connections
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConnectionEntry {
    /// Whether no request is being received, handled or answered.
    fn is_idle(&self) -> bool {
        let now = self.activity.sample();
        !now.busy && !now.write_blocked && (!now.reading_head || now.progress == 0)
    }

    fn check(&mut self, timeouts: TimeoutChecks) -> Staleness {
        let now = self.activity.sample();
        let last = &mut self.last_check;
        let same_request = now.requests == last.requests;
        // A head that comes byte by byte makes progress and is late all the same.
        let same_head = !now.busy && same_request && now.reading_head;
        // A handler or a stream may take its time, a client that has a response to read may not.
        let is_waiting = !now.busy || now.write_blocked;
        let is_idle = is_waiting && same_request && now.progress == last.progress;
        *last = LastCheck {
            progress: now.progress,
            requests: now.requests,
            idle_checks: if is_idle { last.idle_checks + 1 } else { 0 },
            head_checks: if same_head { last.head_checks + 1 } else { 0 },
        };
        let refused_at = timeouts.head.saturating_add(timeouts.refusal);
        if last.idle_checks > timeouts.idle || last.head_checks > refused_at {
            Staleness::Stale
        } else if last.head_checks > timeouts.head {
            Staleness::LateHead
        } else {
            Staleness::Fresh
        }
    }
}

/// A connection's entry in the registry, removed on drop.
#[derive(Debug)]
pub(super) struct Registration {
    registry: Arc<ConnectionRegistry>,
    id: u64,
}

impl Registration {
    pub(super) fn id(&self) -> u64 {
        self.id
    }

    /// Continues the connection in a new task, which has only the memory that it needs.
    pub(super) fn hand_over<P: Send + 'static>(
        self,
        permit: P,
        future: impl Future<Output = ()> + Send + 'static,
    ) {
        let (registry, id) = (Arc::clone(&self.registry), self.id);
        let task = tokio::spawn(async move {
            future.await;
            drop((self, permit));
        });
        if let Some(entry) = registry.lock().get_mut(&id) {
            entry.task = Some(task.abort_handle());
            entry.activity.clear_waker();
        }
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let mut connections = self.registry.lock();
        connections.remove(&self.id);
        if connections.is_empty() {
            self.registry.empty.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Staleness::{Fresh, LateHead, Stale};
    use super::*;

    const TIMEOUTS: TimeoutChecks = TimeoutChecks {
        head: 2,
        idle: 4,
        refusal: 1,
    };

    fn entry() -> ConnectionEntry {
        ConnectionEntry {
            activity: Arc::new(ConnectionActivity::new()),
            task: None,
            last_check: LastCheck::default(),
        }
    }

    #[test]
    fn a_late_head_is_refused_before_the_connection_is_aborted() {
        let mut entry = entry();
        let found = [(); 4].map(|()| {
            // Each byte is progress.
            entry.activity.bytes_received();
            entry.check(TIMEOUTS)
        });
        assert_eq!(found, [Fresh, Fresh, LateHead, Stale]);
    }

    #[test]
    fn a_request_starts_the_time_of_heads_anew() {
        let mut entry = entry();
        assert_eq!(
            [(); 3].map(|()| entry.check(TIMEOUTS)),
            [Fresh, Fresh, LateHead]
        );
        entry.activity.refuse_head();
        entry.activity.request_started();
        assert!(!entry.activity.is_head_late());
        entry.activity.request_ended();
        // Between requests only the idle timeout counts; the first check sees the new request.
        let found = [(); 6].map(|()| entry.check(TIMEOUTS));
        assert_eq!(found, [Fresh, Fresh, Fresh, Fresh, Fresh, Stale]);
    }
}
