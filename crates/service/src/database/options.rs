//! The options of a database.

use std::time::Duration;

use super::pooler::Pooler;
use crate::secret::Secret;

/// The options of a [`Database`](super::Database).
#[derive(Debug, Clone)]
pub struct DatabaseOptions {
    /// A `postgres://` URL; [`Database::new`](super::Database::new) lists its parameters.
    pub url: Secret<String>,
    /// The schema in the search path of each connection.
    pub schema: String,
    /// The most connections, of all kinds together; 0 for no limit. There are never less than two: one for
    /// transactions, one that is shared.
    pub max_pool_size: usize,
    /// The number of shared connections, at least one and at most half of the limit. Behind a pooler there are
    /// four times as many; with a limit only if [`Self::pooler`] says so.
    pub shared: usize,
    /// The name of the connections in `pg_stat_activity`.
    pub application_name: String,
    /// How long a pooled connection may be idle before it is closed; [`Duration::MAX`] for no limit.
    pub max_idle_time: Duration,
    /// The most pooled connections that stay idle for more than a moment; 0 for no limit.
    pub max_idle: usize,
    /// The age at which a connection is replaced; `None` for no limit. A connection in use is replaced
    /// when it is returned.
    pub max_lifetime: Option<Duration>,
    /// How long a caller waits for a connection while the pool or the server is full.
    pub max_wait: Duration,
    /// What stands between this server and PostgreSQL.
    pub pooler: Pooler,
}

impl DatabaseOptions {
    /// Options for a database and a schema in it, with defaults for the rest.
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
            pooler: Pooler::Auto,
        }
    }
}
