//! The limit on the connections of a database, of all kinds together.

use std::fmt;
use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::pooler::Pooler;

/// The size of a pool without a limit. PostgreSQL's own limit is far below on any sane server; a request
/// that reaches it waits.
const UNLIMITED: usize = 1024;

/// The fewest connections that a database works with: a shared and a pooled one.
const MINIMUM: usize = 2;

/// How many shared connections there are behind a pooler for each one without it, because one executes a single
/// statement at a time there.
const SHARED_BEHIND_POOLER: usize = 4;

/// How many connections of each kind there may be. Each kind has its own share, so that neither takes the
/// connections that the other waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shares {
    pub(super) pooled: usize,
    pub(super) shared: usize,
    /// The shared connections once a pooler was noticed.
    pub(super) shared_behind_pooler: usize,
}

impl Shares {
    /// Divides a limit, where 0 means none. Shared connections get at most half of it. A pooler that is noticed
    /// later does not change how a limit is divided.
    pub(super) fn of(limit: usize, shared: usize, pooler: Pooler) -> Self {
        let direct = shared.max(1);
        let many = direct.saturating_mul(SHARED_BEHIND_POOLER);
        let shared = match pooler {
            Pooler::Auto | Pooler::Session => direct,
            Pooler::Transaction => many,
        };
        if limit == 0 {
            return Self {
                pooled: UNLIMITED,
                shared,
                shared_behind_pooler: match pooler {
                    Pooler::Session => shared,
                    Pooler::Auto | Pooler::Transaction => many,
                },
            };
        }
        let limit = limit.max(MINIMUM);
        let shared = shared.min(limit / 2);
        Self {
            pooled: limit - shared,
            shared,
            shared_behind_pooler: shared,
        }
    }
}

/// Counts the open connections.
#[derive(Debug, Clone)]
pub(super) struct ConnectionLimit(Option<Arc<Semaphore>>);

/// The permission to have a connection open. It ends with the connection.
#[derive(Debug, Clone)]
pub(super) struct ConnectionPermit {
    _permit: Option<Arc<OwnedSemaphorePermit>>,
}

impl ConnectionLimit {
    pub(super) fn new(limit: usize) -> Self {
        Self((limit > 0).then(|| Arc::new(Semaphore::new(limit.max(MINIMUM)))))
    }

    /// Returns a permit, unless as many connections are open as may be.
    pub(super) fn take(&self) -> Result<ConnectionPermit, LimitReached> {
        let permit = match &self.0 {
            None => None,
            Some(permits) => match Arc::clone(permits).try_acquire_owned() {
                Ok(permit) => Some(Arc::new(permit)),
                Err(_) => return Err(LimitReached),
            },
        };
        Ok(ConnectionPermit { _permit: permit })
    }

    /// Whether as many connections are open as may be.
    pub(super) fn is_reached(&self) -> bool {
        let permits = self.0.as_ref();
        permits.is_some_and(|permits| permits.available_permits() == 0)
    }
}

/// The error for a connection that would be one too many.
#[derive(Debug)]
pub(super) struct LimitReached;

impl fmt::Display for LimitReached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("all connections that there may be are open")
    }
}

impl std::error::Error for LimitReached {}

#[cfg(test)]
mod tests {
    use super::super::pooler::Pooler::{self, Auto, Session, Transaction};
    use super::{ConnectionLimit, Shares, UNLIMITED};

    fn divided(limit: usize, shared: usize, pooler: Pooler) -> [usize; 3] {
        let parts = Shares::of(limit, shared, pooler);
        [parts.pooled, parts.shared, parts.shared_behind_pooler]
    }

    #[test]
    fn both_kinds_of_connections_share_the_limit() {
        for (limit, shared, expected) in [
            (0, 2, [UNLIMITED, 2, 8]),
            (0, 0, [UNLIMITED, 1, 4]),
            (1, 2, [1, 1, 1]),
            (2, 2, [1, 1, 1]),
            (3, 2, [2, 1, 1]),
            (4, 2, [2, 2, 2]),
            (5, 2, [3, 2, 2]),
            (20, 2, [18, 2, 2]),
            (20, 0, [19, 1, 1]),
        ] {
            assert_eq!(divided(limit, shared, Auto), expected, "{limit}");
        }
    }

    #[test]
    fn more_connections_are_shared_behind_a_pooler() {
        for (limit, pooler, expected) in [
            (0, Session, [UNLIMITED, 2, 2]),
            (0, Transaction, [UNLIMITED, 8, 8]),
            (20, Session, [18, 2, 2]),
            (20, Transaction, [12, 8, 8]),
            (10, Transaction, [5, 5, 5]),
            (2, Transaction, [1, 1, 1]),
        ] {
            assert_eq!(divided(limit, 2, pooler), expected, "{limit} {pooler:?}");
        }
    }

    #[test]
    fn a_permit_is_free_again_when_its_connection_has_ended() {
        let limit = ConnectionLimit::new(3);
        let permits: Vec<_> = (0..3).map(|_| limit.take().unwrap()).collect();
        assert!(limit.is_reached() && limit.take().is_err());
        let second_owner = permits[0].clone();
        drop(permits);
        assert!(!limit.is_reached());
        drop(second_owner);
        assert!(limit.take().is_ok());

        let unlimited = ConnectionLimit::new(0);
        assert!(!unlimited.is_reached() && unlimited.take().is_ok());
    }
}
