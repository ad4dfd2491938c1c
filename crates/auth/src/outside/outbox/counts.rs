//! Counters of sent, failed and waiting messages.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Counters of the messages of a channel, for metrics.
#[derive(Debug, Default)]
pub struct MessageCounts {
    /// Sending takes milliseconds: a lock is nothing beside it.
    sent: Mutex<BTreeMap<&'static str, u64>>,
    failed: AtomicU64,
    waiting: AtomicU64,
}

impl MessageCounts {
    /// Counts a message that the server accepted.
    pub(crate) fn count_sent(&self, kind: &'static str) {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        *sent.entry(kind).or_default() += 1;
    }

    /// Counts an attempt that failed.
    pub(crate) fn count_failed(&self) {
        self.failed.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns how many messages of each kind the server accepted.
    pub fn sent(&self) -> Vec<(&'static str, u64)> {
        let sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        sent.iter().map(|(kind, number)| (*kind, *number)).collect()
    }

    pub(crate) fn set_waiting(&self, messages: u64) {
        self.waiting.store(messages, Ordering::Relaxed);
    }

    /// Returns how many messages of all replicas waited when they were last counted.
    pub fn waiting(&self) -> u64 {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Returns how many attempts failed.
    pub fn failed(&self) -> u64 {
        self.failed.load(Ordering::Relaxed)
    }
}
