//! Which connections do nothing, and for how long.
//!
//! Arming a timer for every request costs more than routing it. Connections count instead, and one
//! janitor per server looks at all of them a few times per limit.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering, fence};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

use tokio::task::AbortHandle;

/// What a connection is doing.
#[derive(Debug, Default)]
pub(crate) struct Pulse {
    /// Requests being worked on, bodies being streamed.
    busy: AtomicU32,
    /// Goes up whenever bytes come or go.
    progress: AtomicU32,
    /// Requests so far.
    requests: AtomicU32,
    /// Whether bytes have come that are no request yet.
    reading: AtomicBool,
    /// Whether bytes wait for the client to read those before them.
    blocked: AtomicBool,
    /// Whether the connection should end when it can.
    stopping: AtomicBool,
    /// Wakes the connection, to have it look at `stopping`.
    waker: Mutex<Option<Waker>>,
}

impl Pulse {
    pub(super) fn new() -> Self {
        // The first head is being waited for from the start.
        Self {
            reading: AtomicBool::new(true),
            ..Self::default()
        }
    }

    /// Bytes of a request have come.
    pub(super) fn received(&self) {
        self.moved();
        if self.busy.load(Ordering::Relaxed) == 0 {
            self.reading.store(true, Ordering::Relaxed);
        }
    }

    /// Bytes have come or gone.
    pub(super) fn moved(&self) {
        // Only the task of the connection comes here, so nobody adds at the same time.
        let progress = self.progress.load(Ordering::Relaxed);
        self.progress
            .store(progress.wrapping_add(1), Ordering::Relaxed);
    }

    /// The client does not read, or reads again.
    pub(super) fn block(&self, blocked: bool) {
        self.blocked.store(blocked, Ordering::Relaxed);
    }

    pub(super) fn begin(&self) {
        self.reading.store(false, Ordering::Relaxed);
        let requests = self.requests.load(Ordering::Relaxed);
        self.requests
            .store(requests.wrapping_add(1), Ordering::Relaxed);
        self.busy.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn end(&self) {
        self.busy.fetch_sub(1, Ordering::Relaxed);
    }

    /// Whether no answer is being made or sent.
    #[cfg(feature = "tls")]
    pub(super) fn is_at_rest(&self) -> bool {
        self.busy.load(Ordering::Relaxed) == 0 && !self.blocked.load(Ordering::Relaxed)
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    pub(super) fn woken_by(&self, waker: &Waker) {
        // A spawned task keeps its waker, so the first one will do.
        self.waker().get_or_insert_with(|| waker.clone());
        // Either `stop` finds the waker, or whoever set it finds `stopping`.
        fence(Ordering::SeqCst);
    }

    fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        if let Some(waker) = &*self.waker() {
            waker.wake_by_ref();
        }
    }

    fn waker(&self) -> MutexGuard<'_, Option<Waker>> {
        self.waker.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps a connection from being taken for idle.
#[derive(Debug)]
pub(crate) struct Busy(Arc<Pulse>);

impl Busy {
    pub(super) fn new(pulse: &Arc<Pulse>) -> Self {
        pulse.busy.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(pulse))
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// All open connections of a server.
#[derive(Debug, Default)]
pub(super) struct Connections {
    open: Mutex<HashMap<u64, Entry>>,
    next: AtomicU64,
    stopping: AtomicBool,
    empty: tokio::sync::Notify,
}

#[derive(Debug)]
struct Entry {
    pulse: Arc<Pulse>,
    task: Option<AbortHandle>,
    seen: Seen,
}

/// What the janitor saw last time, and how often it has seen the same.
#[derive(Debug, Default)]
struct Seen {
    progress: u32,
    requests: u32,
    quiet: u32,
    reading: u32,
}

/// How often the janitor may see the same before it closes a connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    pub(super) head: u32,
    pub(super) idle: u32,
}

impl Patience {
    /// The janitor's round and how many rounds each limit is.
    pub(super) fn new(head: Duration, idle: Duration) -> (Duration, Self) {
        let round = (head.min(idle) / 8).max(Duration::from_millis(5));
        let rounds = |limit: Duration| {
            u32::try_from(limit.as_millis().div_ceil(round.as_millis().max(1))).unwrap_or(u32::MAX)
        };
        (
            round,
            Self {
                head: rounds(head),
                idle: rounds(idle),
            },
        )
    }
}

impl Connections {
    /// Remembers a connection until the ticket is dropped.
    pub(super) fn admit(self: &Arc<Self>, pulse: Arc<Pulse>) -> Ticket {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        if self.stopping.load(Ordering::SeqCst) {
            pulse.stop();
        }
        let entry = Entry {
            pulse,
            task: None,
            seen: Seen::default(),
        };
        self.lock().insert(number, entry);
        Ticket {
            connections: Arc::clone(self),
            number,
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<u64, Entry>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One round of the janitor: ends what has been silent for too long.
    pub(super) fn tidy(&self, patience: Patience) {
        for entry in self.lock().values_mut() {
            if entry.is_stale(patience)
                && let Some(task) = &entry.task
            {
                task.abort();
            }
        }
    }

    /// Has every connection end after the request it is working on.
    pub(super) fn stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
        for entry in self.lock().values() {
            entry.pulse.stop();
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

    /// Ends every connection now.
    pub(super) fn abort(&self) {
        for entry in self.lock().values() {
            if let Some(task) = &entry.task {
                task.abort();
            }
        }
    }
}

impl Entry {
    fn is_stale(&mut self, patience: Patience) -> bool {
        let (pulse, seen) = (&self.pulse, &mut self.seen);
        let progress = pulse.progress.load(Ordering::Relaxed);
        let requests = pulse.requests.load(Ordering::Relaxed);
        let same_request = requests == seen.requests;
        let busy = pulse.busy.load(Ordering::Relaxed) > 0;
        // A head that comes byte by byte makes progress and is late all the same.
        let reading = !busy && same_request && pulse.reading.load(Ordering::Relaxed);
        // A handler or a stream may take its time, a client that has an answer to read may not.
        let waiting = !busy || pulse.blocked.load(Ordering::Relaxed);
        let quiet = waiting && same_request && progress == seen.progress;
        *seen = Seen {
            progress,
            requests,
            quiet: if quiet { seen.quiet + 1 } else { 0 },
            reading: if reading { seen.reading + 1 } else { 0 },
        };
        seen.reading > patience.head || seen.quiet > patience.idle
    }
}

/// A connection's place among the open ones.
#[derive(Debug)]
pub(super) struct Ticket {
    connections: Arc<Connections>,
    number: u64,
}

impl Ticket {
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Has another task go on with the connection: one that has only the room it needs.
    pub(super) fn hand_over<T: Send + 'static>(
        (ticket, permit): (Self, T),
        rest: impl Future<Output = ()> + Send + 'static,
    ) {
        let (connections, number) = (Arc::clone(&ticket.connections), ticket.number);
        let task = tokio::spawn(async move {
            rest.await;
            drop((ticket, permit));
        });
        if let Some(entry) = connections.lock().get_mut(&number) {
            entry.task = Some(task.abort_handle());
            // A task that can be woken keeps its room.
            *entry.pulse.waker() = None;
        }
    }
}

impl Connections {
    /// Lets the janitor end this connection.
    pub(super) fn attach(&self, number: u64, task: AbortHandle) {
        if let Some(entry) = self.lock().get_mut(&number) {
            // Another task may have taken over already.
            entry.task.get_or_insert(task);
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut open = self.connections.lock();
        open.remove(&self.number);
        if open.is_empty() {
            self.connections.empty.notify_waiters();
        }
    }
}
