//! Rate limits.

mod building;
mod keys;
mod levels;
mod limiters;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use innkeeper_rest::filter::{LocalLimiter, Quota, RateLimit};
use innkeeper_rest::testing::{Client, TestResponse};
use innkeeper_rest::{App, RestApi, resource};

/// A clock that a test advances.
#[derive(Clone)]
struct Clock {
    start: Instant,
    passed: Arc<AtomicU64>,
}

impl Clock {
    fn new() -> Self {
        Self {
            start: Instant::now(),
            passed: Arc::default(),
        }
    }

    fn advance(&self, by: Duration) {
        let millis = u64::try_from(by.as_millis()).unwrap();
        self.passed.fetch_add(millis, Ordering::Relaxed);
    }

    fn limiter(&self) -> LocalLimiter {
        let Self { start, passed } = self.clone();
        LocalLimiter::new()
            .with_clock(move || start + Duration::from_millis(passed.load(Ordering::Relaxed)))
    }
}

/// Returns a limit that reads this clock.
fn limit(clock: &Clock, quota: Quota) -> RateLimit {
    let builder = RateLimit::builder(quota).limiter(clock.limiter());
    builder.build().unwrap()
}

struct Plain;

#[resource("/plain")]
impl Plain {
    #[get]
    fn get(&self) -> u8 {
        1
    }

    #[put]
    fn put(&self) {}
}

/// Returns a client of one resource behind a filter of its mount.
fn behind(filter: impl innkeeper_rest::Filter) -> Client {
    Client::new(App::new().mount("/", RestApi::new(Plain).filter(filter))).unwrap()
}

async fn get(client: &Client, path: &str) -> TestResponse {
    client.get(path).send().await
}

/// Returns the rate limit headers in the order of the documentation.
fn state(response: &TestResponse) -> [Option<&str>; 5] {
    [
        response.header("ratelimit-policy"),
        response.header("ratelimit"),
        response.header("x-ratelimit-limit"),
        response.header("x-ratelimit-remaining"),
        response.header("x-ratelimit-reset"),
    ]
}

#[tokio::test]
async fn every_answer_says_where_its_client_stands_in_both_families_of_headers() {
    let clock = Clock::new();
    let client = behind(limit(&clock, Quota::per_minute(6)));
    let policy = Some("\"default\";q=6;w=60");
    let response = get(&client, "/plain").await;
    let expected = [policy, Some("\"default\";r=5;t=10"), Some("6"), Some("5")];
    assert_eq!(
        state(&response),
        [&expected[..], &[Some("10")]].concat()[..]
    );
    clock.advance(Duration::from_secs(4));
    let response = get(&client, "/plain").await;
    let expected = [policy, Some("\"default\";r=4;t=6"), Some("6"), Some("4")];
    assert_eq!(
        state(&response),
        [&expected[..], &[Some("16")]].concat()[..]
    );
    assert_eq!(response.header("retry-after"), None);
}

#[tokio::test]
async fn a_burst_of_another_size_is_announced() {
    let clock = Clock::new();
    let client = behind(limit(&clock, Quota::per_minute(60).with_burst(2)));
    let response = get(&client, "/plain").await;
    assert_eq!(
        state(&response),
        [
            Some("\"default\";q=60;w=60;burst=2"),
            Some("\"default\";r=1;t=1"),
            Some("2"),
            Some("1"),
            Some("1"),
        ]
    );
}

#[tokio::test]
async fn too_many_requests_are_refused_in_the_format_of_the_mount() {
    let clock = Clock::new();
    let client = behind(limit(&clock, Quota::per_minute(2)));
    for _ in 0..2 {
        assert_eq!(get(&client, "/plain").await.status(), 200);
    }
    let response = get(&client, "/plain").await;
    assert_eq!(response.status(), 429);
    assert_eq!(response.header("retry-after"), Some("30"));
    assert_eq!(
        response.header("content-type"),
        Some("application/problem+json")
    );
    let body: serde_json::Value = response.json().unwrap();
    assert_eq!(body["code"], "rate_limited");
    assert_eq!(body["detail"], "too many requests; try again in 30 s");
    assert_eq!(
        state(&response),
        [
            Some("\"default\";q=2;w=60"),
            Some("\"default\";r=0;t=30"),
            Some("2"),
            Some("0"),
            Some("60"),
        ]
    );
}

#[tokio::test]
async fn who_waits_as_long_as_told_is_let_in_once() {
    let clock = Clock::new();
    let client = behind(limit(&clock, Quota::per_minute(2)));
    for _ in 0..2 {
        assert_eq!(get(&client, "/plain").await.status(), 200);
    }
    clock.advance(Duration::from_millis(29_999));
    let refused = get(&client, "/plain").await;
    assert_eq!(
        (refused.status(), refused.header("retry-after")),
        (429, Some("1"))
    );
    clock.advance(Duration::from_millis(1));
    assert_eq!(get(&client, "/plain").await.status(), 200);
    assert_eq!(get(&client, "/plain").await.status(), 429);
    clock.advance(Duration::from_hours(1));
    let whole = get(&client, "/plain").await;
    assert_eq!(whole.header("x-ratelimit-remaining"), Some("1"));
}

#[tokio::test]
async fn a_refusal_may_be_of_ones_own() {
    use innkeeper_rest::{Rejection, StatusCode};

    let builder = RateLimit::builder(Quota::per_hour(1)).refuse_with(|wait| {
        let message = format!("come back in {} minutes", wait.as_secs().div_ceil(60));
        Rejection::new(StatusCode::TOO_MANY_REQUESTS, "over_limit", message)
    });
    let clock = Clock::new();
    let client = behind(builder.limiter(clock.limiter()).build().unwrap());
    get(&client, "/plain").await;
    let response = get(&client, "/plain").await;
    let body: serde_json::Value = response.json().unwrap();
    assert_eq!(
        (response.status(), &body["code"]),
        (429, &"over_limit".into())
    );
    assert_eq!(body["detail"], "come back in 60 minutes");
    assert_eq!(response.header("retry-after"), Some("3600"));
    assert_eq!(response.header("x-ratelimit-remaining"), Some("0"));
}

#[tokio::test]
async fn a_check_of_credentials_may_count_its_failures_alone() {
    use innkeeper_rest::filter::{ApiKey, Check};
    use innkeeper_rest::{Rejection, Request};

    struct Guesses(RateLimit);

    impl Check<String> for Guesses {
        type Value = ();

        async fn check(&self, key: String, request: &Request) -> Result<Option<()>, Rejection> {
            if key == "s3cr3t" {
                return Ok(Some(()));
            }
            self.0.count(request).await.map(|_| None)
        }
    }

    let clock = Clock::new();
    let guesses = Guesses(limit(&clock, Quota::per_minute(2)));
    let client = behind(ApiKey::in_header("x-api-key", guesses).unwrap());
    let ask = async |key: &str| client.get("/plain").header("x-api-key", key).send().await;
    for (key, status) in [
        ("s3cr3t", 200),
        ("a", 401),
        ("b", 401),
        ("c", 429),
        ("s3cr3t", 200),
    ] {
        assert_eq!(ask(key).await.status(), status, "{key}");
    }
    let refused = ask("d").await;
    assert_eq!(refused.header("retry-after"), Some("30"));
    assert_eq!(refused.header("x-ratelimit-remaining"), Some("0"));
}
