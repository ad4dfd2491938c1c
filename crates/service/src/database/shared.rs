//! A few connections that everyone uses at once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use deadpool_postgres::ClientWrapper;
use tokio::time::Instant;

use super::DatabaseError;
use super::connect::Connector;

/// The shared connections of a database, given out in turn.
#[derive(Debug)]
pub(super) struct SharedConnections {
    connector: Connector,
    slots: Vec<Slot>,
    turn: AtomicUsize,
}

/// The place of one connection.
#[derive(Debug, Default)]
struct Slot {
    current: Mutex<Option<Arc<ClientWrapper>>>,
    /// Held by the one who connects; holds the last attempt that failed.
    connecting: tokio::sync::Mutex<Option<Failure>>,
}

#[derive(Debug)]
struct Failure {
    at: Instant,
    reason: String,
}

impl SharedConnections {
    pub(super) fn new(connector: Connector, count: usize) -> Self {
        Self {
            connector,
            slots: (0..count.max(1)).map(|_| Slot::default()).collect(),
            turn: AtomicUsize::new(0),
        }
    }

    /// The next connection, opened if it is not there or was lost.
    pub(super) async fn get(&self, wait: Duration) -> Result<Arc<ClientWrapper>, DatabaseError> {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        let Some(slot) = self.slots.get(turn % self.slots.len().max(1)) else {
            return Err(DatabaseError::Unavailable("there is no slot".to_owned()));
        };
        match slot.live() {
            Some(connection) => Ok(connection),
            None => slot.connect(&self.connector, wait).await,
        }
    }

    /// Lets go of all connections; each closes when its last user is done.
    pub(super) fn close(&self) {
        for slot in &self.slots {
            slot.set(None);
        }
    }
}

impl Slot {
    fn live(&self) -> Option<Arc<ClientWrapper>> {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        current
            .as_ref()
            .filter(|connection| !connection.is_closed())
            .cloned()
    }

    fn set(&self, connection: Option<Arc<ClientWrapper>>) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = connection;
    }

    /// Connects; all who ask meanwhile share the outcome, so that a server that is away is not asked
    /// once for each of them, one after the other.
    async fn connect(
        &self,
        connector: &Connector,
        wait: Duration,
    ) -> Result<Arc<ClientWrapper>, DatabaseError> {
        let asked = Instant::now();
        let mut last = self.connecting.lock().await;
        if let Some(connection) = self.live() {
            return Ok(connection);
        }
        if let Some(failure) = last.as_ref().filter(|failure| failure.at > asked) {
            return Err(DatabaseError::Unavailable(failure.reason.clone()));
        }
        match connector.connect_patiently(wait).await {
            Ok((client, task)) => {
                let connection = Arc::new(ClientWrapper::new(client, task));
                self.set(Some(Arc::clone(&connection)));
                Ok(connection)
            }
            Err(error) => {
                if let DatabaseError::Unavailable(reason) | DatabaseError::Refused(reason) = &error
                {
                    *last = Some(Failure {
                        at: Instant::now(),
                        reason: reason.clone(),
                    });
                }
                Err(error)
            }
        }
    }
}
