//! A few connections that all requests share.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use deadpool_postgres::ClientWrapper;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_postgres::Client;

use super::connect::{Connector, MAX_RETRY_PAUSE};
use super::error::DatabaseError;
use super::limit::Shares;

/// The shared connections of a database, used in turn.
#[derive(Debug)]
pub(super) struct SharedConnections {
    connector: Connector,
    /// As many as are used behind a pooler.
    slots: Vec<Slot>,
    count_without_pooler: usize,
    max_age: Duration,
    next: AtomicUsize,
}

/// One shared connection, which may not be open.
#[derive(Debug, Default)]
struct Slot {
    current: Mutex<Option<SharedConnection>>,
    /// Locked by the task that connects; holds the last failed attempt.
    connecting: tokio::sync::Mutex<Option<FailedAttempt>>,
}

#[derive(Debug, Clone)]
struct SharedConnection {
    client: Arc<ClientWrapper>,
    opened_at: Instant,
}

#[derive(Debug)]
struct FailedAttempt {
    at: Instant,
    reason: String,
}

impl SharedConnections {
    pub(super) fn new(connector: Connector, shares: Shares, max_age: Duration) -> Self {
        let slots = (0..shares.shared_behind_pooler).map(|_| Slot::default());
        Self {
            connector,
            max_age,
            slots: slots.collect(),
            count_without_pooler: shares.shared,
            next: AtomicUsize::new(0),
        }
    }

    /// How many connections are used in turn.
    pub(super) fn count(&self) -> usize {
        match self.connector.pooler().is_transaction_mode() {
            Some(true) => self.slots.len(),
            Some(false) | None => self.count_without_pooler,
        }
    }

    /// Returns the next connection. Opens it if it is not open yet or was lost. `make_room` closes a connection
    /// of another kind, if there is one that can be spared.
    pub(super) async fn get(
        &self,
        wait: Duration,
        make_room: &(impl Fn() -> bool + Sync),
    ) -> Result<Arc<ClientWrapper>, DatabaseError> {
        let next = self.next.fetch_add(1, Ordering::Relaxed);
        let Some(slot) = self.slots.get(next % self.count().max(1)) else {
            return Err(DatabaseError::Unavailable("there is no slot".to_owned()));
        };
        match slot.open() {
            Some(open) if self.is_usable(open.opened_at.elapsed()) => Ok(open.client),
            Some(old) => Ok(slot.replace(&self.connector, old, make_room).await),
            None => slot.connect(&self.connector, wait).await,
        }
    }

    fn is_usable(&self, age: Duration) -> bool {
        age < self.max_age && !self.connector.pooler().is_outdated(age)
    }

    /// Releases all connections; each closes when its last user has finished.
    pub(super) fn close(&self) {
        for slot in &self.slots {
            slot.set(None);
        }
    }
}

impl Slot {
    fn open(&self) -> Option<SharedConnection> {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        current
            .as_ref()
            .filter(|connection| !connection.client.is_closed())
            .cloned()
    }

    fn set(&self, connection: Option<SharedConnection>) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = connection;
    }

    fn set_client(&self, client: Client, task: JoinHandle<()>) -> Arc<ClientWrapper> {
        let client = Arc::new(ClientWrapper::new(client, task));
        self.set(Some(SharedConnection {
            client: Arc::clone(&client),
            opened_at: Instant::now(),
        }));
        client
    }

    /// Replaces an old connection. Other callers use the old one until the new one is open; if the server
    /// is full, this caller uses it too.
    async fn replace(
        &self,
        connector: &Connector,
        old: SharedConnection,
        make_room: &(impl Fn() -> bool + Sync),
    ) -> Arc<ClientWrapper> {
        let Ok(_connecting) = self.connecting.try_lock() else {
            return old.client;
        };
        let open = self.open();
        if let Some(newer) = open.filter(|open| open.opened_at > old.opened_at) {
            return newer.client;
        }
        let mut opened = connector.connect_with_retry(Duration::ZERO).await;
        if opened.is_err() && connector.is_at_limit() && make_room() {
            opened = connector.connect_with_retry(MAX_RETRY_PAUSE).await;
        }
        match opened {
            Ok((client, task)) => self.set_client(client, task),
            Err(error) => {
                tracing::debug!(%error, "an old database connection stays in use");
                old.client
            }
        }
    }

    /// Connects. Callers that wait meanwhile share the outcome, so that they do not all try a server that
    /// is down, one after the other.
    async fn connect(
        &self,
        connector: &Connector,
        wait: Duration,
    ) -> Result<Arc<ClientWrapper>, DatabaseError> {
        let start = Instant::now();
        let mut last_failure = self.connecting.lock().await;
        if let Some(open) = self.open() {
            return Ok(open.client);
        }
        let recent_failure = last_failure.as_ref();
        if let Some(failure) = recent_failure.filter(|failure| failure.at > start) {
            return Err(DatabaseError::Unavailable(failure.reason.clone()));
        }
        match connector.connect_with_retry(wait).await {
            Ok((client, task)) => Ok(self.set_client(client, task)),
            Err(error) => {
                if let DatabaseError::Unavailable(reason) | DatabaseError::Refused(reason) = &error
                {
                    *last_failure = Some(FailedAttempt {
                        at: Instant::now(),
                        reason: reason.clone(),
                    });
                }
                Err(error)
            }
        }
    }
}
