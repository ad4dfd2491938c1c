//! A few connections that everyone uses at once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use deadpool_postgres::ClientWrapper;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_postgres::Client;

use super::DatabaseError;
use super::connect::Connector;

/// The shared connections of a database, given out in turn.
#[derive(Debug)]
pub(super) struct SharedConnections {
    connector: Connector,
    slots: Vec<Slot>,
    /// How old a connection may grow.
    age: Duration,
    turn: AtomicUsize,
}

/// The place of one connection.
#[derive(Debug, Default)]
struct Slot {
    current: Mutex<Option<Opened>>,
    /// Held by the one who connects; holds the last attempt that failed.
    connecting: tokio::sync::Mutex<Option<Failure>>,
}

#[derive(Debug, Clone)]
struct Opened {
    connection: Arc<ClientWrapper>,
    at: Instant,
}

#[derive(Debug)]
struct Failure {
    at: Instant,
    reason: String,
}

impl SharedConnections {
    pub(super) fn new(connector: Connector, count: usize, age: Duration) -> Self {
        Self {
            connector,
            age,
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
            Some(opened) if opened.at.elapsed() < self.age => Ok(opened.connection),
            Some(old) => Ok(slot.renew(&self.connector, old).await),
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
    fn live(&self) -> Option<Opened> {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        current
            .as_ref()
            .filter(|opened| !opened.connection.is_closed())
            .cloned()
    }

    fn set(&self, opened: Option<Opened>) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = opened;
    }

    /// Takes a new connection into use.
    fn take(&self, client: Client, task: JoinHandle<()>) -> Arc<ClientWrapper> {
        let connection = Arc::new(ClientWrapper::new(client, task));
        self.set(Some(Opened {
            connection: Arc::clone(&connection),
            at: Instant::now(),
        }));
        connection
    }

    /// Replaces a connection that has grown old. It serves until there is another, for all but the
    /// one who connects, and for that one too if there is no room for another.
    async fn renew(&self, connector: &Connector, old: Opened) -> Arc<ClientWrapper> {
        let Ok(_connecting) = self.connecting.try_lock() else {
            return old.connection;
        };
        if let Some(newer) = self.live().filter(|opened| opened.at > old.at) {
            return newer.connection;
        }
        match connector.connect_patiently(Duration::ZERO).await {
            Ok((client, task)) => self.take(client, task),
            Err(error) => {
                tracing::debug!(%error, "an old database connection stays in use");
                old.connection
            }
        }
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
        if let Some(opened) = self.live() {
            return Ok(opened.connection);
        }
        if let Some(failure) = last.as_ref().filter(|failure| failure.at > asked) {
            return Err(DatabaseError::Unavailable(failure.reason.clone()));
        }
        match connector.connect_patiently(wait).await {
            Ok((client, task)) => Ok(self.take(client, task)),
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
