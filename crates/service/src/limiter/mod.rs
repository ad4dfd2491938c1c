//! Rate limits that replicas share in Redis or Valkey. While that is down, each replica counts by itself.

mod redis;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use innkeeper_rest::BoxError;
use innkeeper_rest::filter::{Decision, LimitKey, Limiter, LocalLimiter, Quota};

use crate::clock::Clock;
use redis::RedisStore;

/// The URL of a Redis or Valkey: `redis://`, `rediss://` for TLS, or `unix://` for a socket.
#[derive(Clone)]
pub struct RedisUrl(Arc<::redis::Client>);

impl RedisUrl {
    /// Parses a URL, without connecting. The error is the end of a sentence about the setting.
    pub fn parse(text: &str) -> Result<Self, String> {
        let expected = "must start with redis://, rediss:// or unix://";
        let scheme = text.trim().split_once("://").map(|(scheme, _)| scheme);
        let known = ["redis", "rediss", "unix", "redis+unix", "valkey", "valkeys"];
        if !scheme.is_some_and(|scheme| known.contains(&scheme)) {
            return Err(expected.to_owned());
        }
        ::redis::Client::open(text.trim())
            .map(|client| Self(Arc::new(client)))
            // The library's error may show the URL, which may hold a password.
            .map_err(|_| "is not a valid Redis URL".to_owned())
    }

    /// Checks that the server responds in time.
    pub async fn ping(&self, timeout: Duration) -> Result<(), String> {
        let ping = async {
            let mut connection = self.0.get_multiplexed_async_connection().await?;
            ::redis::cmd("PING")
                .query_async::<()>(&mut connection)
                .await
        };
        match tokio::time::timeout(timeout, ping).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err("no response in time".to_owned()),
        }
    }
}

impl fmt::Debug for RedisUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RedisUrl(…)")
    }
}

/// The options of a [`SharedLimiter`].
#[derive(Debug, Clone)]
pub struct LimiterOptions {
    /// The store that replicas share; `None` counts in this process only.
    pub redis: Option<RedisUrl>,
    /// The time-out of a connection and of a request to the store.
    pub timeout: Duration,
    /// The prefix of all keys in the store.
    pub prefix: String,
}

impl LimiterOptions {
    /// Options for counting in this process only.
    pub fn local() -> Self {
        Self {
            redis: None,
            timeout: Duration::from_millis(250),
            prefix: "innkeeper:".to_owned(),
        }
    }
}

/// A rate limiter that counts the requests of all replicas, if they share a store.
///
/// While the store is down, each replica counts by itself: a limit is then at most multiplied by the number
/// of replicas, and no request fails or waits longer than the time-out. After a failure the store is tried
/// again a second later.
pub struct SharedLimiter {
    local: LocalLimiter,
    redis: Option<RedisStore>,
}

impl SharedLimiter {
    /// Creates a limiter, which connects at the first request.
    pub fn new(options: LimiterOptions, clock: &Clock) -> Self {
        let redis = options
            .redis
            .map(|url| RedisStore::new(url.0, options.timeout, options.prefix));
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
