//! Migrates a database schema by applying each migration once.

use std::collections::HashSet;
use std::time::Duration;

use thiserror::Error;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Transaction};

use crate::database::{explain, is_lost};

/// PostgreSQL 13, the first version with `gen_random_uuid()` and everything else the SQL uses.
const MIN_SERVER_VERSION: i32 = 130_000;

/// The first half of the advisory lock's key, "innk". The other half is a hash of the schema's name.
const LOCK_KEY: i32 = 0x696e_6e6b;

/// How long a migration waits for a lock before it lets others pass. Whoever queries the table waits behind it.
const LOCK_TIMEOUT: Duration = Duration::from_millis(500);

/// How long others may use a table before a migration tries again to lock it.
const LOCK_PAUSE: Duration = Duration::from_millis(500);

/// How often a migration tries to get its locks: for two minutes.
const LOCK_ATTEMPTS: u32 = 120;

/// One file of a migrations folder.
#[derive(Debug)]
pub struct Migration {
    /// The file's name without its extension: a version, then a topic.
    pub name: &'static str,
    /// The content of the file. The first migration of a history creates the history's table.
    pub sql: &'static str,
}

impl Migration {
    /// The version that is recorded in the database: the leading digits of the name.
    pub fn version(&self) -> &'static str {
        self.name
            .split_once('_')
            .map_or(self.name, |(version, _)| version)
    }
}

/// A series of migrations.
#[derive(Debug)]
pub struct MigrationHistory {
    /// The table that records the versions of applied migrations.
    pub table: &'static str,
    /// The migrations, in order.
    pub migrations: &'static [Migration],
}

/// A migration that is about to be applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MigrationStep {
    /// The name of the migration.
    pub name: &'static str,
    /// Its position among those that are missing, from 1.
    pub number: usize,
    /// How many are missing.
    pub total: usize,
}

/// Is called before each migration.
pub type OnStep<'a> = &'a mut (dyn FnMut(MigrationStep) + Send);

/// Why a schema could not be migrated.
#[derive(Debug, Error)]
pub enum MigrateError {
    /// The schema is not one that can be migrated. Nothing was changed.
    #[error("{0}")]
    Refused(String),
    /// The schema's name cannot be used.
    #[error("`{0}` cannot be the name of a schema")]
    SchemaName(String),
    /// The server is too old.
    #[error("PostgreSQL 13 or newer is required, this server is {0}")]
    ServerTooOld(String),
    /// A migration failed. The ones before it stay applied.
    #[error("migration {name} failed: {}", explain(error))]
    Migration {
        /// The name of the migration.
        name: &'static str,
        /// The database's error.
        error: tokio_postgres::Error,
    },
    /// The schema does not exist and cannot be created.
    #[error(
        "schema `{schema}` does not exist and cannot be created: {}",
        explain(error)
    )]
    CreateSchema {
        /// The name of the schema.
        schema: String,
        /// The database's error.
        error: tokio_postgres::Error,
    },
    /// Any other error of the database.
    #[error("cannot read the state of the schema: {}", explain(.0))]
    Database(tokio_postgres::Error),
}

// Not derived, so that the cause is not also a source: the message includes it, and a log that follows
// sources would show the values of rows.
impl From<tokio_postgres::Error> for MigrateError {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Database(error)
    }
}

impl MigrateError {
    /// Whether the database became unavailable, so that another attempt may succeed later.
    pub fn is_unavailable(&self) -> bool {
        match self {
            Self::Refused(_) | Self::SchemaName(_) | Self::ServerTooOld(_) => false,
            Self::Migration { error, .. }
            | Self::CreateSchema { error, .. }
            | Self::Database(error) => is_lost(error),
        }
    }
}

/// Applies the missing migrations to a schema, which is created if it does not exist. Returns the names of
/// the applied migrations of each history.
///
/// Each migration is one transaction under a lock, so any number of replicas may migrate at once: one of
/// them applies a migration, and none returns before the schema is complete. The lock belongs to the
/// transaction, not to the session, because a connection pooler may give each transaction another
/// session.
pub async fn migrate<const N: usize>(
    connection: &mut Client,
    schema: &str,
    histories: [MigrationHistory; N],
) -> Result<[Vec<&'static str>; N], MigrateError> {
    migrate_with(connection, schema, histories, &mut |_| {}).await
}

/// As [`migrate`], and calls a function before each migration.
pub async fn migrate_with<const N: usize>(
    connection: &mut Client,
    schema: &str,
    histories: [MigrationHistory; N],
    on_step: OnStep<'_>,
) -> Result<[Vec<&'static str>; N], MigrateError> {
    let total = missing(connection, schema, &histories).await?.len();
    let mut number = 0;
    let mut applied = [const { Vec::new() }; N];
    for (history, applied) in histories.iter().zip(&mut applied) {
        let table = history.table;
        let known = versions(connection, schema, table).await?;
        let migrations = history.migrations.iter();
        for migration in migrations.filter(|migration| !known.contains(migration.version())) {
            number += 1;
            let name = migration.name;
            on_step(MigrationStep {
                name,
                number,
                total,
            });
            if apply_when_unlocked(connection, schema, table, migration).await? {
                tracing::info!(migration = name, schema, "migrated");
                applied.push(name);
            }
        }
    }
    Ok(applied)
}

/// Executes statements as a migration is executed, without recording them: in one transaction under the same lock, in a
/// schema that is created if it does not exist.
pub async fn prepare(
    connection: &mut Client,
    schema: &str,
    statements: &str,
) -> Result<(), MigrateError> {
    check_name(schema)?;
    let transaction = begin(connection, schema).await?;
    transaction.batch_execute(statements).await?;
    transaction.commit().await?;
    Ok(())
}

/// Returns the names of the migrations that [`migrate`] would apply, without applying them.
pub async fn missing(
    connection: &Client,
    schema: &str,
    histories: &[MigrationHistory],
) -> Result<Vec<&'static str>, MigrateError> {
    check_name(schema)?;
    check_server(connection).await?;
    let mut missing = Vec::new();
    for history in histories {
        let known = versions(connection, schema, history.table).await?;
        let migrations = history.migrations.iter();
        let unknown = migrations.filter(|migration| !known.contains(migration.version()));
        missing.extend(unknown.map(|migration| migration.name));
    }
    Ok(missing)
}

/// Rejects names that PostgreSQL rejects, truncates, or interprets in a search path.
fn check_name(schema: &str) -> Result<(), MigrateError> {
    let fits = (1..=63).contains(&schema.len()) && !schema.contains('\0');
    let reserved = schema.starts_with("pg_") || schema == "information_schema" || schema == "$user";
    if fits && !reserved {
        Ok(())
    } else {
        Err(MigrateError::SchemaName(schema.to_owned()))
    }
}

async fn check_server(connection: &Client) -> Result<(), MigrateError> {
    let row = connection
        .query_one(
            "select current_setting('server_version_num')::int4, current_setting('server_version')",
            &[],
        )
        .await?;
    check_version(row.try_get(0)?, row.try_get(1)?)
}

fn check_version(number: i32, name: String) -> Result<(), MigrateError> {
    if number < MIN_SERVER_VERSION {
        return Err(MigrateError::ServerTooOld(name));
    }
    Ok(())
}

/// Returns the versions recorded in a history's table; none if it does not exist yet.
pub async fn versions(
    connection: &Client,
    schema: &str,
    table: &str,
) -> Result<HashSet<String>, MigrateError> {
    let exists: bool = connection
        .query_one(
            "select exists (
                select 1
                from pg_tables
                where schemaname = $1
                    and tablename = $2
            )",
            &[&schema, &table],
        )
        .await?
        .try_get(0)?;
    if !exists {
        return Ok(HashSet::new());
    }
    let schema = quoted(schema);
    let rows = connection
        .query(&format!("select version::text from {schema}.{table}"), &[])
        .await?;
    rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

/// Applies a migration, again and again while others hold locks that it needs: it must not make everybody wait who comes
/// after it. Returns `false` if another replica has applied it meanwhile.
async fn apply_when_unlocked(
    connection: &mut Client,
    schema: &str,
    table: &str,
    migration: &Migration,
) -> Result<bool, MigrateError> {
    let mut attempt = 1;
    loop {
        match apply(connection, schema, table, migration).await {
            Err(MigrateError::Migration { error, .. })
                if error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE)
                    && attempt < LOCK_ATTEMPTS =>
            {
                tracing::info!(
                    migration = migration.name,
                    schema,
                    attempt,
                    "others use a table that is to be changed, trying again"
                );
                tokio::time::sleep(LOCK_PAUSE).await;
                attempt += 1;
            }
            outcome => return outcome,
        }
    }
}

/// Begins a transaction in a schema, which is created if it does not exist, with the lock of all migrations.
async fn begin<'a>(
    connection: &'a mut Client,
    schema: &str,
) -> Result<Transaction<'a>, MigrateError> {
    let transaction = connection.transaction().await?;
    transaction
        .batch_execute(&transaction_settings(schema))
        .await?;
    transaction
        .execute(
            "select pg_advisory_xact_lock($1, hashtext($2))",
            &[&LOCK_KEY, &schema],
        )
        .await?;
    // Not before: another replica may hold the lock of the migrations for longer.
    let timeout = format!("set local lock_timeout to {}", LOCK_TIMEOUT.as_millis());
    transaction.batch_execute(&timeout).await?;
    create_schema(&transaction, schema).await?;
    Ok(transaction)
}

/// Applies a migration and returns `true`, or `false` if another replica has applied it meanwhile.
async fn apply(
    connection: &mut Client,
    schema: &str,
    table: &str,
    migration: &Migration,
) -> Result<bool, MigrateError> {
    let failed = |error| MigrateError::Migration {
        name: migration.name,
        error,
    };
    let transaction = begin(connection, schema).await?;
    if is_recorded(&transaction, table, migration.version()).await? {
        transaction.commit().await?;
        return Ok(false);
    }
    transaction
        .batch_execute(migration.sql)
        .await
        .map_err(failed)?;
    // The first migration of each history creates the table, so it exists by now.
    transaction
        .execute(
            &format!("insert into {table} (version) values ($1)"),
            &[&migration.version()],
        )
        .await
        .map_err(failed)?;
    transaction.commit().await.map_err(failed)?;
    Ok(true)
}

/// Returns the settings of a migration's transaction: the schema in the search path, no time-out for a long
/// backfill, no notices such as "already exists, skipping", and a name that shows an operator who holds
/// the locks.
fn transaction_settings(schema: &str) -> String {
    format!(
        "set local search_path to {};
        set local statement_timeout to 0;
        set local client_min_messages to warning;
        set local application_name to {};",
        quoted(schema),
        quoted(&format!("{schema}_migrations")),
    )
}

/// Creates the schema if it does not exist. Checks first, because even `create schema if not exists` needs
/// a privilege that a careful operator does not grant.
async fn create_schema(transaction: &Transaction<'_>, schema: &str) -> Result<(), MigrateError> {
    let exists: bool = transaction
        .query_one(
            "select exists (
                select 1
                from pg_namespace
                where nspname = $1
            )",
            &[&schema],
        )
        .await?
        .try_get(0)?;
    if exists {
        return Ok(());
    }
    transaction
        .batch_execute(&format!("create schema {}", quoted(schema)))
        .await
        .map_err(|error| MigrateError::CreateSchema {
            schema: schema.to_owned(),
            error,
        })
}

async fn is_recorded(
    transaction: &Transaction<'_>,
    table: &str,
    version: &str,
) -> Result<bool, MigrateError> {
    let exists: bool = transaction
        .query_one("select to_regclass($1::text) is not null", &[&table])
        .await?
        .try_get(0)?;
    if !exists {
        return Ok(false);
    }
    let row = transaction
        .query_opt(
            &format!("select 1 from {table} where version = $1"),
            &[&version],
        )
        .await?;
    Ok(row.is_some())
}

/// Quotes a name as an SQL identifier.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::{check_name, check_version, quoted};

    #[test]
    fn a_name_cannot_break_out_of_its_quotes() {
        assert_eq!(quoted("auth"), "\"auth\"");
        assert_eq!(quoted("a\"; drop schema b"), "\"a\"\"; drop schema b\"");
    }

    #[test]
    fn names_that_mean_something_else_are_refused() {
        let long = "x".repeat(64);
        for name in [
            "",
            "pg_catalog",
            "information_schema",
            "$user",
            "a\0b",
            &long,
        ] {
            assert!(check_name(name).is_err(), "{name:?}");
        }
        for name in ["auth", "Tenant One", "o'clock", "\"", "schön"] {
            assert!(check_name(name).is_ok(), "{name:?}");
        }
    }

    #[test]
    fn old_servers_are_refused_by_name() {
        assert!(check_version(130_000, "13.0".to_owned()).is_ok());
        let error = check_version(120_022, "12.22 (Debian)".to_owned()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "PostgreSQL 13 or newer is required, this server is 12.22 (Debian)"
        );
    }
}
