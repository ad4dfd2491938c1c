//! Checks the Redis in which replicas share rate limits.

use std::time::Duration;

use innkeeper_service::limiter::RedisUrl;

use super::findings::Findings;

const TIMEOUT: Duration = Duration::from_secs(10);

/// Pings the Redis that a setting names, if it names one.
pub(super) async fn check(
    findings: &mut Findings,
    part: &'static str,
    redis: Option<&RedisUrl>,
    setting: &str,
) {
    let Some(redis) = redis else { return };
    match redis.ping(TIMEOUT).await {
        Ok(()) => findings.ok(part, "the Redis for shared rate limits responds"),
        Err(error) => findings.problem(
            part,
            format!("the Redis for shared rate limits: {error}"),
            &format!("check that it runs and that {setting} is correct"),
        ),
    }
}
