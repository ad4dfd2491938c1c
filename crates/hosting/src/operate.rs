//! What an operator does without a running server: the schema, incidents, maintenances, feedback.
//!
//! Nothing here waits for a database that is away. Running servers show a change within seconds.

use std::time::Duration;

use deadpool_postgres::Client;
use innkeeper_service::clock::Clock;
use innkeeper_service::database::{DatabaseError, ServerInfo, examine};
use innkeeper_service::random;
use jiff::{SignedDuration, Timestamp};

use crate::config::Config;
use crate::feedback::{Count, Entry};
use crate::migrate::{self, MigrateError};
use crate::server;
use crate::status::{self, Impact, Incident, IncidentStatus, Maintenance, Update};
use crate::store;

/// How long an operator waits for a connection.
const WAIT: Duration = Duration::from_secs(30);
/// How many rows a list has at most.
const MOST: i64 = 200;
const LONGEST_TITLE: usize = 200;
const LONGEST_BODY: usize = 10_000;
/// The largest `status.toml`.
const LARGEST_FILE: u64 = 1024 * 1024;

/// Why an operator's command failed.
#[derive(Debug, thiserror::Error)]
pub enum OperateError {
    /// The settings or the database do not allow it.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The schema could not be brought up to date.
    #[error(transparent)]
    Migrate(#[from] MigrateError),
    /// There is nothing of this name, or it is over.
    #[error("there is no {kind} {id} that could be changed")]
    Unknown {
        /// What was looked for.
        kind: &'static str,
        /// Its name.
        id: String,
    },
    /// What was asked for cannot be.
    #[error("{0}")]
    Refused(String),
}

impl From<tokio_postgres::Error> for OperateError {
    fn from(error: tokio_postgres::Error) -> Self {
        DatabaseError::from(error).into()
    }
}

/// An incident that is to be opened.
#[derive(Debug, Clone)]
pub struct NewIncident {
    /// What goes wrong, in a few words.
    pub title: String,
    /// How bad it is.
    pub impact: Impact,
    /// How far it is.
    pub status: IncidentStatus,
    /// The ids of the components it is about.
    pub components: Vec<String>,
    /// What is known.
    pub message: String,
}

/// A maintenance that is to be announced.
#[derive(Debug, Clone)]
pub struct NewMaintenance {
    /// What is done, in a few words.
    pub title: String,
    /// The ids of the components it is about; none means all.
    pub components: Vec<String>,
    /// When it begins.
    pub from: Timestamp,
    /// When it ends.
    pub until: Timestamp,
    /// What is done, in more words.
    pub message: String,
}

/// Brings the schema up to date, and says which files were applied.
pub async fn migrate_database(config: &Config) -> Result<Vec<&'static str>, OperateError> {
    let database = server::connect(config, WAIT)?;
    let mut connection = database.connect_once().await?;
    Ok(migrate::migrate(&mut connection, database.schema()).await?)
}

/// What the database says of itself, and the migrations that it lacks. Nothing is changed.
pub async fn examine_database(
    config: &Config,
    clock: &Clock,
) -> Result<(ServerInfo, Vec<&'static str>), OperateError> {
    let database = server::connect(config, WAIT)?;
    let connection = database.connect_once().await?;
    let examination = examine(&connection, clock).await?;
    let missing = migrate::missing(&connection, database.schema()).await?;
    Ok((examination, missing))
}

async fn connection(config: &Config) -> Result<Client, OperateError> {
    migrate_database(config).await?;
    Ok(server::connect(config, WAIT)?.connection().await?)
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
        id: name("inc"),
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
    incident.updates.push(update);
    Ok(incident)
}

/// Says something about an incident, and how far it is.
pub async fn update_incident(
    config: &Config,
    clock: &Clock,
    id: &str,
    (status, impact): (IncidentStatus, Option<Impact>),
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
        return Ok(());
    }
    Err(OperateError::Unknown {
        kind: "incident",
        id: id.to_owned(),
    })
}

/// The incidents of the last 90 days, newest first.
pub async fn list_incidents(config: &Config, clock: &Clock) -> Result<Vec<Incident>, OperateError> {
    let connection = connection(config).await?;
    Ok(store::incidents::list(&connection, ninety_days_before(clock.now()), MOST).await?)
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
        return Err(refused("the maintenance ends before it begins"));
    }
    if new.until <= now {
        return Err(refused("the maintenance is over already"));
    }
    let work = Maintenance {
        id: name("mnt"),
        title: new.title.trim().to_owned(),
        body: new.message.trim().to_owned(),
        components: new.components,
        scheduled_for: new.from,
        scheduled_until: new.until,
        created_at: now,
        cancelled_at: None,
    };
    store::maintenances::insert(&connection(config).await?, &work).await?;
    Ok(work)
}

/// Calls a maintenance off that is not over.
pub async fn cancel_maintenance(
    config: &Config,
    clock: &Clock,
    id: &str,
) -> Result<(), OperateError> {
    let connection = connection(config).await?;
    if store::maintenances::cancel(&connection, id, clock.now()).await? {
        return Ok(());
    }
    Err(OperateError::Unknown {
        kind: "maintenance",
        id: id.to_owned(),
    })
}

/// The maintenances of the last 90 days and those to come, the first in front.
pub async fn list_maintenances(
    config: &Config,
    clock: &Clock,
) -> Result<Vec<Maintenance>, OperateError> {
    let connection = connection(config).await?;
    Ok(store::maintenances::list(&connection, ninety_days_before(clock.now()), MOST).await?)
}

/// How often each article was found helpful, and not.
pub async fn feedback_counts(config: &Config) -> Result<Vec<Count>, OperateError> {
    Ok(store::feedback::counts(&connection(config).await?).await?)
}

/// All feedback, oldest first.
pub async fn feedback_entries(config: &Config) -> Result<Vec<Entry>, OperateError> {
    Ok(store::feedback::all(&connection(config).await?).await?)
}

fn ninety_days_before(now: Timestamp) -> Timestamp {
    now - SignedDuration::from_hours(90 * 24)
}

fn refused(message: impl Into<String>) -> OperateError {
    OperateError::Refused(message.into())
}

fn update(status: IncidentStatus, message: &str, at: Timestamp) -> Update {
    Update {
        id: name("upd"),
        status: status.word().to_owned(),
        body: message.trim().to_owned(),
        at,
    }
}

/// A name that a person can type: 50 random bits in letters and digits that look like no others.
fn name(kind: &str) -> String {
    const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let letters = random::bytes::<10>().map(|byte| {
        let letter = LETTERS.get(usize::from(byte % 32)).copied();
        char::from(letter.unwrap_or(b'0'))
    });
    format!("{kind}-{}", String::from_iter(letters))
}

fn check_title(title: &str) -> Result<(), OperateError> {
    let is_odd = title.contains(|letter: char| letter.is_control());
    if title.trim().is_empty() || title.chars().count() > LONGEST_TITLE || is_odd {
        let message = format!("a title is one line of at most {LONGEST_TITLE} characters");
        return Err(refused(message));
    }
    Ok(())
}

fn check_body(body: &str) -> Result<(), OperateError> {
    let is_odd = |letter: char| letter.is_control() && !matches!(letter, '\n' | '\r' | '\t');
    if body.chars().count() > LONGEST_BODY || body.contains(is_odd) {
        let message = format!("a message has at most {LONGEST_BODY} characters, and no odd ones");
        return Err(refused(message));
    }
    Ok(())
}

/// Names that no component has are mistakes.
fn check_components(config: &Config, components: &[String]) -> Result<(), OperateError> {
    if components.is_empty() {
        return Ok(());
    }
    // Nothing else of the content is of interest, and it may be a lot.
    let text = server::origin(&config.content).read("status.toml", LARGEST_FILE);
    let text = text.map_err(|error| refused(format!("status.toml cannot be read: {error}")))?;
    let definition = status::read(&String::from_utf8_lossy(&text)).map_err(|faults| {
        let fault = faults
            .first()
            .map(|fault| format!("{}: {}", fault.line, fault.message));
        refused(format!("status.toml:{}", fault.unwrap_or_default()))
    })?;
    let known = definition.components.iter();
    let known: Vec<&str> = known.map(|component| component.id.as_str()).collect();
    match components.iter().find(|id| !known.contains(&id.as_str())) {
        None => Ok(()),
        Some(id) => Err(refused(format!(
            "there is no component {id} in status.toml; there are {}",
            known.join(", ")
        ))),
    }
}
