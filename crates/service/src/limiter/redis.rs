//! Counts requests in Redis, and handles the loss of the connection.

use std::fmt::Display;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use innkeeper_rest::filter::{Decision, Quota};
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, Script};
use tokio::time::timeout;

/// How long a store that failed is not tried again.
const RETRY_PAUSE: Duration = Duration::from_secs(1);
/// Longer keys are hashed, because clients choose the length of some of them.
const MAX_KEY: usize = 100;

/// The store that replicas share.
pub(super) struct RedisStore {
    client: Arc<Client>,
    timeout: Duration,
    prefix: String,
    script: Script,
    link: Mutex<RedisLink>,
}

/// The connection that all requests share.
struct RedisLink {
    connection: Option<MultiplexedConnection>,
    /// The time of the next attempt to connect. A request that connects postpones it first, so that only
    /// one request at a time tries and the others do not wait for it.
    retry_at: Option<Instant>,
    /// Whether the failure of the store was logged.
    is_failure_logged: bool,
}

impl RedisStore {
    pub(super) fn new(client: Arc<Client>, timeout: Duration, prefix: String) -> Self {
        Self {
            client,
            timeout,
            prefix,
            script: Script::new(include_str!("take.lua")),
            link: Mutex::new(RedisLink {
                connection: None,
                retry_at: None,
                is_failure_logged: false,
            }),
        }
    }

    /// Counts a request; returns `None` while the store is down.
    pub(super) async fn count(&self, key: &str, quota: Quota) -> Option<Decision> {
        let mut connection = self.connection().await?;
        let interval = quota.interval().as_secs_f64() * 1e6;
        let mut call = self.script.key(self.redis_key(key));
        call.arg(interval).arg(quota.burst());
        let response = timeout(
            self.timeout,
            call.invoke_async::<(u8, u64)>(&mut connection),
        );
        match response.await {
            Ok(Ok((allowed, owed))) => {
                self.note_success();
                let owed = Duration::from_micros(owed);
                Some(Decision::of(quota, allowed == 1, owed))
            }
            Ok(Err(error)) => self.note_failure(&error),
            Err(_) => self.note_failure(&"no response in time"),
        }
    }

    /// Returns the connection. The first request after a pause opens it.
    async fn connection(&self) -> Option<MultiplexedConnection> {
        {
            let mut link = self.link();
            if let Some(connection) = &link.connection {
                return Some(connection.clone());
            }
            let now = Instant::now();
            if link.retry_at.is_some_and(|at| now < at) {
                return None;
            }
            link.retry_at = now.checked_add(RETRY_PAUSE.max(self.timeout));
        }
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(self.timeout))
            .set_response_timeout(Some(self.timeout));
        let connecting = self
            .client
            .get_multiplexed_async_connection_with_config(&config);
        match timeout(self.timeout, connecting).await {
            Ok(Ok(connection)) => {
                self.link().connection = Some(connection.clone());
                Some(connection)
            }
            Ok(Err(error)) => self.note_failure(&error),
            Err(_) => self.note_failure(&"no connection in time"),
        }
    }

    fn redis_key(&self, key: &str) -> String {
        if key.len() <= MAX_KEY {
            return format!("{}{key}", self.prefix);
        }
        let hash = URL_SAFE_NO_PAD.encode(digest(&SHA256, key.as_bytes()));
        format!("{}{hash}", self.prefix)
    }

    /// Drops the connection, postpones the next attempt and logs the first failure. Returns `None`.
    fn note_failure<T>(&self, cause: &impl Display) -> Option<T> {
        let mut link = self.link();
        link.connection = None;
        link.retry_at = Instant::now().checked_add(RETRY_PAUSE);
        if !link.is_failure_logged {
            link.is_failure_logged = true;
            tracing::warn!(%cause, "the shared rate limit store is down; this replica counts by itself");
        }
        None
    }

    fn note_success(&self) {
        let mut link = self.link();
        if link.is_failure_logged {
            link.is_failure_logged = false;
            tracing::info!("the shared rate limit store is back");
        }
    }

    fn link(&self) -> MutexGuard<'_, RedisLink> {
        // A panic while it is locked leaves no half-made change, so a poisoned lock is fine.
        self.link.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
