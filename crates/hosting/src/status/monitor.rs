//! The status monitor: decides which replica probes, collects the status, and publishes responses.

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use arc_swap::ArcSwap;
use deadpool_postgres::Client;
use innkeeper_service::clock::Clock;
use jiff::{SignedDuration, Timestamp};
use tokio::sync::Mutex;
use tokio::time::timeout;
use uuid::Uuid;

use super::data::{SHOWN_AFTERWARDS, StatusData};
use super::probe::ProbeClient;
use super::prober::Prober;
use super::responses::StatusResponses;
use crate::content::ContentStore;
use crate::database::{ServerDatabase, ServerDatabaseError};
use crate::site::Site;
use crate::store;

/// The lease of the replica that probes, how long it lasts, and how often it is renewed.
const LEASE: &str = "prober";
const LEASE_TIME: SignedDuration = SignedDuration::from_secs(30);
const RENEWAL_INTERVAL: SignedDuration = SignedDuration::from_secs(5);
/// How long one exchange with the database may take.
const DATABASE_TIMEOUT: Duration = Duration::from_secs(10);
/// How often uptimes are computed.
const UPTIME_INTERVAL: SignedDuration = SignedDuration::from_mins(1);
/// How many incidents and how many maintenances are shown at most.
const MAX_SHOWN: i64 = 50;

/// The status monitor of a server.
#[derive(Debug)]
pub(crate) struct StatusMonitor {
    clock: Clock,
    content: Arc<ContentStore>,
    database: Option<Arc<ServerDatabase>>,
    site: Site,
    /// Whether this replica may probe, from `STATUS_PROBES`.
    may_probe: bool,
    replica: Mutex<Replica>,
    data: ArcSwap<StatusData>,
    responses: ArcSwap<StatusResponses>,
    own_address: Arc<OnceLock<SocketAddr>>,
}

/// The role of this replica.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReplicaRole {
    /// It holds the lease and probes for all replicas.
    Leading,
    /// Another replica probes.
    Following,
    /// It has no database to share a lease in, or cannot reach it, and probes for itself.
    Alone,
}

/// What this replica does, and when it last did it.
#[derive(Debug)]
struct Replica {
    id: Uuid,
    role: ReplicaRole,
    prober: Prober,
    /// When the lease was last taken, renewed, or found to be held by another replica.
    renewed_at: Option<Timestamp>,
    uptimes_at: Option<Timestamp>,
}

impl StatusMonitor {
    pub(crate) fn new(
        content: Arc<ContentStore>,
        database: Option<Arc<ServerDatabase>>,
        site: Site,
        may_probe: bool,
        clock: Clock,
    ) -> Result<Self, reqwest::Error> {
        let data = StatusData {
            definition: Arc::clone(content.index().status()),
            ..StatusData::default()
        };
        let responses = StatusResponses::new(&data, &site, clock.now(), None);
        let own_address = Arc::new(OnceLock::new());
        let pool = database.as_ref().map(|database| database.pool().clone());
        let client = ProbeClient::new(pool, Arc::clone(&own_address))?;
        let replica = Replica {
            id: Uuid::new_v4(),
            role: ReplicaRole::Alone,
            prober: Prober::new(client),
            renewed_at: None,
            uptimes_at: None,
        };
        Ok(Self {
            data: ArcSwap::from_pointee(data),
            responses: ArcSwap::from_pointee(responses),
            replica: Mutex::new(replica),
            own_address,
            clock,
            content,
            database,
            site,
            may_probe,
        })
    }

    /// Sets the address that this server listens on, for probes of its own routes.
    pub(crate) fn set_own_address(&self, address: SocketAddr) {
        // A server that is served twice keeps the first address.
        let _ = self.own_address.set(address);
    }

    /// Returns the current responses.
    pub(crate) fn responses(&self) -> Arc<StatusResponses> {
        let now = self.clock.now();
        if !self.responses.load().is_valid_at(now) {
            self.publish(now);
        }
        self.responses.load_full()
    }

    /// Does what is due: takes or renews the lease, probes, stores results, and reads what other replicas
    /// and operators have stored.
    pub(crate) async fn tick(&self) {
        let mut replica = self.replica.lock().await;
        let now = self.clock.now();
        let mut data = StatusData::clone(&self.data.load());
        data.definition = Arc::clone(self.content.index().status());
        let mut reached = self.renew_lease(&mut replica, now).await;
        if reached.is_err() {
            replica.role = ReplicaRole::Alone;
        }
        if replica.role == ReplicaRole::Following {
            replica.prober.clear_unsaved();
        } else if self.may_probe {
            replica.prober.probe_due(&data, now).await;
        }
        if reached.is_ok() {
            reached = self.exchange(&mut replica, &mut data, now).await;
        }
        data.states.clone_from(&replica.prober.states);
        match (&reached, data.database_away_since) {
            (Err(error), None) => {
                tracing::warn!(
                    %error,
                    "the database cannot be reached; the status page continues without it"
                );
                data.database_away_since = Some(now);
            }
            (Ok(()), Some(_)) => {
                tracing::info!("the database can be reached again");
                data.database_away_since = None;
            }
            _ => {}
        }
        self.data.store(Arc::new(data));
        self.publish(now);
    }

    /// Releases the lease, so that another replica need not wait until it expires.
    pub(crate) async fn release_lease(&self) {
        let replica = self.replica.lock().await;
        if let (ReplicaRole::Leading, Some(database)) = (replica.role, &self.database) {
            let release = async {
                let connection = database.connection().await?;
                store::leases::release(&connection, LEASE, replica.id).await
            };
            if let Ok(Err(error)) = timeout(DATABASE_TIMEOUT, release).await {
                tracing::warn!(%error, "the lease could not be released");
            }
        }
    }

    /// Takes or renews the lease if that is due, which decides the role of this replica.
    async fn renew_lease(
        &self,
        replica: &mut Replica,
        now: Timestamp,
    ) -> Result<(), ServerDatabaseError> {
        let Some(database) = &self.database else {
            return Ok(());
        };
        let is_fresh = replica.renewed_at.is_some_and(|at| {
            let elapsed = now.duration_since(at);
            SignedDuration::ZERO <= elapsed && elapsed < RENEWAL_INTERVAL
        });
        if is_fresh && replica.role != ReplicaRole::Alone {
            return Ok(());
        }
        database.make_ready().await?;
        let leads = timeout(DATABASE_TIMEOUT, async {
            let connection = database.connection().await?;
            let states = store::component_states::list(&connection).await?;
            replica.prober.adopt(states);
            if !self.may_probe {
                return Ok(false);
            }
            let until = now + LEASE_TIME;
            store::leases::try_lease(&connection, LEASE, replica.id, now, until).await
        });
        let leads = leads.await.map_err(|_| ServerDatabaseError::Timeout)??;
        let role = if leads {
            ReplicaRole::Leading
        } else {
            ReplicaRole::Following
        };
        if role != replica.role {
            let message = match role {
                ReplicaRole::Leading => "this replica now runs the probes",
                _ => "another replica runs the probes",
            };
            tracing::info!(role = ?role, "{message}");
        }
        replica.role = role;
        replica.renewed_at = Some(now);
        Ok(())
    }

    /// Stores results and reads what other replicas and operators have stored.
    async fn exchange(
        &self,
        replica: &mut Replica,
        data: &mut StatusData,
        now: Timestamp,
    ) -> Result<(), ServerDatabaseError> {
        let Some(database) = &self.database else {
            return Ok(());
        };
        let exchange = async {
            let mut connection = database.connection().await?;
            if replica.role == ReplicaRole::Leading {
                store_results(&mut connection, &mut replica.prober).await?;
            } else {
                let states = store::component_states::list(&connection).await?;
                replica.prober.adopt(states);
            }
            if is_due(replica.uptimes_at, now, UPTIME_INTERVAL) {
                data.uptimes = store::checks::uptime(&connection, now).await?;
                replica.uptimes_at = Some(now);
            }
            let after = now - SHOWN_AFTERWARDS;
            data.incidents = store::incidents::list(&connection, after, MAX_SHOWN).await?;
            data.maintenances = store::maintenances::list(&connection, after, MAX_SHOWN).await?;
            Ok(())
        };
        let exchanged = timeout(DATABASE_TIMEOUT, exchange).await;
        exchanged.map_err(|_| ServerDatabaseError::Timeout)?
    }

    /// Makes new responses if the status has changed.
    fn publish(&self, now: Timestamp) {
        let previous = self.responses.load();
        let data = self.data.load();
        let responses = StatusResponses::new(&data, &self.site, now, Some(&previous));
        // Responses with the same content have been compressed already.
        if !responses.is_same_as(&previous) {
            self.responses.store(Arc::new(responses));
        }
    }
}

fn is_due(last: Option<Timestamp>, now: Timestamp, interval: SignedDuration) -> bool {
    last.is_none_or(|last| now.duration_since(last).abs() >= interval)
}

/// Stores rounds and states in one transaction.
async fn store_results(
    connection: &mut Client,
    prober: &mut Prober,
) -> Result<(), ServerDatabaseError> {
    if prober.unsaved_rounds().is_empty() {
        return Ok(());
    }
    let transaction = connection.transaction().await?;
    store::checks::insert(&transaction, prober.unsaved_rounds()).await?;
    for (component, state) in prober.unsaved_states() {
        store::component_states::save(&transaction, component, state).await?;
    }
    transaction.commit().await?;
    prober.clear_unsaved();
    Ok(())
}
