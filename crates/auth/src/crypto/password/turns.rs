//! Turns at the hashing pool, so that the checks of one account do not fill it.
//!
//! A check of an imported hash may take a second, and a queue of a hundred of them would keep everybody else from
//! signing in. So only a few checks of one identifier are in the pool at once; the others wait here, where they hold
//! neither a thread nor a place in the queue. The identifier is the one that was sent, whether or not somebody has
//! it, so that a refusal does not reveal who has an account.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How many checks of one identifier may be in the pool at once.
const AT_ONCE: usize = 2;

/// How many checks of one identifier may wait or be in the pool.
const MAX_CHECKS: usize = 64;

/// Counts the checks of each identifier in this process.
#[derive(Debug, Default)]
pub(crate) struct CheckTurns(Mutex<HashMap<String, IdentifierTurns>>);

#[derive(Debug)]
struct IdentifierTurns {
    /// The checks that wait or are in the pool. The entry is removed with the last of them.
    checks: usize,
    semaphore: Arc<Semaphore>,
}

/// Permission to check a password, until it is dropped.
#[derive(Debug)]
pub(crate) struct CheckTurn<'a> {
    // Dropped before the place, so that the next check is let through before the entry may be removed.
    _permit: OwnedSemaphorePermit,
    _place: CheckPlace<'a>,
}

/// A place among the checks of an identifier.
#[derive(Debug)]
struct CheckPlace<'a> {
    turns: &'a CheckTurns,
    identifier: String,
}

impl CheckTurns {
    /// Waits until a password may be checked for this identifier. Returns `None` at once if too many checks wait.
    pub(crate) async fn wait(&self, identifier: &str) -> Option<CheckTurn<'_>> {
        let (place, semaphore) = self.enter(identifier)?;
        // The semaphore is never closed.
        let permit = semaphore.acquire_owned().await.ok()?;
        Some(CheckTurn {
            _permit: permit,
            _place: place,
        })
    }

    fn enter(&self, identifier: &str) -> Option<(CheckPlace<'_>, Arc<Semaphore>)> {
        let mut table = self.lock();
        let turns = table
            .entry(identifier.to_owned())
            .or_insert_with(|| IdentifierTurns {
                checks: 0,
                semaphore: Arc::new(Semaphore::new(AT_ONCE)),
            });
        if turns.checks >= MAX_CHECKS {
            return None;
        }
        turns.checks += 1;
        let place = CheckPlace {
            turns: self,
            identifier: identifier.to_owned(),
        };
        Some((place, Arc::clone(&turns.semaphore)))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, IdentifierTurns>> {
        // Every change is complete before the next starts, so a panic elsewhere leaves the data valid.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for CheckPlace<'_> {
    fn drop(&mut self) {
        let mut table = self.turns.lock();
        let Some(turns) = table.get_mut(&self.identifier) else {
            return;
        };
        turns.checks = turns.checks.saturating_sub(1);
        if turns.checks == 0 {
            table.remove(&self.identifier);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::{Pin, pin};
    use std::task::{Context, Poll, Waker};

    use super::{CheckTurns, MAX_CHECKS};

    fn poll<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
        future.poll(&mut Context::from_waker(Waker::noop()))
    }

    #[test]
    fn the_third_check_of_an_identifier_waits_for_one_of_the_others() {
        let turns = CheckTurns::default();
        let mut first = pin!(turns.wait("ada"));
        let Poll::Ready(Some(first)) = poll(first.as_mut()) else {
            panic!("the first check waits")
        };
        let mut second = pin!(turns.wait("ada"));
        let Poll::Ready(Some(_second)) = poll(second.as_mut()) else {
            panic!("the second check waits")
        };
        let mut third = pin!(turns.wait("ada"));
        assert!(poll(third.as_mut()).is_pending());
        // Others need not wait.
        let mut other = pin!(turns.wait("bob"));
        assert!(matches!(poll(other.as_mut()), Poll::Ready(Some(_))));
        drop(first);
        assert!(matches!(poll(third.as_mut()), Poll::Ready(Some(_))));
    }

    #[test]
    fn too_many_checks_of_an_identifier_are_refused_at_once() {
        let turns = CheckTurns::default();
        let mut waiting = Vec::new();
        let mut granted = Vec::new();
        for _ in 0..MAX_CHECKS {
            let mut check = Box::pin(turns.wait("ada"));
            match poll(check.as_mut()) {
                Poll::Ready(Some(turn)) => granted.push(turn),
                Poll::Ready(None) => panic!("refused too early"),
                Poll::Pending => waiting.push(check),
            }
        }
        assert_eq!((granted.len(), waiting.len()), (2, MAX_CHECKS - 2));
        let mut refused = pin!(turns.wait("ada"));
        assert!(matches!(poll(refused.as_mut()), Poll::Ready(None)));
        // A client that goes away leaves its place to another.
        waiting.pop();
        let mut next = pin!(turns.wait("ada"));
        assert!(poll(next.as_mut()).is_pending());
    }

    #[test]
    fn nothing_is_kept_of_identifiers_without_checks() {
        let turns = CheckTurns::default();
        {
            let mut check = pin!(turns.wait("ada"));
            let Poll::Ready(Some(turn)) = poll(check.as_mut()) else {
                panic!("the first check waits")
            };
            assert_eq!(turns.lock().len(), 1);
            drop(turn);
        }
        assert_eq!(turns.lock().len(), 0);
    }
}
