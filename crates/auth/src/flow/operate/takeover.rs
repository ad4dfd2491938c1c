//! Commands for taking over a database of GoTrue.

use std::time::Duration;

use innkeeper_service::clock::Clock;
use innkeeper_service::database::{Database, DatabaseError, DatabaseOptions};
use jiff::Timestamp;

use super::migrate_database;
use crate::app::assemble;
use crate::app::start_error::StartError;
use crate::config::Config;
use crate::store::migrate::{self, RowCounts, SchemaReport, TakeoverState};

/// What one migration takes, measured without rows.
const PER_MIGRATION: Duration = Duration::from_millis(15);

/// What all migrations take for a row of a table that they change.
const PER_ROW: Duration = Duration::from_micros(10);

/// What taking over a database would do.
#[derive(Debug, Clone)]
pub struct TakeoverReport {
    /// The schema, compared with what this release knows.
    pub schema: SchemaReport,
    /// The state of a take-over that has begun.
    pub state: Option<TakeoverState>,
    /// The migrations that would be applied.
    pub missing: Vec<&'static str>,
    /// The rows of the schema.
    pub counts: RowCounts,
    /// About how long the migration would take.
    pub estimate: Duration,
}

/// Reports what taking over a database would do. Everything is read in one read-only transaction.
pub async fn check_takeover(url: &str, schema: &str) -> Result<TakeoverReport, StartError> {
    let options = DatabaseOptions {
        application_name: "innkeeper-auth".to_owned(),
        ..DatabaseOptions::new(url.to_owned(), schema.to_owned())
    };
    let connection = Database::new(options)?.connect_once().await?;
    connection
        .batch_execute("begin isolation level repeatable read read only")
        .await
        .map_err(DatabaseError::from)?;
    let missing = migrate::missing(&connection, schema).await?;
    let report = migrate::examine(&connection, schema).await?;
    let counts = migrate::count(&connection, &report).await?;
    let state = migrate::state(&connection, schema).await?;
    Ok(TakeoverReport {
        estimate: estimate(missing.len(), &counts),
        schema: report,
        state,
        missing,
        counts,
    })
}

/// Estimates how long the migrations take.
fn estimate(missing: usize, counts: &RowCounts) -> Duration {
    if missing == 0 {
        return Duration::ZERO;
    }
    let rows = [
        counts.users,
        counts.identities,
        counts.sessions_v1,
        counts.sessions_v2,
    ];
    let rows = u32::try_from(rows.iter().sum::<i64>()).unwrap_or(u32::MAX);
    let missing = u32::try_from(missing).unwrap_or(u32::MAX);
    PER_MIGRATION.saturating_mul(missing) + PER_ROW.saturating_mul(rows)
}

/// The end of a take-over.
#[derive(Debug, Clone)]
pub struct FinishedTakeover {
    /// When it was finished first.
    pub finished_at: Timestamp,
    /// The version of GoTrue's schema that was found; `None` if it is not known.
    pub found_version: Option<String>,
    /// The sessions that get refresh tokens of version 2 when they are refreshed next.
    pub sessions_v1: i64,
}

/// Declares that GoTrue will not be used any more. Running servers notice it at the next refresh.
pub async fn finish_takeover(
    config: &Config,
    clock: &Clock,
) -> Result<FinishedTakeover, StartError> {
    migrate_database(config).await?;
    let schema = &config.database.namespace;
    let connection = assemble::connect(config)?.connect_once().await?;
    let before = migrate::state(&connection, schema).await?;
    let finished_at = migrate::finish(&connection, schema, clock.now()).await?;
    Ok(FinishedTakeover {
        finished_at,
        found_version: before.and_then(|state| state.found_version),
        sessions_v1: migrate::count_v1_sessions(&connection, schema).await?,
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::estimate;
    use crate::store::migrate::RowCounts;

    #[test]
    fn the_estimate_grows_with_files_and_rows() {
        let counts = |users| RowCounts {
            users,
            ..RowCounts::default()
        };
        assert_eq!(estimate(0, &counts(100_000)), Duration::ZERO);
        let small = estimate(10, &counts(1));
        assert!(small < Duration::from_secs(1));
        assert!(estimate(80, &counts(1)) > small);
        assert!(estimate(10, &counts(100_000)) > small);
        assert!(estimate(usize::MAX, &counts(i64::MAX)) > small);
    }
}
