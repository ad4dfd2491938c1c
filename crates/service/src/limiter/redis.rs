//! The connection to the store, and what happens when it is lost.

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

/// How long a store that failed is left alone.
const PAUSE: Duration = Duration::from_secs(1);
/// Longer keys are hashed: some of them are what a client wrote into a header.
const LONGEST_KEY: usize = 100;

pub(super) struct Redis {
    client: Arc<Client>,
    timeout: Duration,
    prefix: String,
    script: Script,
    line: Mutex<Line>,
}

/// The connection that all requests share.
struct Line {
    connection: Option<MultiplexedConnection>,
    /// When somebody may try to connect. Whoever tries moves it on first, so that one request at a time
    /// tries and the others do not wait for it.
    try_at: Option<Instant>,
    /// Whether the log says that it is away.
    is_reported: bool,
}

impl Redis {
    pub(super) fn new(client: Arc<Client>, timeout: Duration, prefix: String) -> Self {
        Self {
            client,
            timeout,
            prefix,
            script: Script::new(include_str!("take.lua")),
            line: Mutex::new(Line {
                connection: None,
                try_at: None,
                is_reported: false,
            }),
        }
    }

    /// Counts a request; none while the store is away.
    pub(super) async fn count(&self, key: &str, quota: Quota) -> Option<Decision> {
        let mut connection = self.connection().await?;
        let interval = quota.interval().as_secs_f64() * 1e6;
        let mut call = self.script.key(self.name(key));
        call.arg(interval).arg(quota.burst());
        let answer = timeout(
            self.timeout,
            call.invoke_async::<(u8, u64)>(&mut connection),
        );
        match answer.await {
            Ok(Ok((allowed, owed))) => {
                self.is_back();
                let owed = Duration::from_micros(owed);
                Some(Decision::of(quota, allowed == 1, owed))
            }
            Ok(Err(error)) => self.is_away(&error),
            Err(_) => self.is_away(&"no answer in time"),
        }
    }

    /// The connection; the first request after a pause makes one.
    async fn connection(&self) -> Option<MultiplexedConnection> {
        {
            let mut line = self.line();
            if let Some(connection) = &line.connection {
                return Some(connection.clone());
            }
            let now = Instant::now();
            if line.try_at.is_some_and(|at| now < at) {
                return None;
            }
            line.try_at = now.checked_add(PAUSE.max(self.timeout));
        }
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(self.timeout))
            .set_response_timeout(Some(self.timeout));
        let connecting = self
            .client
            .get_multiplexed_async_connection_with_config(&config);
        match timeout(self.timeout, connecting).await {
            Ok(Ok(connection)) => {
                self.line().connection = Some(connection.clone());
                Some(connection)
            }
            Ok(Err(error)) => self.is_away(&error),
            Err(_) => self.is_away(&"no connection in time"),
        }
    }

    fn name(&self, key: &str) -> String {
        if key.len() <= LONGEST_KEY {
            return format!("{}{key}", self.prefix);
        }
        let hash = URL_SAFE_NO_PAD.encode(digest(&SHA256, key.as_bytes()));
        format!("{}{hash}", self.prefix)
    }

    /// Leaves the store alone for a while, and says so once.
    fn is_away<T>(&self, cause: &impl Display) -> Option<T> {
        let mut line = self.line();
        line.connection = None;
        line.try_at = Instant::now().checked_add(PAUSE);
        if !line.is_reported {
            line.is_reported = true;
            tracing::warn!(%cause, "the shared store of limits is away; this replica counts by itself");
        }
        None
    }

    fn is_back(&self) {
        let mut line = self.line();
        if line.is_reported {
            line.is_reported = false;
            tracing::info!("the shared store of limits is back");
        }
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        // Every change is complete before the next starts, so a panic elsewhere spoils nothing.
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
