//! Limits that replicas share: counted in Redis or Valkey, and in this process while that is away.

mod redis;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use innkeeper_rest::BoxError;
use innkeeper_rest::filter::{Decision, LimitKey, Limiter, LocalLimiter, Quota};

use crate::clock::Clock;
use redis::Redis;

/// Where a Redis or Valkey is: `redis://`, `rediss://` for TLS, or `unix://` for a socket.
#[derive(Clone)]
pub struct RedisUrl(Arc<::redis::Client>);

impl RedisUrl {
    /// Reads an address, or says what is wrong with it. Nothing is connected.
    pub fn parse(text: &str) -> Result<Self, String> {
        let expected = "must start with redis://, rediss:// or unix://";
        let scheme = text.trim().split_once("://").map(|(scheme, _)| scheme);
        let known = ["redis", "rediss", "unix", "redis+unix", "valkey", "valkeys"];
        if !scheme.is_some_and(|scheme| known.contains(&scheme)) {
            return Err(expected.to_owned());
        }
        ::redis::Client::open(text.trim())
            .map(|client| Self(Arc::new(client)))
            // The error may show the address, and the address a password.
            .map_err(|_| "is no address of a Redis".to_owned())
    }

    /// Asks for a sign of life, or says why there is none.
    pub async fn ping(&self, patience: Duration) -> Result<(), String> {
        let asked = async {
            let mut connection = self.0.get_multiplexed_async_connection().await?;
            ::redis::cmd("PING")
                .query_async::<()>(&mut connection)
                .await
        };
        match tokio::time::timeout(patience, asked).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err("no answer in time".to_owned()),
        }
    }
}

impl fmt::Debug for RedisUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RedisUrl(…)")
    }
}

/// Where limits are counted.
#[derive(Debug, Clone)]
pub struct LimiterOptions {
    /// What replicas share, if they share something.
    pub redis: Option<RedisUrl>,
    /// How long it may take to answer, or to accept a connection.
    pub timeout: Duration,
    /// What the names of the keys in it begin with.
    pub prefix: String,
}

impl LimiterOptions {
    /// In this process alone.
    pub fn local() -> Self {
        Self {
            redis: None,
            timeout: Duration::from_millis(250),
            prefix: "innkeeper:".to_owned(),
        }
    }
}

/// Counts requests for all replicas, if there is a store that they share.
///
/// While the store is away each replica counts by itself, so a limit is at worst as many times as high
/// as there are replicas, and no request fails or waits longer than the time-out. A store that failed is
/// asked again after a second.
pub struct SharedLimiter {
    local: LocalLimiter,
    redis: Option<Redis>,
}

impl SharedLimiter {
    /// A limiter that has counted nothing yet, and connects when it first counts.
    pub fn new(options: LimiterOptions, clock: &Clock) -> Self {
        let redis = options
            .redis
            .map(|url| Redis::new(url.0, options.timeout, options.prefix));
        let mut local = LocalLimiter::new();
        if !clock.is_system() {
            let clock = clock.clone();
            local = local.with_clock(move || clock.instant());
        }
        Self { local, redis }
    }
}

impl Limiter for SharedLimiter {
    async fn check(&self, key: &str, quota: Quota) -> Result<Decision, BoxError> {
        if let Some(redis) = &self.redis
            && let Some(decision) = redis.count(key, quota).await
        {
            return Ok(decision);
        }
        self.local.check(key, quota).await
    }

    fn check_now(&self, key: &LimitKey<'_>, quota: Quota) -> Option<Decision> {
        match self.redis {
            Some(_) => None,
            None => self.local.check_now(key, quota),
        }
    }
}

impl fmt::Debug for SharedLimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedLimiter")
            .field("shared", &self.redis.is_some())
            .field("local", &self.local)
            .finish()
    }
}

#[cfg(test)]
mod tests;
