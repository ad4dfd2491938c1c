//! Migrates the schema of a database.
//!
//! There are two histories. The first is that of GoTrue, whose databases can be taken over in place: its
//! versions are recorded in `schema_migrations` under the same numbers, so that GoTrue still runs on the
//! result. The second is that of the tables that only this server has, recorded in `innkeeper_migrations`.

mod files;

use innkeeper_service::migrate::{self, MigrationHistory};
use tokio_postgres::Client;

pub use innkeeper_service::migrate::MigrateError;

use self::files::{OWN, UPSTREAM};

/// The files that a run of [`migrate`](fn@migrate) applied.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct MigrationReport {
    /// The files of the history that is shared with GoTrue.
    pub upstream: Vec<&'static str>,
    /// The files of this server's own tables.
    pub own: Vec<&'static str>,
}

impl MigrationReport {
    /// Returns how many files were applied.
    pub fn len(&self) -> usize {
        self.upstream.len() + self.own.len()
    }

    /// Whether the schema was up to date already.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Applies the missing migrations to a schema, which is created if it does not exist. Any number of replicas
/// may do this at once.
pub async fn migrate(
    connection: &mut Client,
    schema: &str,
) -> Result<MigrationReport, MigrateError> {
    let [upstream, own] = migrate::migrate(connection, schema, histories()).await?;
    Ok(MigrationReport { upstream, own })
}

/// Returns the files that [`migrate`](fn@migrate) would apply, without applying them.
pub async fn missing(connection: &Client, schema: &str) -> Result<Vec<&'static str>, MigrateError> {
    migrate::missing(connection, schema, &histories()).await
}

fn histories() -> [MigrationHistory; 2] {
    let upstream = MigrationHistory {
        table: "schema_migrations",
        migrations: UPSTREAM,
    };
    let own = MigrationHistory {
        table: "innkeeper_migrations",
        migrations: OWN,
    };
    [upstream, own]
}
