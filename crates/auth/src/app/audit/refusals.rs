//! The bound on audit entries about refused requests, which strangers can cause.

use std::sync::{Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};

use super::AuditAction;

/// The time after which one more entry may be written.
const REFILL: SignedDuration = SignedDuration::from_secs(1);
/// The time after which an empty bucket is full: a hundred entries may be written at once.
const CAPACITY: SignedDuration = SignedDuration::from_secs(100);

/// Bounds the entries of this process about failed sign-ins and refused admin calls, each by itself.
#[derive(Debug, Default)]
pub(crate) struct RefusalBudget {
    sign_ins: Mutex<Bucket>,
    admin_calls: Mutex<Bucket>,
}

/// A token bucket, which also counts what did not fit.
#[derive(Debug, Default)]
struct Bucket {
    /// The time when the bucket is full again; `None` before the first entry.
    full_at: Option<Timestamp>,
    /// Entries that were left out since the last one that was written.
    omitted: u64,
}

impl RefusalBudget {
    /// Takes the place of one entry, and returns how many were left out since the last one. `None` if there were
    /// too many lately; then this one is left out.
    pub(crate) fn take(&self, action: AuditAction, now: Timestamp) -> Option<u64> {
        let bucket = match action {
            AuditAction::AdminCallRefused => &self.admin_calls,
            _ => &self.sign_ins,
        };
        // Every change is complete before the next starts, so a panic elsewhere leaves the data valid.
        let mut bucket = bucket.lock().unwrap_or_else(PoisonError::into_inner);
        bucket.take(now)
    }
}

impl Bucket {
    fn take(&mut self, now: Timestamp) -> Option<u64> {
        let full_at = self.full_at.map_or(now, |full_at| full_at.max(now));
        let next = full_at.checked_add(REFILL).unwrap_or(full_at);
        if next.duration_since(now) > CAPACITY {
            self.omitted = self.omitted.saturating_add(1);
            return None;
        }
        self.full_at = Some(next);
        Some(std::mem::take(&mut self.omitted))
    }
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};

    use super::super::AuditAction;
    use super::RefusalBudget;

    #[test]
    fn a_hundred_entries_fit_and_one_more_each_second() {
        let budget = RefusalBudget::default();
        let start = Timestamp::from_second(1_800_000_000).unwrap();
        let take =
            |action, seconds| budget.take(action, start + SignedDuration::from_secs(seconds));
        let failed = |seconds| take(AuditAction::SignInFailed, seconds);
        for _ in 0..100 {
            assert_eq!(failed(0), Some(0));
        }
        for _ in 0..7 {
            assert_eq!(failed(0), None);
        }
        // The other kind has its own bound.
        assert_eq!(take(AuditAction::AdminCallRefused, 0), Some(0));
        assert_eq!(failed(1), Some(7));
        assert_eq!(failed(1), None);
        assert_eq!(failed(3), Some(1));
        assert_eq!(failed(3), Some(0));
        assert_eq!(failed(3), None);
        // However long nothing happens, no more than a hundred fit.
        let taken = (0..1000).filter(|_| failed(100_000).is_some());
        assert_eq!(taken.count(), 100);
    }
}
