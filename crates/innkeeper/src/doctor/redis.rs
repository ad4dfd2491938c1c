//! The Redis in which replicas share limits, if there is one.

use std::time::Duration;

use innkeeper_service::limiter::RedisUrl;

use super::findings::Findings;

/// How long it is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// Asks it for a sign of life; the setting is what names it.
pub(super) async fn look(
    findings: &mut Findings,
    part: &'static str,
    redis: Option<&RedisUrl>,
    setting: &str,
) {
    let Some(redis) = redis else { return };
    match redis.ping(PATIENCE).await {
        Ok(()) => findings.ok(part, "the Redis for shared limits answers"),
        Err(error) => findings.wrong(
            part,
            format!("the Redis for shared limits: {error}"),
            &format!("see that it runs and that {setting} names it"),
        ),
    }
}
