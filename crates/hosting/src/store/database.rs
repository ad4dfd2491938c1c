//! The database of the server, and whether it is ready: reachable, with an up-to-date schema.

use std::time::Duration;

use innkeeper_service::database::{Database, DatabaseError, DatabaseOptions, PooledConnection};
use tokio::sync::OnceCell;
use tokio::time::timeout;

use crate::config::DatabaseConfig;
use crate::store::migrate::{MigrateError, migrate};

/// How long bringing the schema up to date may take.
const MIGRATION_TIMEOUT: Duration = Duration::from_mins(5);
/// How long the database may take to answer a health check.
const PING_TIMEOUT: Duration = Duration::from_secs(2);

/// Why the database could not be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ServerDatabaseError {
    #[error(transparent)]
    Database(#[from] DatabaseError),
    #[error(transparent)]
    Migrate(#[from] MigrateError),
    #[error("the database does not respond")]
    Timeout,
    #[error("the database was not reached yet, or its schema is not up to date")]
    NotReady,
}

impl From<tokio_postgres::Error> for ServerDatabaseError {
    fn from(error: tokio_postgres::Error) -> Self {
        DatabaseError::from(error).into()
    }
}

/// The database of a running server. Its schema is brought up to date by the first who needs it.
#[derive(Debug)]
pub(crate) struct ServerDatabase {
    pool: Database,
    migrated: OnceCell<()>,
}

impl ServerDatabase {
    pub(crate) fn new(pool: Database) -> Self {
        Self {
            pool,
            migrated: OnceCell::new(),
        }
    }

    /// Tells whether the database was reached and its schema is up to date. Until then nothing can be
    /// stored, and health checks report the database as away.
    pub(crate) fn is_ready(&self) -> bool {
        self.migrated.initialized()
    }

    /// Brings the schema up to date, once per process. Concurrent callers wait for the same
    /// migration; after a failure the next caller tries again.
    pub(crate) async fn make_ready(&self) -> Result<(), ServerDatabaseError> {
        let migration = self.migrated.get_or_try_init(async || {
            let migration = async {
                let mut connection = self.pool.connect_once().await?;
                migrate(&mut connection, self.pool.schema()).await?;
                Ok(())
            };
            let migrated = timeout(MIGRATION_TIMEOUT, migration).await;
            migrated.map_err(|_| ServerDatabaseError::Timeout)?
        });
        migration.await.copied()
    }

    /// Tells whether the database is ready and answers now.
    pub(crate) async fn is_healthy(&self) -> bool {
        let ping = timeout(PING_TIMEOUT, self.pool.ping());
        self.is_ready() && matches!(ping.await, Ok(Ok(())))
    }

    /// Returns a connection. The schema may be missing unless the database is ready.
    pub(crate) async fn connection(&self) -> Result<PooledConnection, DatabaseError> {
        self.pool.connection().await
    }

    /// Returns a connection to a database that is ready.
    pub(crate) async fn ready_connection(&self) -> Result<PooledConnection, ServerDatabaseError> {
        if !self.is_ready() {
            return Err(ServerDatabaseError::NotReady);
        }
        Ok(self.connection().await?)
    }

    /// Returns the pool, for probes, which do not need the schema.
    pub(crate) fn pool(&self) -> &Database {
        &self.pool
    }
}

/// Returns the database that the settings name, without connecting to it.
pub(crate) fn open_pool(
    config: &DatabaseConfig,
    max_wait: Duration,
) -> Result<Database, DatabaseError> {
    let url = config.url.as_ref().map(|url| url.reveal().clone());
    let url = url.ok_or_else(|| DatabaseError::Url("DATABASE_URL is not set".to_owned()))?;
    Database::new(DatabaseOptions {
        application_name: "innkeeper-hosting".to_owned(),
        max_wait,
        pooler: config.pooler,
        ..DatabaseOptions::new(url, config.namespace.clone())
    })
}
