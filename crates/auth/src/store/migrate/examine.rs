//! Compares a schema with what its recorded history says, before it is changed.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;

use innkeeper_service::migrate::{MigrateError, versions};
use tokio_postgres::Client;

use super::{UPSTREAM_TABLE, takeover};

/// Each column of GoTrue's schema: its table and name, its type, and the version since which it is so. The test
/// `the_known_columns_are_those_of_the_history` compares it with the migrations.
const COLUMNS: &str = include_str!("columns.txt");

/// A table that GoTrue creates and nobody uses.
const UNUSED_TABLE: &str = "instances";

/// Why a schema cannot be migrated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SchemaProblem {
    /// A column that the recorded history has created is not there.
    Missing(String),
    /// A column has another type.
    Changed {
        /// The column.
        column: String,
        /// The type that it must have.
        expected: &'static str,
        /// The type that it has.
        found: String,
    },
    /// A column that is not GoTrue's must be given for every row, and neither server does.
    Required(String),
    /// Another program records its own history in a table of the same name.
    OtherHistory,
}

impl fmt::Display for SchemaProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(column) => write!(f, "{column} is missing"),
            Self::Changed {
                column,
                expected,
                found,
            } => write!(f, "{column} has type {found} instead of {expected}"),
            Self::Required(column) => {
                write!(
                    f,
                    "{column} is not GoTrue's, not null and without a default"
                )
            }
            Self::OtherHistory => {
                write!(
                    f,
                    "{UPSTREAM_TABLE} has none of the versions with which GoTrue's history begins, so another program \
                     uses this schema; choose one of its own with DB_NAMESPACE"
                )
            }
        }
    }
}

/// What a schema contains, compared with the history that is recorded in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SchemaReport {
    /// The name of the schema.
    pub schema: String,
    /// The last recorded version of GoTrue's history; `None` if GoTrue has not used the schema.
    pub version: Option<String>,
    /// The recorded versions that this release does not know because they are newer.
    pub newer: Vec<String>,
    /// Why the schema cannot be migrated.
    pub problems: Vec<SchemaProblem>,
    /// Tables that are neither GoTrue's nor ours. They are left alone.
    pub unknown_tables: Vec<String>,
    /// Columns of GoTrue's tables that are not GoTrue's. They are left alone.
    pub unknown_columns: Vec<String>,
    /// The columns that are there, as `table.column`.
    pub(crate) columns: BTreeSet<String>,
}

impl SchemaReport {
    /// Whether the schema has this column, or this table.
    pub(crate) fn has(&self, name: &str) -> bool {
        let prefix = format!("{name}.");
        self.columns
            .range(name.to_owned()..)
            .next()
            .is_some_and(|next| next == name || next.starts_with(&prefix))
    }

    /// Refuses a schema that cannot be migrated.
    pub(super) fn check(&self) -> Result<(), MigrateError> {
        if self.problems.is_empty() {
            return Ok(());
        }
        let problems: Vec<String> = self.problems.iter().map(ToString::to_string).collect();
        Err(MigrateError::Refused(format!(
            "schema `{}` is not as its history says, and nothing was changed: {}",
            self.schema,
            problems.join("; ")
        )))
    }
}

/// A column of the database.
struct FoundColumn {
    table: String,
    name: String,
    kind: String,
    /// Whether every new row must have a value for it.
    is_required: bool,
}

/// Compares a schema with the history that is recorded in it. Changes nothing.
pub async fn examine(connection: &Client, schema: &str) -> Result<SchemaReport, MigrateError> {
    let applied = versions(connection, schema, UPSTREAM_TABLE).await?;
    let found = read_columns(connection, schema).await?;
    Ok(compare(schema, applied, found))
}

fn compare(schema: &str, mut applied: HashSet<String>, found: Vec<FoundColumn>) -> SchemaReport {
    let is_foreign = takeover::is_foreign(&applied);
    if is_foreign {
        applied.clear();
    }
    let known: HashMap<&str, (&'static str, &'static str)> = known_columns().collect();
    let tables: HashSet<&str> = known.keys().map(|column| table_of(column)).collect();
    let mut report = SchemaReport {
        schema: schema.to_owned(),
        version: applied.iter().max().cloned(),
        ..SchemaReport::default()
    };
    if is_foreign {
        report.problems.push(SchemaProblem::OtherHistory);
    }
    let mut unknown_tables = BTreeSet::new();
    for column in found {
        let full = format!("{}.{}", column.table, column.name);
        let is_ours = column.table == UPSTREAM_TABLE || column.table.starts_with("innkeeper_");
        if is_ours {
            continue;
        }
        report.columns.insert(full.clone());
        match known.get(full.as_str()) {
            Some((expected, since)) => {
                if applied.contains(*since) && *expected != column.kind {
                    report.problems.push(SchemaProblem::Changed {
                        column: full,
                        expected,
                        found: column.kind,
                    });
                }
            }
            None if !tables.contains(column.table.as_str()) => {
                unknown_tables.insert(column.table);
            }
            None => {
                if column.is_required && applied.contains(super::LAST_VERSION) {
                    report.problems.push(SchemaProblem::Required(full.clone()));
                }
                report.unknown_columns.push(full);
            }
        }
    }
    for (column, (_, since)) in known_columns() {
        let is_needed = applied.contains(since) && table_of(column) != UNUSED_TABLE;
        if is_needed && !report.columns.contains(column) {
            let problem = SchemaProblem::Missing(column.to_owned());
            report.problems.push(problem);
        }
    }
    report.unknown_tables = unknown_tables.into_iter().collect();
    report.newer = takeover::newer(applied);
    report
}

/// Returns each column of GoTrue's schema as `table.column`, with its type and the version since which it is so.
fn known_columns() -> impl Iterator<Item = (&'static str, (&'static str, &'static str))> {
    COLUMNS.lines().filter_map(|line| {
        let mut words = line.split(' ');
        Some((words.next()?, (words.next()?, words.next()?)))
    })
}

fn table_of(column: &str) -> &str {
    column.split_once('.').map_or(column, |(table, _)| table)
}

/// Reads all columns of a schema. Texts with and without a limit count as the same type.
async fn read_columns(connection: &Client, schema: &str) -> Result<Vec<FoundColumn>, MigrateError> {
    let rows = connection
        .query(
            "select c.relname::text,
                a.attname::text,
                case when t.typname = 'varchar' then 'text' else t.typname::text end,
                a.attnotnull and not a.atthasdef and a.attidentity = ''
            from pg_attribute a
            join pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'p')
            join pg_namespace n on n.oid = c.relnamespace
            join pg_type t on t.oid = a.atttypid
            where n.nspname = $1
                and a.attnum > 0
                and not a.attisdropped
            order by c.relname, a.attname",
            &[&schema],
        )
        .await?;
    rows.iter()
        .map(|row| {
            Ok(FoundColumn {
                table: row.try_get(0)?,
                name: row.try_get(1)?,
                kind: row.try_get(2)?,
                is_required: row.try_get(3)?,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{FoundColumn, SchemaProblem, compare, known_columns, table_of};

    fn all() -> Vec<FoundColumn> {
        known_columns()
            .map(|(column, (kind, _))| FoundColumn {
                table: table_of(column).to_owned(),
                name: column.split_once('.').unwrap().1.to_owned(),
                kind: kind.to_owned(),
                is_required: false,
            })
            .collect()
    }

    fn versions(last: &str) -> HashSet<String> {
        let versions = known_columns().map(|(_, (_, since))| since.to_owned());
        let mut versions: HashSet<String> = versions
            .filter(|version| version.as_str() <= last)
            .collect();
        versions.insert(last.to_owned());
        versions
    }

    #[test]
    fn a_complete_schema_has_no_problem() {
        let report = compare("auth", versions("20260625000000"), all());
        assert_eq!(report.problems, []);
        assert_eq!(report.version.as_deref(), Some("20260625000000"));
        assert!(report.has("users") && report.has("users.email"));
        assert!(!report.has("user") && !report.has("users.note"));
    }

    #[test]
    fn only_what_the_history_has_created_can_be_missing() {
        let without = |name: &str| {
            let columns = all();
            columns
                .into_iter()
                .filter(|column| format!("{}.{}", column.table, column.name) != name)
                .collect::<Vec<_>>()
        };
        let missing = [SchemaProblem::Missing("users.is_anonymous".to_owned())];
        let found = without("users.is_anonymous");
        assert_eq!(
            compare("auth", versions("20260625000000"), found).problems,
            missing
        );
        let found = without("users.is_anonymous");
        assert_eq!(
            compare("auth", versions("20240115144230"), found).problems,
            []
        );
        let found = without("instances.uuid");
        assert_eq!(
            compare("auth", versions("20260625000000"), found).problems,
            []
        );
    }

    #[test]
    fn other_types_and_required_columns_are_problems_and_other_columns_are_not() {
        let mut found = all();
        let extra = |table: &str, name: &str, is_required| FoundColumn {
            table: table.to_owned(),
            name: name.to_owned(),
            kind: "int4".to_owned(),
            is_required,
        };
        for column in &mut found {
            if column.table == "sessions" && column.name == "refreshed_at" {
                "timestamptz".clone_into(&mut column.kind);
            }
        }
        found.push(extra("users", "note", false));
        found.push(extra("users", "tenant", true));
        found.push(extra("notes", "id", true));
        found.push(extra("innkeeper_outbox", "id", true));
        let report = compare("auth", versions("20260625000000"), found);
        assert_eq!(
            report
                .problems
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>(),
            [
                "sessions.refreshed_at has type timestamptz instead of timestamp",
                "users.tenant is not GoTrue's, not null and without a default"
            ]
        );
        assert_eq!(report.unknown_columns, ["users.note", "users.tenant"]);
        assert_eq!(report.unknown_tables, ["notes"]);
    }
}
