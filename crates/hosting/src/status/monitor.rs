//! The status monitor: decides which replica probes, collects the status, and publishes responses.

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use innkeeper_rest::PreparedResponse;
use innkeeper_service::clock::Clock;
use innkeeper_service::database::PooledConnection;
use jiff::{SignedDuration, Timestamp};
use tokio::sync::Mutex;
use tokio::time::timeout;
use uuid::Uuid;

use super::component_state;
use super::data::{SHOWN_AFTERWARDS, StatusData};
use super::probe::ProbeClient;
use super::prober::Prober;
use super::responses::StatusResponses;
use super::theme::StatusTheme;
use super::uptime;
use super::uptime_days::{self, DAYS};
use crate::base::site::Site;
use crate::config::Config;
use crate::content::ContentStore;
use crate::store;
use crate::store::database::{ServerDatabase, ServerDatabaseError};

/// The lease of the replica that probes, how long it lasts, and how often it is renewed.
const LEASE: &str = "prober";
const LEASE_TIME: SignedDuration = SignedDuration::from_secs(30);
const RENEWAL_INTERVAL: SignedDuration = SignedDuration::from_secs(5);
/// How long one exchange with the database may take.
const DATABASE_TIMEOUT: Duration = Duration::from_secs(10);
/// How often to look for changes of incidents and maintenances, and for a database that is not ready.
const READING_INTERVAL: Duration = Duration::from_millis(300);
const FIRST_READING_INTERVAL: Duration = Duration::from_millis(20);
/// How often a replica tells commands that it runs. They wait for those that were heard of within twice that time.
pub(crate) const TELLING_INTERVAL: Duration = Duration::from_secs(5);
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
    replica_id: Uuid,
    replica: Mutex<Replica>,
    data: ArcSwap<StatusData>,
    responses: ArcSwap<StatusResponses>,
    theme: StatusTheme,
    /// Held while announcements are read and published, so that older ones never replace newer ones.
    reading: Mutex<()>,
    /// Held while responses are made, for the same reason.
    publishing: std::sync::Mutex<()>,
    shown_change: Mutex<ShownChange>,
    own_address: Arc<OnceLock<SocketAddr>>,
}

/// What this replica told others about the announcements that it shows.
#[derive(Debug, Default)]
struct ShownChange {
    /// The number of the last change.
    number: Option<i64>,
    told_at: Option<Instant>,
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
        config: &Config,
        clock: Clock,
    ) -> Result<Self, reqwest::Error> {
        let site = config.content.site.clone();
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
            theme: StatusTheme::new(config.content.status_css.clone()),
            reading: Mutex::default(),
            publishing: std::sync::Mutex::default(),
            shown_change: Mutex::default(),
            replica_id: replica.id,
            replica: Mutex::new(replica),
            own_address,
            clock,
            content,
            database,
            site,
            may_probe: config.database.probes,
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

    /// Returns the style sheet of the page for people.
    pub(crate) fn styles(&self) -> Arc<PreparedResponse> {
        self.theme.response()
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
        self.theme.refresh().await;
        let _reading = self.reading.lock().await;
        let latest = self.data.load_full();
        data.incidents.clone_from(&latest.incidents);
        data.maintenances.clone_from(&latest.maintenances);
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

    /// Reads incidents and maintenances if an operator has changed them, and tells commands, which wait for it,
    /// that this replica shows them. Probes do not delay it. Returns how long to wait before the next time.
    pub(crate) async fn read_announcements(&self) -> Duration {
        let database = self.database.as_ref();
        let Some(database) = database.filter(|database| database.is_ready()) else {
            return FIRST_READING_INTERVAL;
        };
        let read = timeout(DATABASE_TIMEOUT, self.read_changes(database)).await;
        // `tick` logs that the database is away.
        if let Ok(Err(error)) = read {
            tracing::debug!(%error, "announcements could not be read");
        }
        READING_INTERVAL
    }

    async fn read_changes(&self, database: &ServerDatabase) -> Result<(), ServerDatabaseError> {
        let mut shown = self.shown_change.lock().await;
        let connection = database.connection().await?;
        if shown.number.is_none() {
            // Commands wait for this replica from now on.
            let nothing = -1;
            store::status_readers::show_change(&connection, self.replica_id, nothing).await?;
        }
        let number = store::status_readers::last_change(&connection).await?;
        let is_new = shown.number != Some(number);
        let was_told = shown
            .told_at
            .is_some_and(|at| at.elapsed() < TELLING_INTERVAL);
        if was_told && !is_new {
            return Ok(());
        }
        if is_new {
            let _reading = self.reading.lock().await;
            let now = self.clock.now();
            let mut data = StatusData::clone(&self.data.load());
            read_announcements(&connection, &mut data, now).await?;
            self.data.store(Arc::new(data));
            self.publish(now);
        }
        store::status_readers::show_change(&connection, self.replica_id, number).await?;
        *shown = ShownChange {
            number: Some(number),
            told_at: Some(Instant::now()),
        };
        Ok(())
    }

    /// Tells commands not to wait for this replica any more.
    pub(crate) async fn stop_reading(&self) {
        let mut shown = self.shown_change.lock().await;
        if let (Some(database), Some(_)) = (&self.database, shown.told_at.take()) {
            let forget = async {
                let connection = database.connection().await?;
                store::status_readers::forget(&connection, self.replica_id).await
            };
            if let Ok(Err(error)) = timeout(DATABASE_TIMEOUT, forget).await {
                tracing::warn!(%error, "commands may wait for this replica for some seconds");
            }
        }
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
            let states = component_state::stored(&connection).await?;
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
                let states = component_state::stored(&connection).await?;
                replica.prober.adopt(states);
            }
            if is_due(replica.uptimes_at, now, UPTIME_INTERVAL) {
                data.uptimes =
                    uptime::by_component(store::checks::uptimes(&connection, now).await?);
                data.days =
                    uptime_days::by_component(store::checks::days(&connection, now, DAYS).await?);
                replica.uptimes_at = Some(now);
            }
            read_announcements(&connection, data, now).await
        };
        let exchanged = timeout(DATABASE_TIMEOUT, exchange).await;
        exchanged.map_err(|_| ServerDatabaseError::Timeout)?
    }

    /// Makes new responses if the status has changed.
    fn publish(&self, now: Timestamp) {
        let publishing = self.publishing.lock();
        let _publishing = publishing.unwrap_or_else(PoisonError::into_inner);
        let previous = self.responses.load();
        let data = self.data.load();
        let responses = StatusResponses::new(&data, &self.site, now, Some(&previous));
        // Responses with the same content have been compressed already.
        if !responses.is_same_as(&previous) {
            self.responses.store(Arc::new(responses));
        }
    }
}

/// Reads the incidents and maintenances to show.
async fn read_announcements(
    connection: &PooledConnection,
    data: &mut StatusData,
    now: Timestamp,
) -> Result<(), ServerDatabaseError> {
    let after = now - SHOWN_AFTERWARDS;
    data.incidents = store::incidents::list(connection, after, MAX_SHOWN).await?;
    data.maintenances = store::maintenances::list(connection, after, MAX_SHOWN).await?;
    Ok(())
}

fn is_due(last: Option<Timestamp>, now: Timestamp, interval: SignedDuration) -> bool {
    last.is_none_or(|last| now.duration_since(last).abs() >= interval)
}

/// Stores rounds and states in one transaction.
async fn store_results(
    connection: &mut PooledConnection,
    prober: &mut Prober,
) -> Result<(), ServerDatabaseError> {
    if prober.unsaved_checks().is_empty() {
        return Ok(());
    }
    let transaction = connection.transaction().await?;
    store::checks::insert(&transaction, prober.unsaved_checks()).await?;
    for (component, state) in prober.unsaved_states() {
        component_state::save(&transaction, component, state).await?;
    }
    transaction.commit().await?;
    prober.clear_unsaved();
    Ok(())
}
