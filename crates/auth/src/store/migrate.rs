//! Migrates the schema of a database.
//!
//! There are two histories. The first is that of GoTrue, whose databases can be taken over in place: its
//! versions are recorded in `schema_migrations` under the same numbers, so that GoTrue still runs on the
//! result. The second is that of the tables that only this server has, recorded in `innkeeper_migrations`.
//!
//! A schema that differs from what its history says, or that is newer than what this release knows, is refused before
//! anything is changed.

mod counts;
mod examine;
mod files;
mod takeover;

use innkeeper_service::migrate::{self, MigrationHistory, OnStep};
use tokio_postgres::Client;

pub use counts::RowCounts;
pub(crate) use counts::count;
pub use examine::{SchemaProblem, SchemaReport, examine};
pub use innkeeper_service::migrate::{MigrateError, MigrationStep};
pub use takeover::{TakeoverState, V2_VERSION};
pub(crate) use takeover::{count_v1_sessions, finish, state};

use self::files::{OWN, TAKEOVER, UPSTREAM};

/// The last version of GoTrue's history that this release knows.
pub const LAST_VERSION: &str = "20260625000000";

/// The table in which GoTrue records its history.
const UPSTREAM_TABLE: &str = "schema_migrations";

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
    migrate_with(connection, schema, NewerSchema::Refuse, &mut |_| {}).await
}

/// What to do with a schema that GoTrue has migrated further than this release knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewerSchema {
    /// Refuse it, unless an operator has accepted the same version before.
    Refuse,
    /// Accept it, and record that.
    Accept,
}

/// As [`migrate`](fn@migrate), and calls a function before each migration.
pub async fn migrate_with(
    connection: &mut Client,
    schema: &str,
    newer: NewerSchema,
    on_step: OnStep<'_>,
) -> Result<MigrationReport, MigrateError> {
    let missing = missing(connection, schema).await?;
    let unknown = takeover::newer_versions(connection, schema).await?;
    if newer == NewerSchema::Refuse {
        takeover::check_newer(connection, schema, &unknown).await?;
    }
    if !missing.is_empty() {
        let report = examine(connection, schema).await?;
        report.check()?;
        // Who used the schema must be known before it is changed.
        migrate::prepare(connection, schema, TAKEOVER.sql).await?;
    }
    let [upstream, own] = migrate::migrate_with(connection, schema, histories(), on_step).await?;
    if let (NewerSchema::Accept, Some(last)) = (newer, unknown.last()) {
        takeover::accept(connection, schema, last).await?;
    }
    Ok(MigrationReport { upstream, own })
}

/// Returns the files that [`migrate`](fn@migrate) would apply, without applying them.
pub async fn missing(connection: &Client, schema: &str) -> Result<Vec<&'static str>, MigrateError> {
    migrate::missing(connection, schema, &histories()).await
}

fn histories() -> [MigrationHistory; 2] {
    let upstream = MigrationHistory {
        table: UPSTREAM_TABLE,
        migrations: UPSTREAM,
    };
    let own = MigrationHistory {
        table: "innkeeper_migrations",
        migrations: OWN,
    };
    [upstream, own]
}
