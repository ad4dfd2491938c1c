//! Brings a database's schema up to date, by files that are each applied once.

use std::collections::HashSet;

use thiserror::Error;
use tokio_postgres::{Client, Transaction};

use crate::database::{explain, is_lost};

/// The first release with `gen_random_uuid()` and everything else the SQL uses.
const OLDEST_SERVER: i32 = 130_000;

/// Half of the advisory lock's key: "innk". The other half is a hash of the schema's name.
const LOCK: i32 = 0x696e_6e6b;

/// One file of a migrations folder.
#[derive(Debug)]
pub struct File {
    /// The file's name without its ending: a version, then a topic.
    pub name: &'static str,
    /// What is in it; the first file of a history creates the table of the history.
    pub sql: &'static str,
}

impl File {
    /// What is recorded in the database: the name's leading digits.
    pub fn version(&self) -> &'static str {
        self.name
            .split_once('_')
            .map_or(self.name, |(version, _)| version)
    }
}

/// The files of one history, in order.
#[derive(Debug)]
pub struct History {
    /// The table in which the versions of applied files stand.
    pub table: &'static str,
    /// The files.
    pub files: &'static [File],
}

/// Why a schema could not be brought up to date.
#[derive(Debug, Error)]
pub enum MigrateError {
    /// The schema's name cannot be used.
    #[error("`{0}` cannot be the name of a schema")]
    SchemaName(String),
    /// The server is too old.
    #[error("PostgreSQL 13 or newer is needed, this server is {0}")]
    ServerTooOld(String),
    /// One file failed; what came before it is applied and stays.
    #[error("migration {file} failed: {}", explain(error))]
    File {
        /// The name of the file.
        file: &'static str,
        /// What the database said.
        error: tokio_postgres::Error,
    },
    /// The schema is missing and cannot be made.
    #[error(
        "schema `{schema}` does not exist and cannot be created: {}",
        explain(error)
    )]
    CreateSchema {
        /// The name of the schema.
        schema: String,
        /// What the database said.
        error: tokio_postgres::Error,
    },
    /// Anything else the database refused.
    #[error("cannot read the state of the schema: {}", explain(.0))]
    Database(tokio_postgres::Error),
}

// Written out, so that the cause is not also a source: the message has it, and a log that follows
// sources would show the values of rows.
impl From<tokio_postgres::Error> for MigrateError {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Database(error)
    }
}

impl MigrateError {
    /// Whether the database went away meanwhile, and the same may succeed once it is back.
    pub fn is_unavailable(&self) -> bool {
        match self {
            Self::SchemaName(_) | Self::ServerTooOld(_) => false,
            Self::File { error, .. } | Self::CreateSchema { error, .. } | Self::Database(error) => {
                is_lost(error)
            }
        }
    }
}

/// Applies what is missing to a schema, which is created when it is not there, and says which files
/// of each history were applied.
///
/// Each file is one transaction under a lock, so any number of replicas may do this at once: a file
/// is applied by one of them, and none goes on before the schema is complete. The lock belongs to the
/// transaction, not to the session, because a connection pooler in between may give each transaction
/// another session.
pub async fn migrate<const N: usize>(
    connection: &mut Client,
    schema: &str,
    histories: [History; N],
) -> Result<[Vec<&'static str>; N], MigrateError> {
    check_name(schema)?;
    check_server(connection).await?;
    let mut applied = [const { Vec::new() }; N];
    for (History { table, files }, applied) in histories.iter().zip(&mut applied) {
        let known = versions(connection, schema, table).await?;
        for file in files.iter().filter(|file| !known.contains(file.version())) {
            if apply(connection, schema, table, file).await? {
                tracing::info!(migration = file.name, schema, "migrated");
                applied.push(file.name);
            }
        }
    }
    Ok(applied)
}

/// The files that [`migrate`] would apply. Nothing is changed.
pub async fn missing(
    connection: &Client,
    schema: &str,
    histories: &[History],
) -> Result<Vec<&'static str>, MigrateError> {
    check_name(schema)?;
    check_server(connection).await?;
    let mut missing = Vec::new();
    for History { table, files } in histories {
        let known = versions(connection, schema, table).await?;
        let files = files.iter().filter(|file| !known.contains(file.version()));
        missing.extend(files.map(|file| file.name));
    }
    Ok(missing)
}

/// Refuses names that PostgreSQL would refuse, cut off, or read as something else in a search path.
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
    if number < OLDEST_SERVER {
        return Err(MigrateError::ServerTooOld(name));
    }
    Ok(())
}

/// The versions recorded in a bookkeeping table, none when it does not exist yet.
async fn versions(
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

/// Applies one file, unless another replica was faster.
async fn apply(
    connection: &mut Client,
    schema: &str,
    table: &str,
    file: &File,
) -> Result<bool, MigrateError> {
    let failed = |error| MigrateError::File {
        file: file.name,
        error,
    };
    let transaction = connection.transaction().await?;
    transaction.batch_execute(&session(schema)).await?;
    transaction
        .execute(
            "select pg_advisory_xact_lock($1, hashtext($2))",
            &[&LOCK, &schema],
        )
        .await?;
    create_schema(&transaction, schema).await?;
    if recorded(&transaction, table, file.version()).await? {
        transaction.commit().await?;
        return Ok(false);
    }
    transaction.batch_execute(file.sql).await.map_err(failed)?;
    // The first file of each history creates its table, so there is one by now.
    transaction
        .execute(
            &format!("insert into {table} (version) values ($1)"),
            &[&file.version()],
        )
        .await
        .map_err(failed)?;
    transaction.commit().await.map_err(failed)?;
    Ok(true)
}

/// Settings for one transaction: names without a schema mean ours, a long backfill is not cut short,
/// "exists already, skipping" is no news, and an operator sees who holds the locks.
fn session(schema: &str) -> String {
    format!(
        "set local search_path to {};
        set local statement_timeout to 0;
        set local client_min_messages to warning;
        set local application_name to {};",
        quoted(schema),
        quoted(&format!("{schema}_migrations")),
    )
}

/// Creates the schema if it is missing. Even `if not exists` needs a right that a careful operator
/// does not give, so look first.
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

async fn recorded(
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

/// A name as an identifier of SQL, whatever is in it.
fn quoted(name: &str) -> String {
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
            "PostgreSQL 13 or newer is needed, this server is 12.22 (Debian)"
        );
    }
}
