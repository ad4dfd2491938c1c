//! Connections to PostgreSQL.
//!
//! There are two kinds. A [pooled](Database::connection) one belongs to its borrower, who may open a
//! transaction on it. The few [shared](Database::shared) ones carry the single statements of the hot
//! paths of all requests, one behind the other without waiting in between, which costs the least.

mod connect;
mod error;
mod examine;
mod shared;
mod tls;
mod url;

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
pub use self::examine::{Examination, examine};

use self::connect::{Connector, HANDSHAKE};
use self::error::is_full;
use self::shared::SharedConnections;
use crate::secret::Secret;

/// How many connections a pool without a limit of its own may hold. PostgreSQL's own limit is far
/// below on any sane server; a request that meets it waits.
const UNLIMITED: usize = 1024;

/// How many borrowers may look for or open a connection at once when none is idle. Opening starts a
/// process on the server; a burst must not start hundreds at once, and those who wait can take what
/// others give back.
const OPENING: usize = 4;

/// How often someone who waits looks whether a connection was given back.
const LOOK: Duration = Duration::from_millis(5);

/// The pause after the server's first refusal for want of room, doubled each time.
const FIRST_PAUSE: Duration = Duration::from_millis(25);

/// The longest pause between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_millis(400);

/// How often idle connections are looked at.
const SWEEP: Duration = Duration::from_secs(15);

/// How often, when only so many may stand idle.
const COUNT: Duration = Duration::from_secs(1);

/// What a [`Database`] needs to know.
#[derive(Debug, Clone)]
pub struct DatabaseOptions {
    /// A `postgres://` URL; see [`Database::new`] for what it may hold.
    pub url: Secret<String>,
    /// The schema that names without one mean.
    pub schema: String,
    /// How many pooled connections there may be; 0 lets their number grow with the demand.
    pub max_pool_size: usize,
    /// How many shared connections there are, at least one.
    pub shared: usize,
    /// What `pg_stat_activity` shows.
    pub application_name: String,
    /// How long a pooled connection may stand idle before it is closed; [`Duration::MAX`] for ever.
    pub max_idle_time: Duration,
    /// How many pooled connections may stand idle for longer than a moment; 0 for any number.
    pub max_idle: usize,
    /// How old a connection may grow before it is replaced; `None` for no limit. Whoever uses it at
    /// that moment may go on.
    pub max_lifetime: Option<Duration>,
    /// How long a borrower waits for a connection when there is no room for one more.
    pub max_wait: Duration,
}

impl DatabaseOptions {
    /// Options for a database and a schema in it, everything else as it suits most.
    pub fn new(url: impl Into<String>, schema: impl Into<String>) -> Self {
        Self {
            url: Secret::new(url.into()),
            schema: schema.into(),
            max_pool_size: 0,
            shared: 2,
            application_name: "innkeeper".to_owned(),
            max_idle_time: Duration::from_mins(5),
            max_idle: 0,
            max_lifetime: None,
            max_wait: Duration::from_secs(30),
        }
    }
}

/// How the connections to a database are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Connections of the pool that are open.
    pub open: usize,
    /// Those of them that nobody uses.
    pub idle: usize,
    /// Callers that wait for one.
    pub waiting: usize,
    /// How many may be open; 0 is no limit.
    pub limit: usize,
    /// Connections that many requests use at once, beside the pool.
    pub shared: usize,
}

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
    options: DatabaseOptions,
}

impl Database {
    /// Reads the URL; does not connect.
    ///
    /// The URL is `postgres://user:password@host:port/database?…`. A Unix socket is named by its
    /// folder, as `host=/run/postgresql` among the parameters or percent-encoded in the host's place.
    /// `sslmode` is one of
    ///
    /// - `disable`: no encryption,
    /// - `allow`, `prefer` (the default): encrypted if the server can, any certificate,
    /// - `require`: encrypted or not at all, any certificate,
    /// - `verify-ca`, `verify-full`: encrypted, and the certificate must be issued for the host by an
    ///   authority that the system trusts, or by one in the file that `sslrootcert` names; with
    ///   `verify-ca` and such a file the host's name does not matter.
    ///
    /// As with PostgreSQL's own library, `require` together with `sslrootcert` means `verify-ca`, and
    /// Unix sockets are never encrypted. `search_path` is ignored in favour of the schema.
    pub fn new(options: DatabaseOptions) -> Result<Self, DatabaseError> {
        let connector = Connector::new(&options)?;
        let manager = Manager::from_connect(
            connector.config().clone(),
            connector.clone(),
            ManagerConfig {
                recycling_method: RecyclingMethod::Fast,
            },
        );
        let max_size = match options.max_pool_size {
            0 => UNLIMITED,
            limit => limit,
        };
        let mut config = PoolConfig::new(max_size);
        // The connection used last is used next, so that those beyond the need grow idle.
        config.queue_mode = QueueMode::Lifo;
        config.timeouts.create = Some(HANDSHAKE);
        let age = options.max_lifetime.unwrap_or(Duration::MAX);
        let pool = Pool::builder(manager)
            .config(config)
            .runtime(Runtime::Tokio1)
            // One that is lent again and again is never idle when the old ones are looked for.
            .pre_recycle(Hook::sync_fn(move |_, metrics| {
                if metrics.age() < age {
                    Ok(())
                } else {
                    Err(HookError::message("the connection is old"))
                }
            }))
            .build()
            .map_err(|error| DatabaseError::Unavailable(error.to_string()))?;
        Ok(Self {
            inner: Arc::new(Inner {
                shared: SharedConnections::new(connector.clone(), options.shared, age),
                connector,
                pool,
                opening: Semaphore::new(OPENING),
                sweeper: Once::new(),
                options,
            }),
        })
    }

    /// The schema that names without one mean.
    pub fn schema(&self) -> &str {
        &self.inner.options.schema
    }

    /// A connection of one's own, given back when dropped.
    ///
    /// That it is open is known without asking the server. When there is no room for one more, here
    /// or on the server, this waits, at most as long as the options say.
    pub async fn connection(&self) -> Result<Client, DatabaseError> {
        self.sweep();
        if let Ok(connection) = timeout(self.inner.options.max_wait, self.borrow()).await {
            return connection;
        }
        Err(DatabaseError::Unavailable(
            "no connection became free in time".to_owned(),
        ))
    }

    /// One of the shared connections, for a single statement. It must not be used for a transaction,
    /// or for anything slow: others wait behind it.
    pub async fn shared(&self) -> Result<Arc<ClientWrapper>, DatabaseError> {
        self.inner.shared.get(self.inner.options.max_wait).await
    }

    /// A new connection outside the pool, closed when dropped.
    pub async fn connect_once(&self) -> Result<tokio_postgres::Client, DatabaseError> {
        let (client, _task) = self
            .inner
            .connector
            .connect_patiently(self.inner.options.max_wait)
            .await?;
        Ok(client)
    }

    /// Asks the server for a sign of life.
    pub async fn ping(&self) -> Result<(), DatabaseError> {
        let connection = self.shared().await?;
        connection.simple_query("select 1").await?;
        Ok(())
    }

    /// How the connections are used at the moment.
    pub fn usage(&self) -> Usage {
        let status = self.inner.pool.status();
        Usage {
            open: status.size,
            idle: status.available,
            waiting: status.waiting,
            limit: self.inner.options.max_pool_size,
            shared: self.inner.options.shared,
        }
    }

    /// Closes the pool: connections end as they are given back.
    pub fn close(&self) {
        self.inner.pool.close();
        self.inner.shared.close();
    }

    async fn borrow(&self) -> Result<Client, DatabaseError> {
        if self.has_idle()
            && let Some(connection) = self.attempt().await?
        {
            return Ok(connection);
        }
        let _turn = self.inner.opening.acquire().await;
        let mut pause = FIRST_PAUSE;
        loop {
            if let Some(connection) = self.attempt().await? {
                return Ok(connection);
            }
            let until = Instant::now() + pause;
            while Instant::now() < until && !self.has_idle() {
                sleep(LOOK).await;
            }
            pause = LONGEST_PAUSE.min(pause * 2);
        }
    }

    /// Takes or opens a connection; `None` when the server has no room for one more.
    async fn attempt(&self) -> Result<Option<Client>, DatabaseError> {
        match self.inner.pool.get().await {
            Ok(connection) => Ok(Some(connection)),
            Err(PoolError::Backend(error)) if is_full(&error) => Ok(None),
            Err(PoolError::Backend(error)) => Err(DatabaseError::unreachable(&error)),
            Err(error) => Err(DatabaseError::Unavailable(error.to_string())),
        }
    }

    fn has_idle(&self) -> bool {
        self.inner.pool.status().available > 0
    }

    /// Starts, once, the task that closes connections that are idle or old. It ends with the pool.
    fn sweep(&self) {
        self.inner.sweeper.call_once(|| {
            let pool = self.inner.pool.weak();
            let idle = self.inner.options.max_idle_time;
            let age = self.inner.options.max_lifetime.unwrap_or(Duration::MAX);
            let (often, most) = match self.inner.options.max_idle {
                0 => (SWEEP, usize::MAX),
                most => (COUNT, most),
            };
            let every = often.min(idle).min(age).max(LOOK);
            tokio::spawn(async move {
                while let Some(pool) = pool.upgrade() {
                    // Those used last are looked at last.
                    let mut excess = pool.status().available.saturating_sub(most);
                    pool.retain(|_, metrics| {
                        let stays = metrics.last_used() < idle && metrics.age() < age;
                        let closed = !stays || excess > 0;
                        excess = excess.saturating_sub(usize::from(closed));
                        !closed
                    });
                    drop(pool);
                    sleep(every).await;
                }
            });
        });
    }
}
