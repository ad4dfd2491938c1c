use std::net::IpAddr;

use jiff::{SignedDuration, Timestamp};

use super::{CAPACITY, RetryAfter, Throttle, ThrottleConfig};

const ADA: &str = "ada@example.com";

fn address(text: &str) -> Option<IpAddr> {
    text.parse().ok()
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + seconds).unwrap()
}

fn millis(milliseconds: i64) -> Timestamp {
    Timestamp::from_millisecond(1_800_000_000_000 + milliseconds).unwrap()
}

/// Returns a throttle with ten failures from one address at second 0.
fn throttled(from: Option<IpAddr>) -> Throttle {
    let throttle = Throttle::new(ThrottleConfig::default());
    for _ in 0..10 {
        throttle.check(ADA, from, at(0)).unwrap();
        throttle.record_failure(ADA, from, at(0)).ok();
    }
    throttle
}

#[test]
fn nine_failures_have_no_consequence() {
    let throttle = Throttle::new(ThrottleConfig::default());
    let client = address("192.0.2.1");
    for second in 0..9 {
        assert_eq!(throttle.record_failure(ADA, client, at(second)), Ok(()));
        assert_eq!(throttle.check(ADA, client, at(second)), Ok(()));
    }
}

#[test]
fn from_the_tenth_failure_on_the_wait_doubles_up_to_a_minute() {
    let client = address("192.0.2.1");
    let throttle = throttled(client);
    let mut now = 0;
    for wait in [1, 2, 4, 8, 16, 32, 60, 60, 60] {
        assert_eq!(
            throttle.check(ADA, client, at(now)),
            Err(RetryAfter(wait)),
            "at {now} s"
        );
        let last_millisecond = 1000 * (now + i64::try_from(wait).unwrap()) - 1;
        assert_eq!(
            throttle.check(ADA, client, millis(last_millisecond)),
            Err(RetryAfter(1))
        );
        now += i64::try_from(wait).unwrap();
        assert_eq!(throttle.check(ADA, client, at(now)), Ok(()));
        assert_eq!(throttle.record_failure(ADA, client, at(now)), Ok(()));
    }
}

#[test]
fn an_attacker_elsewhere_cannot_hold_the_lock() {
    let attacker = address("203.0.113.66");
    let owner = address("192.0.2.1");
    let throttle = throttled(attacker);
    for second in 0..2000 {
        if throttle.check(ADA, attacker, at(second)).is_ok() {
            throttle.record_failure(ADA, attacker, at(second)).unwrap();
        }
        assert_eq!(throttle.check(ADA, owner, at(second)), Ok(()));
        assert_eq!(throttle.record_success(ADA, owner, at(second)), Ok(()));
    }
}

#[test]
fn refused_attempts_do_not_lengthen_the_wait() {
    let client = address("192.0.2.1");
    let throttle = throttled(client);
    for _ in 0..1000 {
        assert_eq!(throttle.check(ADA, client, at(0)), Err(RetryAfter(1)));
    }
    assert_eq!(throttle.check(ADA, client, at(1)), Ok(()));
}

#[test]
fn guesses_spread_over_many_addresses_start_throttling_too() {
    let throttle = Throttle::new(ThrottleConfig::default());
    for host in 1..=10 {
        let client = address(&format!("198.51.100.{host}"));
        throttle.record_failure(ADA, client, at(0)).unwrap();
    }
    let eleventh = address("198.51.100.11");
    assert_eq!(throttle.check(ADA, eleventh, at(1)), Ok(()));
    throttle.record_failure(ADA, eleventh, at(1)).unwrap();
    assert_eq!(throttle.check(ADA, eleventh, at(1)), Err(RetryAfter(1)));
}

#[test]
fn a_flood_sent_at_once_learns_nothing_after_the_tenth_failure() {
    let client = address("192.0.2.1");
    let throttle = Throttle::new(ThrottleConfig::default());
    for _ in 0..100 {
        assert_eq!(throttle.check(ADA, client, at(0)), Ok(()));
    }
    for _ in 0..10 {
        assert_eq!(throttle.record_failure(ADA, client, at(1)), Ok(()));
    }
    // A correct guess among the others gets the same result as a wrong one.
    assert_eq!(
        throttle.record_success(ADA, client, at(1)),
        Err(RetryAfter(1))
    );
    assert_eq!(
        throttle.record_failure(ADA, client, at(1)),
        Err(RetryAfter(1))
    );
    assert_eq!(
        throttle.record_success(ADA, client, at(1)),
        Err(RetryAfter(2))
    );
}

#[test]
fn success_ends_the_waiting_of_that_address_only() {
    let (office, home) = (address("192.0.2.1"), address("192.0.2.2"));
    let throttle = throttled(office);
    throttle.record_failure(ADA, home, at(0)).unwrap();
    throttle.record_success(ADA, office, at(1)).unwrap();
    throttle.record_failure(ADA, office, at(1)).unwrap();
    // Throttling stays active: after the next failure the wait starts again at one second.
    assert_eq!(throttle.check(ADA, office, at(1)), Err(RetryAfter(1)));
    throttle.record_failure(ADA, home, at(1)).unwrap();
    assert_eq!(throttle.check(ADA, home, at(1)), Err(RetryAfter(2)));
}

#[test]
fn failures_count_until_the_window_is_over_and_no_longer() {
    let client = address("192.0.2.1");
    let window = 600;
    let throttle = throttled(client);
    throttle.record_failure(ADA, client, at(window)).unwrap();
    assert_eq!(throttle.check(ADA, client, at(window)), Err(RetryAfter(2)));
    let throttle = throttled(client);
    let later = millis(1000 * window + 1);
    throttle.record_failure(ADA, client, later).unwrap();
    assert_eq!(throttle.check(ADA, client, later), Ok(()));
}

#[test]
fn failures_older_than_the_window_are_forgotten() {
    let client = address("192.0.2.1");
    let throttle = throttled(client);
    throttle.record_failure(ADA, client, at(1)).unwrap();
    assert_eq!(throttle.check(ADA, client, at(1)), Err(RetryAfter(2)));
    let later = 1 + 601;
    for _ in 0..9 {
        assert_eq!(throttle.record_failure(ADA, client, at(later)), Ok(()));
        assert_eq!(throttle.check(ADA, client, at(later)), Ok(()));
    }
    throttle.record_failure(ADA, client, at(later)).unwrap();
    assert_eq!(throttle.check(ADA, client, at(later)), Err(RetryAfter(1)));
}

#[test]
fn slow_failures_never_start_throttling() {
    let client = address("192.0.2.1");
    let throttle = Throttle::new(ThrottleConfig::default());
    for minute in 0..100 {
        throttle
            .record_failure(ADA, client, at(67 * minute))
            .unwrap();
        assert_eq!(throttle.check(ADA, client, at(67 * minute)), Ok(()));
    }
}

#[test]
fn identifiers_do_not_disturb_each_other() {
    let client = address("192.0.2.1");
    let throttle = throttled(client);
    assert_eq!(throttle.check("eve@example.com", client, at(0)), Ok(()));
}

#[test]
fn an_ipv6_network_is_one_client_and_a_missing_address_another() {
    let throttle = throttled(address("2001:db8:0:1::1"));
    let neighbour = address("2001:db8:0:1:ffff::9");
    assert!(throttle.check(ADA, neighbour, at(0)).is_err());
    assert!(
        throttle
            .check(ADA, address("2001:db8:0:2::1"), at(0))
            .is_ok()
    );
    assert!(throttle.check(ADA, None, at(0)).is_ok());

    let throttle = throttled(address("192.0.2.1"));
    assert!(
        throttle
            .check(ADA, address("::ffff:192.0.2.1"), at(0))
            .is_err()
    );
    assert!(throttled(None).check(ADA, None, at(0)).is_err());
}

#[test]
fn limits_are_settings_and_zero_turns_throttling_off() {
    let client = address("192.0.2.1");
    let strict = Throttle::new(ThrottleConfig {
        failures: 1,
        window: SignedDuration::from_secs(30),
        shortest: SignedDuration::from_secs(3),
        longest: SignedDuration::from_secs(5),
    });
    for wait in [3, 5, 5] {
        strict.record_failure(ADA, client, at(0)).ok();
        assert_eq!(strict.check(ADA, client, at(0)), Err(RetryAfter(wait)));
    }
    let off = Throttle::new(ThrottleConfig {
        failures: 0,
        ..ThrottleConfig::default()
    });
    for _ in 0..1000 {
        off.record_failure(ADA, client, at(0)).unwrap();
    }
    assert_eq!(off.check(ADA, client, at(0)), Ok(()));
}

#[test]
fn each_failure_moves_the_window_on() {
    let client = address("192.0.2.1");
    let three = ThrottleConfig {
        failures: 3,
        ..ThrottleConfig::default()
    };
    let throttle = Throttle::new(three);
    for second in [0, 1, 2, 590] {
        throttle.record_failure(ADA, client, at(second)).ok();
    }
    // The first failure is over, but there are three younger ones.
    assert_eq!(throttle.record_failure(ADA, client, at(601)), Ok(()));
    assert!(throttle.check(ADA, client, at(601)).is_err());
}

#[test]
fn the_wait_grows_as_long_as_one_failure_follows_another_within_the_window() {
    let client = address("192.0.2.1");
    let throttle = Throttle::new(ThrottleConfig {
        failures: 1,
        ..ThrottleConfig::default()
    });
    for (second, wait) in [(0, 1), (599, 2), (1198, 4), (1799, 1)] {
        assert_eq!(throttle.record_failure(ADA, client, at(second)), Ok(()));
        assert_eq!(
            throttle.check(ADA, client, at(second)),
            Err(RetryAfter(wait)),
            "at {second} s"
        );
    }
}

#[test]
fn failures_that_are_over_make_room_before_others() {
    let client = address("192.0.2.1");
    let throttle = Throttle::new(ThrottleConfig {
        failures: 1,
        ..ThrottleConfig::default()
    });
    for number in 0..10 {
        let name = format!("old-{number}");
        throttle.record_failure(&name, client, at(0)).unwrap();
    }
    for number in 10..CAPACITY {
        let name = number.to_string();
        throttle.record_failure(&name, client, at(601)).unwrap();
    }
    throttle.record_failure(ADA, client, at(601)).unwrap();
    for number in 10..CAPACITY {
        let name = number.to_string();
        assert!(throttle.check(&name, client, at(601)).is_err(), "{name}");
    }
}

#[test]
fn memory_is_bounded_and_the_newest_failures_stay() {
    let client = address("192.0.2.1");
    let throttle = Throttle::new(ThrottleConfig {
        failures: 1,
        ..ThrottleConfig::default()
    });
    for number in 0..CAPACITY + 10 {
        throttle
            .record_failure(&number.to_string(), client, at(0))
            .unwrap();
    }
    throttle.record_failure(ADA, client, at(1)).unwrap();
    assert!(throttle.check(ADA, client, at(1)).is_err());
    let attempts = throttle.lock();
    assert!(attempts.identifiers.len() <= CAPACITY);
    assert!(attempts.clients.len() <= CAPACITY);
}

#[test]
fn identifiers_are_not_kept_in_the_clear() {
    let throttle = throttled(address("192.0.2.1"));
    let shown = format!("{throttle:?}");
    assert!(!shown.contains("ada") && !shown.contains("192.0.2.1"));
}
