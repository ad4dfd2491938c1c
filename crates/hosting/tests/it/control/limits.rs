//! Rate limits per key and per machine.

use innkeeper_hosting::model::Scope;
use innkeeper_rest::filter::Quota;

use super::assert_refused;
use super::bench::{Bench, POWER, VPS};

#[tokio::test]
async fn power_requests_are_limited_per_machine_and_per_key() {
    let bench = Bench::start_with(|config| {
        config.limits.power = Quota::per_minute(1).with_burst(2);
        config.limits.power_key = Quota::per_minute(1).with_burst(4);
    });
    let bench = bench.await;
    for id in ["one", "two"] {
        bench.vps(id).await;
        bench.game(id).await;
    }
    let other = bench.key_for(&[Scope::All]).await;
    let stop = |prefix: &str, id: &str| format!("{prefix}/{id}/stop");
    let first = bench.post(&stop(VPS, "one")).await;
    assert_eq!(first.status, 200);
    let policies = first.headers("ratelimit-policy").join(", ");
    for name in ["control", "control-key", "power", "power-key"] {
        assert!(policies.contains(&format!("\"{name}\"")), "{policies}");
    }
    assert_eq!(first.header("x-ratelimit-remaining"), Some("1"));
    assert_eq!(bench.post(&stop(VPS, "one")).await.status, 200);
    let refused = bench.post(&stop(VPS, "one")).await;
    assert_refused(&refused, 429, "rate_limited");
    let wait = refused.header("retry-after").unwrap();
    assert_eq!(refused.json()["retryAfter"].to_string(), wait);
    // The limit is the machine's, whichever key is used.
    assert_refused(
        &bench.post_by(&other, &stop(VPS, "one")).await,
        429,
        "rate_limited",
    );
    // A game server with the same id is another machine.
    assert_eq!(bench.post(&stop(POWER, "one")).await.status, 200);
    assert_eq!(bench.post(&stop(VPS, "two")).await.status, 200);
    // The key has four: requests that the limit of a machine refuses are not counted again.
    let spent = bench.post(&stop(POWER, "two")).await;
    assert_refused(&spent, 429, "rate_limited");
    assert_eq!(bench.post_by(&other, &stop(POWER, "two")).await.status, 200);
    // Reading does not count.
    assert_eq!(bench.get(VPS).await.status, 200);
}

#[tokio::test]
async fn nobody_uses_up_the_requests_of_another_customer() {
    let bench = Bench::start_with(|config| {
        config.limits.power = Quota::per_minute(1).with_burst(2);
    });
    let bench = bench.await;
    bench.vps("mine").await;
    let south = bench.control.customer("South").await;
    let stranger = bench.control.key(&south, &[Scope::All]).await;
    let path = format!("{VPS}/mine/stop");
    for expected in [404, 404, 429] {
        let answer = bench.post_by(stranger.text.reveal(), &path).await;
        assert_eq!(answer.status, expected);
    }
    assert_eq!(bench.post(&path).await.status, 200);
}

#[tokio::test]
async fn all_requests_of_a_key_are_limited_together_from_whichever_address() {
    let bench = Bench::start_with(|config| {
        config.limits.control = Quota::per_minute(1).with_burst(4);
    });
    let bench = bench.await;
    let bearer = format!("Bearer {}", bench.key);
    let ask = async |address: &str, path: &str| {
        let headers = [("authorization", &*bearer), ("x-forwarded-for", address)];
        bench.site().get_with(path, &headers).await.status
    };
    assert_eq!(ask("192.0.2.1", "/v1/hosting/key").await, 200);
    assert_eq!(ask("192.0.2.2", VPS).await, 200);
    assert_eq!(ask("192.0.2.3", "/v1/hosting/game").await, 200);
    assert_eq!(ask("192.0.2.4", "/v1/hosting/actions").await, 200);
    assert_eq!(ask("192.0.2.5", VPS).await, 429);
}
