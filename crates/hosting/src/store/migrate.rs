//! Migrations of the database schema.

use innkeeper_service::migrate::{self, Migration, MigrationHistory};
use tokio_postgres::Client;

pub use innkeeper_service::migrate::MigrateError;

macro_rules! files {
    ($($name:literal)*) => {
        &[$(Migration {
            name: $name,
            sql: include_str!(concat!("../../migrations/", $name, ".sql")),
        }),*]
    };
}

const FILES: &[Migration] = files! {
    "0001_bookkeeping"
    "0002_status"
    "0003_feedback"
    "0004_customers"
    "0005_machines"
    "0006_status_readers"
};

/// Applies the missing migrations to a schema, which is created if necessary, and returns the names of the
/// applied files. Any number of replicas may do this at once.
pub async fn migrate(
    connection: &mut Client,
    schema: &str,
) -> Result<Vec<&'static str>, MigrateError> {
    let [applied] = migrate::migrate(connection, schema, [history()]).await?;
    Ok(applied)
}

/// Returns the names of the files that [`migrate`](fn@migrate) would apply, without applying them.
pub async fn missing(connection: &Client, schema: &str) -> Result<Vec<&'static str>, MigrateError> {
    migrate::missing(connection, schema, &[history()]).await
}

fn history() -> MigrationHistory {
    MigrationHistory {
        table: "migrations",
        migrations: FILES,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::FILES;

    #[test]
    fn every_file_of_the_folder_is_compiled_in_and_in_order() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .map(|name| name.strip_suffix(".sql").unwrap().to_owned())
            .collect();
        names.sort();
        let compiled: Vec<&str> = FILES.iter().map(|file| file.name).collect();
        assert_eq!(compiled, names);
    }

    #[test]
    fn every_file_says_why_it_is_there() {
        for file in FILES {
            assert!(file.sql.starts_with("-- "), "{}", file.name);
        }
    }
}
