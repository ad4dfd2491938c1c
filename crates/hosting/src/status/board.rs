//! The board: who probes, what is known, and the answers that are made of it.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use arc_swap::ArcSwap;
use deadpool_postgres::Client;
use innkeeper_service::clock::Clock;
use innkeeper_service::database::{Database, DatabaseError};
use jiff::{SignedDuration, Timestamp};
use tokio::sync::Mutex;
use tokio::time::timeout;
use uuid::Uuid;

use super::badge;
use super::page::{Known, Page, SHOWN_AFTERWARDS, Site};
use super::probe::Asker;
use super::prober::Prober;
use super::statuspage::Documents;
use crate::answer::Answer;
use crate::content::{Shelves, digest};
use crate::migrate::{MigrateError, migrate};
use crate::store;

/// The lease of the one who probes, how long it is good, and how often it is renewed.
const LEASE: &str = "prober";
const LEASE_TIME: SignedDuration = SignedDuration::from_secs(30);
const RENEWAL: SignedDuration = SignedDuration::from_secs(5);
/// How long the database may take for anything here.
const PATIENCE: Duration = Duration::from_secs(10);
/// The same while the schema is brought up to date.
const MIGRATION_PATIENCE: Duration = Duration::from_mins(5);
/// How often uptimes are computed, and old checks are summed up.
const UPTIMES: SignedDuration = SignedDuration::from_mins(1);
const HOUSEKEEPING: SignedDuration = SignedDuration::from_hours(1);
/// How long single checks are kept, and sums of days.
const RAW_DAYS: i64 = 7;
const SUM_DAYS: i64 = 400;
/// How many incidents and maintenances are shown at most.
const MOST: i64 = 50;

const CACHE_CONTROL: &str = "public, max-age=15, stale-if-error=3600";
const JSON: &str = "application/json";

/// The board of a server.
#[derive(Debug)]
pub(crate) struct Board {
    clock: Clock,
    shelves: Arc<Shelves>,
    database: Option<Database>,
    site: Site,
    /// Whether this replica probes at all.
    probes: bool,
    work: Mutex<Work>,
    known: ArcSwap<Known>,
    view: ArcSwap<View>,
    is_ready: AtomicBool,
    here: Arc<OnceLock<SocketAddr>>,
}

/// Answers made of what is known, until it changes.
#[derive(Debug)]
pub(crate) struct View {
    /// `/v1/status`.
    pub(crate) status: Answer,
    /// `/v1/status/badge.svg`.
    pub(crate) badge: Answer,
    /// `/v1/statuspage/api/v2/…`, in the shape of Statuspage.
    pub(crate) summary: Answer,
    pub(crate) overall: Answer,
    pub(crate) components: Answer,
    pub(crate) incidents: Answer,
    pub(crate) maintenances: Answer,
    /// What it is about, apart from the time of the change.
    tag: String,
    updated_at: Timestamp,
    holds_until: Timestamp,
}

/// Which part this replica has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It probes for all.
    Leading,
    /// Another one probes for all.
    Following,
    /// There is no database to agree by, so it probes for itself.
    Alone,
}

#[derive(Debug)]
struct Work {
    id: Uuid,
    role: Role,
    prober: Prober,
    renewed_at: Option<Timestamp>,
    uptimes_at: Option<Timestamp>,
    housekeeping_at: Option<Timestamp>,
}

/// Why the board cannot be made, or the database not be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BoardError {
    #[error(transparent)]
    Database(#[from] DatabaseError),
    #[error(transparent)]
    Migrate(#[from] MigrateError),
    #[error("the database does not answer")]
    TooSlow,
}

impl From<tokio_postgres::Error> for BoardError {
    fn from(error: tokio_postgres::Error) -> Self {
        DatabaseError::from(error).into()
    }
}

impl Board {
    pub(crate) fn new(
        shelves: Arc<Shelves>,
        database: Option<Database>,
        (site, probes): (Site, bool),
        clock: Clock,
    ) -> Result<Self, reqwest::Error> {
        let known = Known {
            definition: Arc::clone(shelves.library().status()),
            ..Known::default()
        };
        let now = clock.now();
        let view = View::of(&known, &site, now, None);
        let here = Arc::new(OnceLock::new());
        let asker = Asker::new(database.clone(), Arc::clone(&here))?;
        let work = Work {
            id: Uuid::new_v4(),
            role: Role::Alone,
            prober: Prober::new(asker),
            renewed_at: None,
            uptimes_at: None,
            housekeeping_at: None,
        };
        Ok(Self {
            known: ArcSwap::from_pointee(known),
            view: ArcSwap::from_pointee(view),
            work: Mutex::new(work),
            is_ready: AtomicBool::new(false),
            here,
            clock,
            shelves,
            database,
            site,
            probes,
        })
    }

    /// This server listens there.
    pub(crate) fn listens_on(&self, address: SocketAddr) {
        // A server that is served twice keeps the first.
        let _ = self.here.set(address);
    }

    /// Whether the database was reached and its schema is up to date.
    pub(crate) fn is_ready(&self) -> bool {
        self.is_ready.load(Ordering::Acquire)
    }

    /// The answers of this moment.
    pub(crate) fn view(&self) -> Arc<View> {
        let now = self.clock.now();
        if self.view.load().holds_until <= now {
            self.publish(now);
        }
        self.view.load_full()
    }

    /// Does what is due: takes or keeps the lease, probes, writes down what was seen, and reads what
    /// others wrote.
    pub(crate) async fn tick(&self) {
        let mut work = self.work.lock().await;
        let now = self.clock.now();
        let mut known = Known::clone(&self.known.load());
        known.definition = Arc::clone(self.shelves.library().status());
        let mut reached = self.agree(&mut work, now).await;
        if reached.is_err() {
            work.role = Role::Alone;
        }
        if work.role == Role::Following {
            work.prober.forget_waiting();
        } else if self.probes {
            work.prober.probe_due(&known, now).await;
        }
        if reached.is_ok() {
            reached = self.exchange(&mut work, &mut known, now).await;
        }
        known.states.clone_from(&work.prober.states);
        match (&reached, known.database_away_since) {
            (Err(error), None) => {
                tracing::warn!(%error, "the database is away; the status page goes on without it");
                known.database_away_since = Some(now);
            }
            (Ok(()), Some(_)) => {
                tracing::info!("the database is back");
                known.database_away_since = None;
            }
            _ => {}
        }
        self.known.store(Arc::new(known));
        self.publish(now);
    }

    /// Gives the lease back, so that another replica need not wait for its end.
    pub(crate) async fn retire(&self) {
        let work = self.work.lock().await;
        if let (Role::Leading, Some(database)) = (work.role, &self.database) {
            let give_back = async {
                let connection = database.connection().await?;
                store::leases::give_back(&connection, LEASE, work.id).await
            };
            if let Ok(Err(error)) = timeout(PATIENCE, give_back).await {
                tracing::warn!(%error, "the lease was not given back");
            }
        }
    }

    /// Finds out which part this replica has.
    async fn agree(&self, work: &mut Work, now: Timestamp) -> Result<(), BoardError> {
        let Some(database) = &self.database else {
            return Ok(());
        };
        let is_fresh = work.renewed_at.is_some_and(|at| {
            let passed = now.duration_since(at);
            SignedDuration::ZERO <= passed && passed < RENEWAL
        });
        if is_fresh && work.role != Role::Alone {
            return Ok(());
        }
        let patience = if self.is_ready() {
            PATIENCE
        } else {
            MIGRATION_PATIENCE
        };
        let agreed = timeout(patience, async {
            let connection = self.connection(database).await?;
            work.prober
                .learn(store::component_states::list(&connection).await?);
            if !self.probes {
                return Ok(false);
            }
            let until = now + LEASE_TIME;
            let leads = store::leases::try_lease(&connection, LEASE, work.id, now, until).await?;
            Ok::<_, BoardError>(leads)
        });
        let leads = agreed.await.map_err(|_| BoardError::TooSlow)??;
        let role = if leads {
            Role::Leading
        } else {
            Role::Following
        };
        if role != work.role {
            tracing::info!(role = ?role, "probing was agreed on");
        }
        work.role = role;
        work.renewed_at = Some(now);
        Ok(())
    }

    /// A connection to a database whose schema is up to date.
    async fn connection(&self, database: &Database) -> Result<Client, BoardError> {
        if !self.is_ready() {
            let mut connection = database.connect_once().await?;
            migrate(&mut connection, database.schema()).await?;
            self.is_ready.store(true, Ordering::Release);
        }
        Ok(database.connection().await?)
    }

    /// Writes down what was seen and reads what others wrote.
    async fn exchange(
        &self,
        work: &mut Work,
        known: &mut Known,
        now: Timestamp,
    ) -> Result<(), BoardError> {
        let Some(database) = &self.database else {
            return Ok(());
        };
        let exchange = async {
            let mut connection = self.connection(database).await?;
            if work.role == Role::Leading {
                flush(&mut connection, &mut work.prober).await?;
                keep_house(&connection, work, now).await?;
            } else {
                work.prober
                    .learn(store::component_states::list(&connection).await?);
            }
            if is_due(work.uptimes_at, now, UPTIMES) {
                known.uptimes = store::checks::uptime(&connection, now).await?;
                work.uptimes_at = Some(now);
            }
            let after = now - SHOWN_AFTERWARDS;
            known.incidents = store::incidents::list(&connection, after, MOST).await?;
            known.maintenances = store::maintenances::list(&connection, after, MOST).await?;
            Ok::<_, BoardError>(())
        };
        timeout(PATIENCE, exchange)
            .await
            .map_err(|_| BoardError::TooSlow)?
    }

    /// Makes answers of what is known, if it has changed.
    fn publish(&self, now: Timestamp) {
        let known = self.known.load();
        let before = self.view.load();
        let view = View::of(&known, &self.site, now, Some(&before));
        // Answers that are the same have been compressed already.
        if (&view.tag, view.holds_until) != (&before.tag, before.holds_until) {
            self.view.store(Arc::new(view));
        }
    }
}

fn is_due(last: Option<Timestamp>, now: Timestamp, every: SignedDuration) -> bool {
    last.is_none_or(|last| now.duration_since(last).abs() >= every)
}

/// Writes down rounds and states together.
async fn flush(connection: &mut Client, prober: &mut Prober) -> Result<(), BoardError> {
    if prober.waiting().is_empty() {
        return Ok(());
    }
    let transaction = connection.transaction().await?;
    store::checks::insert(&transaction, prober.waiting()).await?;
    for (component, state) in prober.unsaved() {
        store::component_states::save(&transaction, component, state).await?;
    }
    transaction.commit().await?;
    prober.forget_waiting();
    Ok(())
}

/// Sums up old checks, and deletes what is of no use any more.
async fn keep_house(
    connection: &Client,
    work: &mut Work,
    now: Timestamp,
) -> Result<(), DatabaseError> {
    if !is_due(work.housekeeping_at, now, HOUSEKEEPING) {
        return Ok(());
    }
    let day = SignedDuration::from_hours(24);
    let today = now.to_zoned(jiff::tz::TimeZone::UTC).date();
    let midnight = Timestamp::from_second(now.as_second().div_euclid(86_400) * 86_400);
    let midnight = midnight.unwrap_or(now);
    let raw_days = i32::try_from(RAW_DAYS).unwrap_or(7);
    store::checks::sum_up(connection, midnight - day * raw_days).await?;
    let oldest = today.saturating_sub(jiff::Span::new().days(SUM_DAYS));
    store::checks::forget_days(connection, oldest).await?;
    let yesterday = today.saturating_sub(jiff::Span::new().days(1));
    store::feedback::forget_salts(connection, yesterday).await?;
    work.housekeeping_at = Some(now);
    Ok(())
}

impl View {
    fn of(known: &Known, site: &Site, now: Timestamp, before: Option<&Self>) -> Self {
        let bytes = |page: &Page| serde_json::to_vec(page).unwrap_or_default();
        let mut page = known.page(site, now, Timestamp::UNIX_EPOCH);
        let tag = digest::tag(&bytes(&page));
        let updated_at = match before {
            Some(before) if before.tag == tag => before.updated_at,
            _ => now,
        };
        page.about.updated_at = updated_at;
        let documents = Documents::of(&page);
        let json =
            |document: &serde_json::Value| Answer::new(JSON, CACHE_CONTROL, document.to_string());
        let badge = badge::svg(page.status.indicator);
        Self {
            status: Answer::new(JSON, CACHE_CONTROL, bytes(&page)),
            badge: Answer::new("image/svg+xml", CACHE_CONTROL, badge),
            summary: json(&documents.summary),
            overall: json(&documents.status),
            components: json(&documents.components),
            incidents: json(&documents.incidents),
            maintenances: json(&documents.maintenances),
            holds_until: known.holds_until(now),
            tag,
            updated_at,
        }
    }
}
