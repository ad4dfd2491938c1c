//! The take-over of a schema that GoTrue used before: what was found, and whether GoTrue may be used again.

use std::collections::HashSet;

use innkeeper_service::migrate::{MigrateError, quoted, versions};
use jiff::Timestamp;
use tokio_postgres::Client;

use super::{LAST_VERSION, UPSTREAM_TABLE};

/// The first version of GoTrue's history with which it knows refresh tokens of version 2.
pub const V2_VERSION: &str = "20251007112900";

/// The first version of GoTrue's history, and the one with which older installations began.
const FIRST_VERSIONS: [&str; 2] = ["00", "20171026211738"];

/// The state of a take-over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakeoverState {
    /// The last version of GoTrue's history that was found; `None` if it is not known any more.
    pub found_version: Option<String>,
    /// When it was found.
    pub found_at: Timestamp,
    /// The last unknown version that an operator has accepted.
    pub accepted_version: Option<String>,
    /// When the operator declared that GoTrue will not be used any more.
    pub finished_at: Option<Timestamp>,
}

/// Returns the state of the take-over; `None` if GoTrue has not used the schema, or before the first migration.
pub(crate) async fn state(
    connection: &Client,
    schema: &str,
) -> Result<Option<TakeoverState>, MigrateError> {
    let table = format!("{}.innkeeper_takeover", quoted(schema));
    if !exists(connection, &table).await? {
        return Ok(None);
    }
    let sql = format!("select found_version, found_at, accepted_version, finished_at from {table}");
    let Some(row) = connection.query_opt(&sql, &[]).await? else {
        return Ok(None);
    };
    Ok(Some(TakeoverState {
        found_version: row.try_get(0)?,
        found_at: row.try_get(1)?,
        accepted_version: row.try_get(2)?,
        finished_at: row.try_get(3)?,
    }))
}

/// Declares that GoTrue will not be used any more, and returns since when. The first time stands.
pub(crate) async fn finish(
    connection: &Client,
    schema: &str,
    now: Timestamp,
) -> Result<Timestamp, MigrateError> {
    let sql = format!(
        "insert into {}.innkeeper_takeover as t (found_version, finished_at)
         values (null, $1)
             on conflict (only_row)
             do update set finished_at = coalesce(t.finished_at, excluded.finished_at)
         returning finished_at",
        quoted(schema)
    );
    Ok(connection.query_one(&sql, &[&now]).await?.try_get(0)?)
}

/// Records that an operator has accepted a version that this release does not know.
pub(super) async fn accept(
    connection: &Client,
    schema: &str,
    version: &str,
) -> Result<(), MigrateError> {
    let sql = format!(
        "insert into {}.innkeeper_takeover (found_version, accepted_version)
         values ($1, $1)
             on conflict (only_row)
             do update set accepted_version = excluded.accepted_version",
        quoted(schema)
    );
    connection.execute(&sql, &[&version]).await?;
    Ok(())
}

/// Counts the sessions that still have an unused refresh token of version 1.
pub(crate) async fn count_v1_sessions(
    connection: &Client,
    schema: &str,
) -> Result<i64, MigrateError> {
    let schema = quoted(schema);
    let sql = format!(
        "select count(distinct t.session_id)
           from {schema}.refresh_tokens t
           join {schema}.sessions s on s.id = t.session_id
          where t.revoked is not true
            and s.refresh_token_hmac_key is null"
    );
    Ok(connection.query_one(&sql, &[]).await?.try_get(0)?)
}

/// Returns the recorded versions of GoTrue that this release does not know because they are newer, in order.
pub(super) async fn newer_versions(
    connection: &Client,
    schema: &str,
) -> Result<Vec<String>, MigrateError> {
    Ok(newer(versions(connection, schema, UPSTREAM_TABLE).await?))
}

/// Whether recorded versions are those of another program that has a table of the same name: GoTrue's history begins
/// with a version that nobody else has.
pub(super) fn is_foreign(versions: &HashSet<String>) -> bool {
    let has_first = FIRST_VERSIONS.iter().any(|it| versions.contains(*it));
    !versions.is_empty() && !has_first
}

/// Selects the versions after the last known one. Those of another program are no newer than ours.
pub(super) fn newer(versions: HashSet<String>) -> Vec<String> {
    if is_foreign(&versions) {
        return Vec::new();
    }
    let mut newer: Vec<String> = versions
        .into_iter()
        .filter(|version| version.as_str() > LAST_VERSION)
        .collect();
    newer.sort();
    newer
}

/// Refuses a schema that is newer than what this release knows, unless an operator has accepted it.
pub(super) async fn check_newer(
    connection: &Client,
    schema: &str,
    newer: &[String],
) -> Result<(), MigrateError> {
    let Some(last) = newer.last() else {
        return Ok(());
    };
    let state = state(connection, schema).await?;
    let accepted = state.and_then(|state| state.accepted_version);
    if accepted.is_some_and(|accepted| accepted >= *last) {
        return Ok(());
    }
    Err(MigrateError::Refused(format!(
        "schema `{schema}` has version {last} of GoTrue, and this release knows the versions up to {LAST_VERSION}; \
         upgrade Innkeeper, or accept it with `innkeeper auth migrate --accept-newer`"
    )))
}

async fn exists(connection: &Client, table: &str) -> Result<bool, MigrateError> {
    let row = connection
        .query_one("select to_regclass($1::text) is not null", &[&table])
        .await?;
    Ok(row.try_get(0)?)
}

#[cfg(test)]
mod tests {
    use super::{is_foreign, newer};

    #[test]
    fn only_versions_after_the_last_known_one_are_newer() {
        let versions = [
            "00",
            "20171026211738",
            "20260625000000",
            "20261101000000",
            "20260701000000",
        ];
        assert_eq!(
            newer(versions.map(str::to_owned).into()),
            ["20260701000000", "20261101000000"]
        );
    }

    #[test]
    fn a_history_without_gotrues_first_version_is_that_of_another_program() {
        for (versions, expected) in [
            (vec![], false),
            (vec!["00"], false),
            (vec!["20171026211738", "20261101000000"], false),
            (vec!["00", "20240101120000", "20261101000000"], false),
            (vec!["20240101120000"], true),
            (vec!["20240101120000", "20261101000000"], true),
            (vec!["1", "2"], true),
        ] {
            let versions: std::collections::HashSet<String> =
                versions.into_iter().map(str::to_owned).collect();
            assert_eq!(is_foreign(&versions), expected, "{versions:?}");
            if expected {
                assert!(newer(versions).is_empty());
            }
        }
    }
}
