//! What a connection is doing, as counters.
//!
//! Arming a timer for every request costs more than routing it. Connections count instead, and one
//! task per server compares the counters of all connections a few times per timeout (`server/registry.rs`).

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering, fence};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

/// Counters and flags of one connection.
#[derive(Debug, Default)]
pub(crate) struct ConnectionActivity {
    /// Requests being handled and bodies being streamed.
    busy: AtomicU32,
    /// Incremented whenever bytes are read or written.
    progress: AtomicU32,
    /// Requests so far.
    requests: AtomicU32,
    /// Whether the client has begun a request head and not completed it.
    reading_head: AtomicBool,
    /// Whether a write waits for the client to read.
    write_blocked: AtomicBool,
    /// Whether the connection should end as soon as it can.
    stopping: AtomicBool,
    /// Whether a request head has taken too long.
    head_late: AtomicBool,
    /// Whether the body of an HTTP/1 request has not been read to its end.
    body_unread: AtomicBool,
    /// Whether a request had trailers, after which the connection is closed.
    had_trailers: AtomicBool,
    /// Wakes the connection's task so that it checks `stopping`.
    waker: Mutex<Option<Waker>>,
}

/// The counters of a connection at one point in time.
pub(crate) struct ActivitySample {
    pub(crate) busy: bool,
    pub(crate) progress: u32,
    pub(crate) requests: u32,
    pub(crate) reading_head: bool,
    pub(crate) write_blocked: bool,
}

impl ConnectionActivity {
    pub(crate) fn new() -> Self {
        // The head timeout of the first request starts with the connection.
        Self {
            reading_head: AtomicBool::new(true),
            ..Self::default()
        }
    }

    /// Records that bytes of a request have arrived.
    pub(crate) fn bytes_received(&self) {
        self.progressed();
        if self.busy.load(Ordering::Relaxed) == 0 {
            self.reading_head.store(true, Ordering::Relaxed);
        }
    }

    /// Records that bytes were read or written.
    pub(crate) fn progressed(&self) {
        // Only the connection's own task writes this counter, so load and store do not race.
        let progress = self.progress.load(Ordering::Relaxed);
        self.progress
            .store(progress.wrapping_add(1), Ordering::Relaxed);
    }

    /// Records whether a write waits for the client to read.
    pub(crate) fn set_write_blocked(&self, blocked: bool) {
        self.write_blocked.store(blocked, Ordering::Relaxed);
    }

    /// Records that a request head is complete and its handler starts.
    pub(crate) fn request_started(&self) {
        self.reading_head.store(false, Ordering::Relaxed);
        self.head_late.store(false, Ordering::Relaxed);
        let requests = self.requests.load(Ordering::Relaxed);
        self.requests
            .store(requests.wrapping_add(1), Ordering::Relaxed);
        self.busy.fetch_add(1, Ordering::Relaxed);
    }

    /// Records that a handler has returned its response.
    pub(crate) fn request_ended(&self) {
        self.busy.fetch_sub(1, Ordering::Relaxed);
    }

    /// Records that a request has a body, or that it was read to its end.
    pub(crate) fn set_body_unread(&self, unread: bool) {
        self.body_unread.store(unread, Ordering::Relaxed);
    }

    /// Records that a request had trailers. hyper reads them more leniently than others do: what it takes
    /// for trailers may be the next request.
    pub(crate) fn trailers_received(&self) {
        self.had_trailers.store(true, Ordering::Relaxed);
    }

    pub(crate) fn had_trailers(&self) -> bool {
        self.had_trailers.load(Ordering::Relaxed)
    }

    /// Whether the connection is closed after the response to the current HTTP/1 request.
    pub(crate) fn closes(&self) -> bool {
        self.had_trailers() || self.body_unread.load(Ordering::Relaxed)
    }

    /// Whether no response is being made or sent.
    #[cfg(feature = "tls")]
    pub(crate) fn is_idle(&self) -> bool {
        self.busy.load(Ordering::Relaxed) == 0 && !self.write_blocked.load(Ordering::Relaxed)
    }

    /// Whether the connection was asked to end.
    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// Whether the request head that is being received has taken too long.
    pub(crate) fn is_head_late(&self) -> bool {
        self.head_late.load(Ordering::Relaxed)
    }

    /// Tells the connection that a request head has taken too long, so that it says so and ends.
    pub(crate) fn refuse_head(&self) {
        self.head_late.store(true, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        if let Some(waker) = &*self.waker() {
            waker.wake_by_ref();
        }
    }

    /// Registers the waker of the connection's task, for [`stop`](Self::stop).
    pub(crate) fn register_waker(&self, waker: &Waker) {
        // A spawned task keeps its waker, so the first one will do.
        self.waker().get_or_insert_with(|| waker.clone());
        // Either `stop` finds the waker, or the task that set it finds `stopping`.
        fence(Ordering::SeqCst);
    }

    /// Drops the registered waker: a task that can be woken keeps its memory.
    pub(crate) fn clear_waker(&self) {
        *self.waker() = None;
    }

    /// Asks the connection to end after the request it is handling.
    pub(crate) fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        if let Some(waker) = &*self.waker() {
            waker.wake_by_ref();
        }
    }

    pub(crate) fn sample(&self) -> ActivitySample {
        ActivitySample {
            busy: self.busy.load(Ordering::Relaxed) > 0,
            progress: self.progress.load(Ordering::Relaxed),
            requests: self.requests.load(Ordering::Relaxed),
            reading_head: self.reading_head.load(Ordering::Relaxed),
            write_blocked: self.write_blocked.load(Ordering::Relaxed),
        }
    }

    fn waker(&self) -> MutexGuard<'_, Option<Waker>> {
        self.waker.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Exempts a connection from the idle timeout until it is dropped.
#[derive(Debug)]
pub(crate) struct BusyGuard(Arc<ConnectionActivity>);

impl BusyGuard {
    pub(crate) fn new(activity: &Arc<ConnectionActivity>) -> Self {
        activity.busy.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(activity))
    }
}

impl Drop for BusyGuard {
    fn drop(&mut self) {
        self.0.request_ended();
    }
}
