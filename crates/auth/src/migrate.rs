//! Brings a database's schema up to date.
//!
//! There are two histories. The first is that of an older server whose databases can be taken over in
//! place: its versions stand in `schema_migrations` under the same numbers, so that it can still run
//! on the result. The second is that of the tables that are ours alone, in `innkeeper_migrations`.

mod files;

use innkeeper_service::migrate::{self, MigrationHistory};
use tokio_postgres::Client;

pub use innkeeper_service::migrate::MigrateError;

use self::files::{OWN, UPSTREAM};

/// What a run of [`migrate`](fn@migrate) did.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Report {
    /// The files of the history shared with the older server that were applied.
    pub upstream: Vec<&'static str>,
    /// The files of our own tables that were applied.
    pub own: Vec<&'static str>,
}

impl Report {
    /// How many files were applied.
    pub fn len(&self) -> usize {
        self.upstream.len() + self.own.len()
    }

    /// Whether the schema was up to date already.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Applies what is missing to a schema, which is created when it is not there. Any number of replicas
/// may do this at once.
pub async fn migrate(connection: &mut Client, schema: &str) -> Result<Report, MigrateError> {
    let [upstream, own] = migrate::migrate(connection, schema, histories()).await?;
    Ok(Report { upstream, own })
}

/// The files that [`migrate`](fn@migrate) would apply. Nothing is changed.
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
