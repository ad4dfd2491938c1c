use std::time::Duration;

use super::*;

const SECOND: u64 = 1_000_000_000;

/// Whether a request at this second is allowed, how many remain, and the two waits in seconds.
fn at(seconds: u64, full_at: &mut u64, quota: Quota) -> (bool, u32, f64, f64) {
    let (decision, next) = decide(*full_at, seconds * SECOND, quota);
    *full_at = next;
    (
        decision.allowed,
        decision.remaining,
        decision.more_in.as_secs_f64(),
        decision.whole_in.as_secs_f64(),
    )
}

#[test]
fn a_bucket_empties_at_once_and_fills_one_by_one() {
    let quota = Quota::per_minute(6).with_burst(3);
    let full_at = &mut 0;
    for (seconds, expected) in [
        (0, (true, 2, 10.0, 10.0)),
        (0, (true, 1, 10.0, 20.0)),
        (4, (true, 0, 6.0, 26.0)),
        (5, (false, 0, 5.0, 25.0)),
        (9, (false, 0, 1.0, 21.0)),
        (10, (true, 0, 10.0, 30.0)),
        (10, (false, 0, 10.0, 30.0)),
        (35, (true, 1, 5.0, 15.0)),
        (1000, (true, 2, 10.0, 10.0)),
    ] {
        assert_eq!(at(seconds, full_at, quota), expected, "at {seconds} s");
    }
}

#[test]
fn a_refused_request_costs_nothing() {
    let quota = Quota::per_minute(1);
    let full_at = &mut 0;
    assert!(at(0, full_at, quota).0);
    for seconds in 1..60 {
        assert!(!at(seconds, full_at, quota).0, "at {seconds} s");
    }
    assert!(at(60, full_at, quota).0);
}

#[test]
fn over_any_time_no_more_than_burst_and_refill_get_through() {
    for (quota, expected) in [
        (Quota::per_minute(60), 60 + 600),
        (Quota::per_minute(60).with_burst(1), 601),
        (Quota::per_minute(7).with_burst(3), 3 + 70),
        (Quota::per_hour(10), 10 + 1),
    ] {
        let mut full_at = 0;
        let allowed = (0..=6000).filter(|tenth| {
            let (decision, next) = decide(full_at, tenth * SECOND / 10, quota);
            full_at = next;
            decision.allowed
        });
        assert_eq!(allowed.count(), expected, "{quota:?}");
    }
}

#[test]
fn quotas_that_no_filter_would_accept_do_no_harm() {
    for quota in [
        Quota::per_second(0),
        Quota::new(0, Duration::ZERO),
        Quota::new(u32::MAX, Duration::ZERO),
        Quota::new(1, Duration::MAX),
    ] {
        for now in [0, SECOND, u64::MAX] {
            decide(0, now, quota);
            decide(u64::MAX, now, quota);
        }
    }
}

#[test]
fn keys_that_mean_nothing_any_more_are_forgotten() {
    let mut shard = Shard {
        full_at: HashMap::default(),
        capacity: 10_000,
        sweep_at: SWEEP_MINIMUM,
    };
    let quota = Quota::per_second(10);
    for key in 0..1000 {
        // Each is idle when the next but one comes.
        let now = key * SECOND / 5;
        assert!(shard.take(key, now, quota).allowed);
        assert!(
            shard.full_at.len() <= SWEEP_MINIMUM,
            "{}",
            shard.full_at.len()
        );
    }
}

#[test]
fn a_full_table_forgets_those_who_owe_least() {
    let mut shard = Shard {
        full_at: HashMap::default(),
        capacity: 100,
        sweep_at: SWEEP_MINIMUM,
    };
    let quota = Quota::per_hour(10);
    for _ in 0..10 {
        assert!(shard.take(0, 0, quota).allowed);
    }
    for key in 1..10_000 {
        assert!(shard.take(key, 0, quota).allowed);
        assert!(shard.full_at.len() <= 100);
    }
    assert!(!shard.take(0, 0, quota).allowed, "who owes much");
}

/// Somebody who reads the clock and then waits for the others would be refused by their requests.
#[tokio::test]
async fn the_time_is_that_of_ones_turn() {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, OnceLock};

    let limiter = Arc::new(OnceLock::<LocalLimiter>::new());
    let is_held = Arc::new(AtomicBool::new(false));
    let (seen, told) = (Arc::clone(&limiter), Arc::clone(&is_held));
    let made = LocalLimiter::new().with_clock(move || {
        if let Some(limiter) = seen.get() {
            let is_any = limiter.shards.iter().any(|shard| shard.try_lock().is_err());
            told.store(is_any, Ordering::Relaxed);
        }
        Instant::now()
    });
    limiter.set(made).unwrap();

    let quota = Quota::per_minute(1);
    limiter.get().unwrap().check("ada", quota).await.unwrap();

    assert!(is_held.load(Ordering::Relaxed));
}

#[test]
fn a_quota_that_is_full_again_at_once_refuses_nothing() {
    let limiter = LocalLimiter::new();
    // One more every microsecond; the clock of the kernel's ticks stands still for thousands of them.
    let quota = Quota::new(1_000_000, Duration::from_secs(1)).with_burst(30);
    for number in 0..1000 {
        assert!(limiter.take("ada", quota).allowed, "request {number}");
        let start = Instant::now();
        while start.elapsed() < Duration::from_micros(2) {}
    }
}
