//! Connections to PostgreSQL.
//!
//! There are two kinds. A [pooled](Database::connection) connection belongs to one caller at a time, who
//! may open a transaction on it. The few [shared](Database::shared) connections carry single statements
//! of all requests, pipelined, which is fastest. Behind a connection pooler both work without the session
//! between two transactions.

mod connect;
mod error;
mod examine;
mod limit;
mod options;
mod pooler;
mod rewrite;
mod row;
mod shared;
mod socket;
mod sql;
mod statement;
mod tls;
mod url;
mod wire;

use std::sync::Arc;
use std::sync::Once;
use std::time::Duration;

use deadpool_postgres::{
    Client, ClientWrapper, Hook, HookError, Manager, ManagerConfig, Pool, PoolConfig, PoolError,
    QueueMode, RecyclingMethod, Runtime,
};
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep, timeout};

pub use self::error::{DatabaseError, constraint, explain, is_lost};
pub use self::examine::{ServerInfo, examine};
pub use self::options::DatabaseOptions;
pub use self::pooler::Pooler;
pub use self::row::{Column, FromRow, reads_null};
pub use self::sql::{SqlToken, positional, sql_tokens};
pub use self::statement::{
    Declaration, Executor, Outcome, Parameter, Values, execute, only_row, query, query_one,
    query_opt,
};
pub use crate::{rows, statements};
pub use deadpool_postgres::Transaction;
pub use tokio_postgres::types::{FromSql, ToSql};
pub use tokio_postgres::{Error as RowError, Row};

use self::connect::{Connector, FIRST_RETRY_PAUSE, HANDSHAKE_TIMEOUT, MAX_RETRY_PAUSE};
use self::error::is_full;
use self::limit::Shares;
use self::shared::SharedConnections;

/// How many callers may open a connection at once. Each new connection starts a process on the server, so
/// a burst must not open hundreds at once; callers that wait can take connections that are returned.
const MAX_OPENING: usize = 4;

/// How often a waiting caller checks for a returned connection.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// How often idle and old connections are closed.
const SWEEP_INTERVAL: Duration = Duration::from_secs(15);

/// The same when the number of idle connections is limited.
const LIMITED_SWEEP_INTERVAL: Duration = Duration::from_secs(1);

/// Numbers of connections, for metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolUsage {
    /// Open connections of the pool.
    pub open: usize,
    /// Open connections of the pool that are not in use.
    pub idle: usize,
    /// Callers that wait for a connection.
    pub waiting: usize,
    /// The most open connections of the pool; 0 for no limit.
    pub limit: usize,
    /// The most shared connections, which do not belong to the pool.
    pub shared: usize,
}

/// A connection of the pool, which belongs to one caller at a time.
pub type PooledConnection = Client;

/// A connection that many requests share, for single statements. They are pipelined: sent without waiting for
/// the results of earlier ones.
pub type SharedConnection = Arc<ClientWrapper>;

/// A PostgreSQL database and the connections to it. Cloning is cheap and shares them.
#[derive(Debug, Clone)]
pub struct Database {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    connector: Connector,
    pool: Pool,
    shared: SharedConnections,
    opening: Semaphore,
    sweeper: Once,
    shares: Shares,
    options: DatabaseOptions,
}

impl Database {
    /// Parses the URL, without connecting.
    ///
    /// The URL is `postgres://user:password@host:port/database?…`. A Unix socket is named by its
    /// folder, in the parameter `host=/run/postgresql` or percent-encoded as the host. `sslmode` is one
    /// of
    ///
    /// - `disable`: no encryption,
    /// - `allow`, `prefer` (the default): encryption if the server supports it, any certificate,
    /// - `require`: encryption, any certificate,
    /// - `verify-ca`: encryption, and the certificate must be issued by an authority in the file
    ///   `sslrootcert`, for any host,
    /// - `verify-full`: encryption, and the certificate must be issued for the host by an authority in the
    ///   file `sslrootcert` or, without one or with `sslrootcert=system`, by one that the system trusts.
    ///
    /// These are libpq's modes, also in that `require` with `sslrootcert` means `verify-ca`,
    /// `sslrootcert=system` allows no weaker mode than `verify-full`, and Unix sockets are never encrypted.
    /// Where libpq is weaker or fails, this is stricter: `allow` tries encryption first, and `verify-ca`
    /// without a file means `verify-full`. The default for hosts on a network is libpq's too, with a
    /// warning, because most servers have a certificate that no system trusts.
    ///
    /// `search_path` is ignored in favour of the schema.
    pub fn new(options: DatabaseOptions) -> Result<Self, DatabaseError> {
        let connector = Connector::new(&options)?;
        let manager = Manager::from_connect(
            connector.config().clone(),
            connector.clone(),
            ManagerConfig {
                recycling_method: RecyclingMethod::Fast,
            },
        );
        let shares = Shares::of(options.max_pool_size, options.shared, options.pooler);
        let mut config = PoolConfig::new(shares.pooled);
        // The connection used last is used next, so that surplus connections become idle.
        config.queue_mode = QueueMode::Lifo;
        config.timeouts.create = Some(HANDSHAKE_TIMEOUT);
        let age = options.max_lifetime.unwrap_or(Duration::MAX);
        let pooler = Arc::clone(connector.pooler());
        let pool = Pool::builder(manager)
            .config(config)
            .runtime(Runtime::Tokio1)
            // A connection that is used all the time is never idle during a sweep.
            .pre_recycle(Hook::sync_fn(move |_, metrics| {
                if metrics.age() >= age {
                    Err(HookError::message("the connection is too old"))
                } else if pooler.is_outdated(metrics.age()) {
                    Err(HookError::message("the connection depends on its session"))
                } else {
                    Ok(())
                }
            }))
            .build()
            .map_err(|error| DatabaseError::Unavailable(error.to_string()))?;
        Ok(Self {
            inner: Arc::new(Inner {
                shared: SharedConnections::new(connector.clone(), shares, age),
                connector,
                pool,
                opening: Semaphore::new(MAX_OPENING),
                sweeper: Once::new(),
                shares,
                options,
            }),
        })
    }

    /// The schema in the search path of each connection.
    pub fn schema(&self) -> &str {
        &self.inner.options.schema
    }

    /// Returns a pooled connection, which goes back to the pool when it is dropped.
    ///
    /// Whether it is open is known without a round trip to the server. While the pool or the server is
    /// full this waits, at most for [`DatabaseOptions::max_wait`].
    pub async fn connection(&self) -> Result<PooledConnection, DatabaseError> {
        self.sweep();
        if let Ok(connection) = timeout(self.inner.options.max_wait, self.borrow()).await {
            return connection;
        }
        Err(DatabaseError::Unavailable(
            "no connection became free in time".to_owned(),
        ))
    }

    /// Returns a shared connection, for a single statement. It must not be used for a transaction or a
    /// slow statement, because the statements of others wait behind it.
    pub async fn shared(&self) -> Result<SharedConnection, DatabaseError> {
        let make_room = || self.close_idle();
        self.inner
            .shared
            .get(self.inner.options.max_wait, &make_room)
            .await
    }

    /// Opens a connection outside the pool, which is closed when it is dropped. It counts for the limit like
    /// every other.
    pub async fn connect_once(&self) -> Result<tokio_postgres::Client, DatabaseError> {
        let connector = &self.inner.connector;
        if connector.is_at_limit() {
            self.close_idle();
        }
        let wait = self.inner.options.max_wait;
        let (client, _task) = connector.connect_with_retry(wait).await?;
        Ok(client)
    }

    /// Checks that the server responds.
    pub async fn ping(&self) -> Result<(), DatabaseError> {
        let connection = self.shared().await?;
        connection.simple_query("select 1").await?;
        Ok(())
    }

    /// Returns the current numbers of connections.
    pub fn usage(&self) -> PoolUsage {
        let status = self.inner.pool.status();
        PoolUsage {
            open: status.size,
            idle: status.available,
            waiting: status.waiting,
            limit: self.max_pooled().unwrap_or_default(),
            shared: self.inner.shared.count(),
        }
    }

    /// Returns how many pooled connections there may be; `None` for any number.
    pub fn max_pooled(&self) -> Option<usize> {
        (self.inner.options.max_pool_size > 0).then_some(self.inner.shares.pooled)
    }

    /// Closes the pool: connections are closed as they are returned.
    pub fn close(&self) {
        self.inner.pool.close();
        self.inner.shared.close();
    }

    async fn borrow(&self) -> Result<Client, DatabaseError> {
        if self.has_idle()
            && let Some(connection) = self.try_borrow().await?
        {
            return Ok(connection);
        }
        let _permit = self.inner.opening.acquire().await;
        let mut pause = FIRST_RETRY_PAUSE;
        loop {
            if let Some(connection) = self.try_borrow().await? {
                return Ok(connection);
            }
            let until = Instant::now() + pause;
            while Instant::now() < until && !self.has_idle() {
                sleep(POLL_INTERVAL).await;
            }
            pause = MAX_RETRY_PAUSE.min(pause * 2);
        }
    }

    /// Takes an idle connection or opens one; `None` when the server is full or the limit is reached.
    async fn try_borrow(&self) -> Result<Option<Client>, DatabaseError> {
        match self.inner.pool.get().await {
            Ok(connection) => Ok(Some(connection)),
            Err(PoolError::Backend(error)) if is_full(&error) => Ok(None),
            Err(PoolError::Backend(error)) => Err(DatabaseError::unreachable(&error)),
            Err(error) => Err(DatabaseError::Unavailable(error.to_string())),
        }
    }

    /// Closes the pooled connection that has been idle for longest. Returns whether there was one.
    fn close_idle(&self) -> bool {
        let mut is_closed = false;
        self.inner
            .pool
            .retain(|_, _| std::mem::replace(&mut is_closed, true));
        is_closed
    }

    fn has_idle(&self) -> bool {
        self.inner.pool.status().available > 0
    }

    /// Starts, once, the task that closes idle and old connections. It ends with the pool.
    fn sweep(&self) {
        self.inner.sweeper.call_once(|| {
            let pool = self.inner.pool.weak();
            let idle = self.inner.options.max_idle_time;
            let age = self.inner.options.max_lifetime.unwrap_or(Duration::MAX);
            let (interval, max_idle) = match self.inner.options.max_idle {
                0 => (SWEEP_INTERVAL, usize::MAX),
                max_idle => (LIMITED_SWEEP_INTERVAL, max_idle),
            };
            let interval = interval.min(idle).min(age).max(POLL_INTERVAL);
            tokio::spawn(async move {
                while let Some(pool) = pool.upgrade() {
                    // The pool visits the connections used last at the end.
                    let mut excess = pool.status().available.saturating_sub(max_idle);
                    pool.retain(|_, metrics| {
                        let is_fresh = metrics.last_used() < idle && metrics.age() < age;
                        let is_closed = !is_fresh || excess > 0;
                        excess = excess.saturating_sub(usize::from(is_closed));
                        !is_closed
                    });
                    drop(pool);
                    sleep(interval).await;
                }
            });
        });
    }
}
