//! The limit on the connections of a database, of all kinds together.

use std::fmt;
use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The size of a pool without a limit. PostgreSQL's own limit is far below on any sane server; a request
/// that reaches it waits.
const UNLIMITED: usize = 1024;

/// The fewest connections that a database works with: a shared and a pooled one.
const MINIMUM: usize = 2;

/// How many connections of each kind there may be. Each kind has its own share, so that neither takes the
/// connections that the other waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shares {
    pub(super) pooled: usize,
    pub(super) shared: usize,
}

impl Shares {
    /// Divides a limit, where 0 means none. Shared connections get at most half of it.
    pub(super) fn of(limit: usize, shared: usize) -> Self {
        let shared = shared.max(1);
        if limit == 0 {
            return Self {
                pooled: UNLIMITED,
                shared,
            };
        }
        let limit = limit.max(MINIMUM);
        let shared = shared.min(limit / 2);
        Self {
            pooled: limit - shared,
            shared,
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
    use super::{ConnectionLimit, Shares, UNLIMITED};

    #[test]
    fn both_kinds_of_connections_share_the_limit() {
        for (limit, shared, expected) in [
            (0, 2, (UNLIMITED, 2)),
            (0, 0, (UNLIMITED, 1)),
            (1, 2, (1, 1)),
            (2, 2, (1, 1)),
            (3, 2, (2, 1)),
            (4, 2, (2, 2)),
            (5, 2, (3, 2)),
            (20, 2, (18, 2)),
            (20, 0, (19, 1)),
        ] {
            let shares = Shares::of(limit, shared);
            assert_eq!((shares.pooled, shares.shared), expected, "{limit}");
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
