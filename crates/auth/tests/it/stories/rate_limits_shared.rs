//! Replicas that share their rate limits in a real Redis.

use innkeeper_auth::config::Config;
use innkeeper_service::limiter::RedisUrl;
use innkeeper_service::testing::TestRedis;
use jiff::SignedDuration;
use serde_json::json;

use crate::support::TestApp;
use crate::support::faults::post_to;

/// Allows two calls of `/otp`, counted in this Redis, with a timeout long enough for a busy machine.
fn shared(config: &mut Config, redis: &TestRedis) {
    config.rate_limit.otp = 2.0;
    config.rate_limit.redis_url = Some(RedisUrl::parse(&redis.url()).unwrap());
    config.rate_limit.redis_timeout = SignedDuration::from_mins(1);
}

#[tokio::test]
async fn two_replicas_have_one_limit() {
    let redis = TestRedis::start().await.unwrap();
    let app = TestApp::with(|config| shared(config, &redis)).await;
    let replica = app.replica().await;
    let ask = async |client| post_to(client, "/otp", &json!({})).await;
    assert_eq!(ask(&app.client).await.status, 400);
    assert_eq!(ask(&replica).await.status, 400);
    for client in [&app.client, &replica] {
        let answer = ask(client).await;
        let wait: u32 = answer.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=150).contains(&wait), "{wait}");
        answer.refused(429, "over_request_rate_limit");
        // Each endpoint has its own limit.
        assert_eq!(post_to(client, "/recover", &json!({})).await.status, 400);
    }
}

#[tokio::test]
async fn when_redis_is_killed_requests_go_on_and_are_still_limited() {
    let mut redis = TestRedis::start().await.unwrap();
    let app = TestApp::with(|config| shared(config, &redis)).await;
    let replica = app.replica().await;
    let ask = async |client| post_to(client, "/otp", &json!({})).await.status;
    assert_eq!([ask(&app.client).await, ask(&replica).await], [400, 400]);
    assert_eq!(ask(&app.client).await, 429);
    redis.kill().unwrap();
    for client in [&app.client, &replica] {
        let mut told = Vec::new();
        for _ in 0..3 {
            told.push(ask(client).await);
        }
        assert_eq!(told, [400, 400, 429]);
    }
}
