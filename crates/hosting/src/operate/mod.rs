//! Operations of the command line, which work without a running server: migrations, incidents,
//! maintenances, feedback, customers and keys.
//!
//! They fail at once if the database is away. Changes of the status are shown by running servers when a function
//! returns; other changes are used within seconds.

mod customers;
mod keys;
pub mod machines;

use std::time::{Duration, Instant};

use innkeeper_service::clock::Clock;
use innkeeper_service::database::{DatabaseError, PooledConnection, ServerInfo, examine};
use innkeeper_service::random;
use jiff::{SignedDuration, Timestamp};

use crate::config::Config;
use crate::content;
use crate::model::{FeedbackCount, FeedbackEntry};
use crate::status::{Impact, Incident, IncidentStatus, Maintenance, TELLING_INTERVAL, Update};
use crate::store;
use crate::store::database::{ServerDatabaseError, open_pool};
use crate::store::migrate::{self, MigrateError};
pub use customers::{add_customer, list_customers, remove_customer};
pub use keys::{
    CreatedKey, KeyDetails, NewApiKey, create_key, list_keys, revoke_key, rotate_key, show_key,
};

/// How long a command waits for a connection.
pub(crate) const CONNECTION_WAIT: Duration = Duration::from_secs(30);
/// How long a command waits until running servers show its change, and how often it checks.
const LONGEST_WAIT: Duration = Duration::from_secs(3);
const SHOWN_CHECK: Duration = Duration::from_millis(20);
/// How many rows a list has at most.
const MAX_ROWS: i64 = 200;
const MAX_TITLE: usize = 200;
const MAX_BODY: usize = 10_000;
/// The largest `status.toml`, in bytes.
const LARGEST_FILE: u64 = 1024 * 1024;

/// Why an operation failed.
#[derive(Debug, thiserror::Error)]
pub enum OperateError {
    /// The settings are invalid, or the database failed.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The schema could not be brought up to date.
    #[error(transparent)]
    Migrate(#[from] MigrateError),
    /// Nothing with this id exists, or it can no longer be changed.
    #[error("{kind} {id} does not exist or can no longer be changed")]
    Unknown {
        /// `incident`, `maintenance`, `vps`, …
        kind: &'static str,
        /// The id.
        id: String,
    },
    /// An argument is invalid.
    #[error("{0}")]
    Invalid(String),
    /// The schema was not brought up to date in time.
    #[error("the database does not respond")]
    Timeout,
}

impl From<ServerDatabaseError> for OperateError {
    fn from(error: ServerDatabaseError) -> Self {
        match error {
            ServerDatabaseError::Database(error) => error.into(),
            ServerDatabaseError::Migrate(error) => error.into(),
            ServerDatabaseError::Timeout | ServerDatabaseError::NotReady => Self::Timeout,
        }
    }
}

impl From<tokio_postgres::Error> for OperateError {
    fn from(error: tokio_postgres::Error) -> Self {
        DatabaseError::from(error).into()
    }
}

/// An incident to open.
#[derive(Debug, Clone)]
pub struct NewIncident {
    /// The title, one line.
    pub title: String,
    /// The impact.
    pub impact: Impact,
    /// The status.
    pub status: IncidentStatus,
    /// The ids of the affected components.
    pub components: Vec<String>,
    /// The text of the first update.
    pub message: String,
}

/// A maintenance to announce.
#[derive(Debug, Clone)]
pub struct NewMaintenance {
    /// The title, one line.
    pub title: String,
    /// The ids of the affected components; empty means all.
    pub components: Vec<String>,
    /// When it begins.
    pub from: Timestamp,
    /// When it ends.
    pub until: Timestamp,
    /// The description.
    pub message: String,
}

/// Brings the schema up to date, and returns the names of the applied migrations.
pub async fn migrate_database(config: &Config) -> Result<Vec<&'static str>, OperateError> {
    let database = open_pool(&config.database, CONNECTION_WAIT)?;
    let mut connection = database.connect_once().await?;
    Ok(migrate::migrate(&mut connection, database.schema()).await?)
}

/// Examines the database and lists its missing migrations, without changing anything.
pub async fn examine_database(
    config: &Config,
    clock: &Clock,
) -> Result<(ServerInfo, Vec<&'static str>), OperateError> {
    let database = open_pool(&config.database, CONNECTION_WAIT)?;
    let connection = database.connect_once().await?;
    let examination = examine(&connection, clock).await?;
    let missing = migrate::missing(&connection, database.schema()).await?;
    Ok((examination, missing))
}

/// Returns a connection to the database, with an up-to-date schema.
pub(crate) async fn connection(config: &Config) -> Result<PooledConnection, OperateError> {
    migrate_database(config).await?;
    Ok(open_pool(&config.database, CONNECTION_WAIT)?
        .connection()
        .await?)
}

/// Opens an incident.
pub async fn open_incident(
    config: &Config,
    clock: &Clock,
    new: NewIncident,
) -> Result<Incident, OperateError> {
    check_title(&new.title)?;
    check_body(&new.message)?;
    check_components(config, &new.components)?;
    let now = clock.now();
    let update = update(new.status, &new.message, now);
    let mut incident = Incident {
        id: new_id("inc"),
        title: new.title.trim().to_owned(),
        impact: new.impact,
        status: new.status,
        started_at: now,
        resolved_at: None,
        components: new.components,
        updates: Vec::new(),
    };
    let mut connection = connection(config).await?;
    let transaction = connection.transaction().await?;
    store::incidents::insert(&transaction, &incident).await?;
    store::incidents::insert_update(&transaction, &incident.id, &update).await?;
    transaction.commit().await?;
    wait_until_shown(&connection).await?;
    incident.updates.push(update);
    Ok(incident)
}

/// Adds an update to an incident and sets its status.
pub async fn update_incident(
    config: &Config,
    clock: &Clock,
    id: &str,
    status: IncidentStatus,
    impact: Option<Impact>,
    message: &str,
) -> Result<(), OperateError> {
    check_body(message)?;
    let now = clock.now();
    let mut connection = connection(config).await?;
    let transaction = connection.transaction().await?;
    let is_known = store::incidents::change(&transaction, id, status, impact, now).await?;
    if is_known {
        let update = update(status, message, now);
        store::incidents::insert_update(&transaction, id, &update).await?;
    }
    transaction.commit().await?;
    if is_known {
        return wait_until_shown(&connection).await;
    }
    Err(OperateError::Unknown {
        kind: "incident",
        id: id.to_owned(),
    })
}

/// Returns the incidents of the last 90 days, newest first.
pub async fn list_incidents(config: &Config, clock: &Clock) -> Result<Vec<Incident>, OperateError> {
    let connection = connection(config).await?;
    Ok(store::incidents::list(&connection, ninety_days_before(clock.now()), MAX_ROWS).await?)
}

/// Announces a maintenance. It begins and ends by itself.
pub async fn schedule_maintenance(
    config: &Config,
    clock: &Clock,
    new: NewMaintenance,
) -> Result<Maintenance, OperateError> {
    check_title(&new.title)?;
    check_body(&new.message)?;
    check_components(config, &new.components)?;
    let now = clock.now();
    if new.until <= new.from {
        return Err(invalid("the maintenance ends before it begins"));
    }
    if new.until <= now {
        return Err(invalid("the maintenance would be over already"));
    }
    let maintenance = Maintenance {
        id: new_id("mnt"),
        title: new.title.trim().to_owned(),
        body: new.message.trim().to_owned(),
        components: new.components,
        scheduled_for: new.from,
        scheduled_until: new.until,
        created_at: now,
        cancelled_at: None,
    };
    let connection = connection(config).await?;
    store::maintenances::insert(&connection, &maintenance).await?;
    wait_until_shown(&connection).await?;
    Ok(maintenance)
}

/// Cancels a maintenance that is not completed.
pub async fn cancel_maintenance(
    config: &Config,
    clock: &Clock,
    id: &str,
) -> Result<(), OperateError> {
    let connection = connection(config).await?;
    if store::maintenances::cancel(&connection, id, clock.now()).await? {
        return wait_until_shown(&connection).await;
    }
    Err(OperateError::Unknown {
        kind: "maintenance",
        id: id.to_owned(),
    })
}

/// Returns the maintenances of the last 90 days and those to come, earliest first.
pub async fn list_maintenances(
    config: &Config,
    clock: &Clock,
) -> Result<Vec<Maintenance>, OperateError> {
    let connection = connection(config).await?;
    Ok(store::maintenances::list(&connection, ninety_days_before(clock.now()), MAX_ROWS).await?)
}

/// Counts the feedback on each article.
pub async fn feedback_counts(config: &Config) -> Result<Vec<FeedbackCount>, OperateError> {
    Ok(store::feedback::counts(&connection(config).await?).await?)
}

/// Returns all feedback, oldest first.
pub async fn feedback_entries(config: &Config) -> Result<Vec<FeedbackEntry>, OperateError> {
    Ok(store::feedback::all(&connection(config).await?).await?)
}

/// Waits until all running servers show a change that was committed. One that does not answer is not waited for.
async fn wait_until_shown(connection: &PooledConnection) -> Result<(), OperateError> {
    let number = store::status_readers::count_change(connection).await?;
    let recent = (TELLING_INTERVAL * 2).as_secs_f64();
    let start = Instant::now();
    loop {
        let behind = store::status_readers::count_behind(connection, number, recent).await?;
        if behind == 0 {
            return Ok(());
        }
        if start.elapsed() > LONGEST_WAIT {
            tracing::warn!(servers = behind, "not all servers show the change yet");
            return Ok(());
        }
        tokio::time::sleep(SHOWN_CHECK).await;
    }
}

fn ninety_days_before(now: Timestamp) -> Timestamp {
    now - SignedDuration::from_hours(90 * 24)
}

pub(crate) fn invalid(message: impl Into<String>) -> OperateError {
    OperateError::Invalid(message.into())
}

fn update(status: IncidentStatus, message: &str, at: Timestamp) -> Update {
    Update {
        id: new_id("upd"),
        status: status.word().to_owned(),
        body: message.trim().to_owned(),
        at,
    }
}

/// Returns an id that people can type: 50 random bits in letters and digits that cannot be confused.
fn new_id(kind: &str) -> String {
    const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let letters = random::bytes::<10>().map(|byte| {
        let letter = LETTERS.get(usize::from(byte % 32)).copied();
        char::from(letter.unwrap_or(b'0'))
    });
    format!("{kind}-{}", String::from_iter(letters))
}

fn check_title(title: &str) -> Result<(), OperateError> {
    let has_forbidden = title.contains(|letter: char| letter.is_control());
    if title.trim().is_empty() || title.chars().count() > MAX_TITLE || has_forbidden {
        let message = format!("the title must be one line of at most {MAX_TITLE} characters");
        return Err(invalid(message));
    }
    Ok(())
}

fn check_body(body: &str) -> Result<(), OperateError> {
    let has_forbidden = |letter: char| letter.is_control() && !matches!(letter, '\n' | '\r' | '\t');
    if body.chars().count() > MAX_BODY || body.contains(has_forbidden) {
        let message = format!(
            "the message must have at most {MAX_BODY} characters and no control characters"
        );
        return Err(invalid(message));
    }
    Ok(())
}

/// Checks that all components exist.
fn check_components(config: &Config, components: &[String]) -> Result<(), OperateError> {
    if components.is_empty() {
        return Ok(());
    }
    // Only this file is read: the content may be large.
    let text = content::source_of(&config.content).read("status.toml", LARGEST_FILE);
    let text = text.map_err(|error| invalid(format!("status.toml cannot be read: {error}")))?;
    let definition =
        content::status_definition::parse(&String::from_utf8_lossy(&text)).map_err(|faults| {
            let fault = faults
                .first()
                .map(|fault| format!("{}: {}", fault.line, fault.message));
            invalid(format!("status.toml:{}", fault.unwrap_or_default()))
        })?;
    let known = definition.components.iter();
    let known: Vec<&str> = known.map(|component| component.id.as_str()).collect();
    match components.iter().find(|id| !known.contains(&id.as_str())) {
        None => Ok(()),
        Some(id) => Err(invalid(format!(
            "component {id} is not in status.toml, which has {}",
            known.join(", ")
        ))),
    }
}
