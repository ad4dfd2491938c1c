//! Tests with a real Redis.

use std::time::{Duration, Instant};

use innkeeper_rest::filter::{Decision, Limiter, Quota};

use super::{LimiterOptions, RedisUrl, SharedLimiter};
use crate::clock::Clock;
use crate::testing::{TestRedis, eventually};

/// Creates the limiter of a replica, with a long time-out for busy machines.
fn replica(redis: &TestRedis) -> SharedLimiter {
    let options = LimiterOptions {
        redis: Some(RedisUrl::parse(&redis.url()).unwrap()),
        timeout: Duration::from_mins(1),
        ..LimiterOptions::local()
    };
    SharedLimiter::new(options, &Clock::system())
}

async fn ask(limiter: &SharedLimiter, key: &str, quota: Quota) -> Decision {
    limiter.check(key, quota).await.unwrap()
}

#[tokio::test]
async fn replicas_share_what_is_left() {
    let redis = TestRedis::start().await.unwrap();
    let (one, other) = (replica(&redis), replica(&redis));
    let quota = Quota::per_hour(3);
    for (limiter, remaining) in [(&one, 2), (&other, 1), (&one, 0)] {
        let decision = ask(limiter, "ada", quota).await;
        assert_eq!((decision.allowed, decision.remaining), (true, remaining));
    }
    for limiter in [&one, &other] {
        let decision = ask(limiter, "ada", quota).await;
        assert_eq!((decision.allowed, decision.remaining), (false, 0));
        let minutes = decision.more_in.as_secs() / 60;
        assert!((10..=20).contains(&minutes), "{decision:?}");
        assert!(ask(limiter, "bob", quota).await.allowed);
    }
}

#[tokio::test]
async fn the_store_forgets_keys_whose_quota_is_whole_again() {
    let redis = TestRedis::start().await.unwrap();
    let limiter = replica(&redis);
    assert!(
        ask(&limiter, "quick", Quota::per_second(1000))
            .await
            .allowed
    );
    assert!(ask(&limiter, "slow", Quota::per_hour(10)).await.allowed);
    let client = redis::Client::open(redis.url()).unwrap();
    let mut connection = client.get_multiplexed_async_connection().await.unwrap();
    eventually("the quick key is forgotten", async || {
        let keys: Vec<String> = redis::cmd("KEYS")
            .arg("*")
            .query_async(&mut connection)
            .await
            .unwrap();
        if keys == ["innkeeper:slow"] {
            Ok(())
        } else {
            Err(keys)
        }
    })
    .await;
    let left: i64 = redis::cmd("TTL")
        .arg("innkeeper:slow")
        .query_async(&mut connection)
        .await
        .unwrap();
    assert!((1..=360).contains(&left), "{left}");
}

#[tokio::test]
async fn a_flood_at_once_gets_no_more_than_the_quota() {
    let redis = TestRedis::start().await.unwrap();
    let replicas = [replica(&redis), replica(&redis)];
    let quota = Quota::per_hour(20);
    for limiter in &replicas {
        assert!(ask(limiter, "first", quota).await.allowed);
    }
    let asked = (0..100).map(|number| ask(&replicas[number % 2], "flood", quota));
    let allowed = futures_util::future::join_all(asked).await;
    assert_eq!(allowed.iter().filter(|it| it.allowed).count(), 20);
}

#[tokio::test]
async fn without_the_store_each_replica_counts_by_itself_and_the_store_is_found_again() {
    let mut redis = TestRedis::start().await.unwrap();
    let (one, other) = (replica(&redis), replica(&redis));
    let quota = Quota::per_hour(1);
    assert!(ask(&one, "ada", quota).await.allowed);
    assert!(!ask(&other, "ada", quota).await.allowed);
    redis.kill().unwrap();
    for limiter in [&one, &other] {
        assert!(ask(limiter, "ada", quota).await.allowed);
        assert!(!ask(limiter, "ada", quota).await.allowed);
    }
    redis.resume().await.unwrap();
    // The restarted store is empty, so the first request that reaches it is allowed.
    let is_allowed = async || ask(&one, "ada", quota).await.allowed;
    eventually("the store is found again", is_allowed).await;
    let mut attempts = 0;
    eventually("both count together", async || {
        attempts += 1;
        // This would be allowed if the other replica counted by itself.
        let key = format!("eve-{attempts}");
        assert!(ask(&one, &key, quota).await.allowed);
        !ask(&other, &key, quota).await.allowed
    })
    .await;
}

#[tokio::test]
async fn a_store_that_is_silent_costs_one_time_out_and_not_one_per_request() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    silent.set_nonblocking(true).unwrap();
    let url = format!("redis://{}", silent.local_addr().unwrap());
    let options = LimiterOptions {
        redis: Some(RedisUrl::parse(&url).unwrap()),
        timeout: Duration::from_millis(900),
        ..LimiterOptions::local()
    };
    let limiter = SharedLimiter::new(options, &Clock::system());
    let start = Instant::now();
    assert!(ask(&limiter, "ada", Quota::per_hour(1)).await.allowed);
    let first = start.elapsed();
    assert!(first >= Duration::from_millis(900), "{first:?}");
    for _ in 0..100 {
        assert!(!ask(&limiter, "ada", Quota::per_hour(1)).await.allowed);
    }
    // The following requests do not wait, except one of them a second after each failure, which tries the store again.
    let tries = silent.incoming().map_while(Result::ok).count();
    let seconds = usize::try_from(start.elapsed().as_secs()).unwrap();
    assert!((1..=1 + seconds).contains(&tries), "{tries} in {seconds} s");
}

#[tokio::test]
async fn a_store_that_cannot_be_reached_is_one_that_is_away() {
    for url in [
        "rediss://127.0.0.1:1",
        "redis://user:secret@127.0.0.1:1/5",
        "unix:///nowhere",
    ] {
        let options = LimiterOptions {
            redis: Some(RedisUrl::parse(url).unwrap()),
            ..LimiterOptions::local()
        };
        let limiter = SharedLimiter::new(options, &Clock::system());
        assert!(
            ask(&limiter, "ada", Quota::per_hour(1)).await.allowed,
            "{url}"
        );
        assert!(
            !ask(&limiter, "ada", Quota::per_hour(1)).await.allowed,
            "{url}"
        );
    }
}

#[test]
fn addresses_that_are_none_are_refused_without_showing_a_password() {
    for url in [
        "",
        "localhost:6379",
        "http://localhost",
        "redis://:secret@host:port",
    ] {
        let fault = RedisUrl::parse(url).unwrap_err();
        assert!(!fault.contains("secret"), "{fault}");
    }
    let url = RedisUrl::parse("redis://:secret@localhost:6379").unwrap();
    assert!(!format!("{url:?}").contains("secret"));
}

#[tokio::test]
async fn keys_that_clients_make_long_stay_apart() {
    let redis = TestRedis::start().await.unwrap();
    let limiter = replica(&redis);
    let long = "x".repeat(5000);
    let quota = Quota::per_hour(1);
    assert!(ask(&limiter, &format!("{long}1"), quota).await.allowed);
    assert!(ask(&limiter, &format!("{long}2"), quota).await.allowed);
    assert!(!ask(&limiter, &format!("{long}1"), quota).await.allowed);
}
