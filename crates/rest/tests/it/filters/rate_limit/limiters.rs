//! Custom and local limiters, and requests while a limiter fails.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use innkeeper_rest::BoxError;
use innkeeper_rest::filter::{Decision, Limiter, LocalLimiter, Quota, RateLimit};

use super::{Clock, behind, get};
use crate::errors::log::Log;

/// Gives a fixed answer and records its calls.
#[derive(Clone)]
struct Scripted {
    asked: Arc<Mutex<Vec<(String, Quota)>>>,
    answer: Answer,
}

#[derive(Clone, Copy)]
enum Answer {
    Allowed,
    Failure,
    Never,
}

impl Limiter for Scripted {
    async fn check(&self, key: &str, quota: Quota) -> Result<Decision, BoxError> {
        self.asked.lock().unwrap().push((key.to_owned(), quota));
        match self.answer {
            Answer::Allowed => Ok(Decision {
                allowed: true,
                remaining: 7,
                more_in: Duration::from_millis(1500),
                whole_in: Duration::from_secs(9),
            }),
            Answer::Failure => Err("the store is on fire".into()),
            Answer::Never => std::future::pending().await,
        }
    }
}

fn scripted(answer: Answer) -> Scripted {
    Scripted {
        asked: Arc::default(),
        answer,
    }
}

#[tokio::test]
async fn a_limiter_of_ones_own_is_asked_with_name_key_and_quota() {
    let limiter = scripted(Answer::Allowed);
    let quota = Quota::per_hour(10);
    let limit = RateLimit::builder(quota)
        .name("shop")
        .limiter(limiter.clone());
    let client = behind(limit.build().unwrap());
    for peer in ["192.0.2.1:99", "[2001:db8::7]:99"] {
        let request = client.get("/plain").from_peer(peer.parse().unwrap());
        let response = request.send().await;
        assert_eq!(response.header("ratelimit"), Some("\"shop\";r=7;t=2"));
        assert_eq!(response.header("x-ratelimit-reset"), Some("9"));
    }
    let asked = limiter.asked.lock().unwrap();
    let keys = ["shop:192.0.2.1", "shop:2001:db8::/64"];
    assert_eq!(*asked, keys.map(|key| (key.to_owned(), quota)));
}

#[tokio::test]
async fn requests_go_on_while_the_limiter_fails_and_the_log_says_so() {
    let limit = RateLimit::builder(Quota::per_hour(1)).limiter(scripted(Answer::Failure));
    let client = behind(limit.build().unwrap());
    let log = Log::start();
    for _ in 0..3 {
        let response = get(&client, "/plain").await;
        assert_eq!(response.status(), 200);
        assert_eq!(response.header("ratelimit"), None);
    }
    let text = log.text();
    assert_eq!(text.lines().count(), 3, "{text}");
    assert!(text.contains("the limiter failed; the request is passed on uncounted"));
    assert!(text.contains("the store is on fire"), "{text}");
}

#[tokio::test]
async fn a_filter_that_fails_closed_refuses_while_the_limiter_fails() {
    let limit = RateLimit::builder(Quota::per_hour(1)).fail_closed();
    let client = behind(limit.limiter(scripted(Answer::Failure)).build().unwrap());
    let log = Log::start();
    let response = get(&client, "/plain").await;
    assert_eq!(response.status(), 503);
    assert_eq!(response.header("retry-after"), Some("1"));
    let body: serde_json::Value = response.json().unwrap();
    assert_eq!(body["code"], "limiter_unavailable");
    assert!(!response.text().contains("fire"), "that is for the log");
    assert!(log.text().contains("the store is on fire"));
}

#[tokio::test(start_paused = true)]
async fn a_limiter_that_never_answers_has_failed() {
    let limit = RateLimit::builder(Quota::per_hour(1)).limiter(scripted(Answer::Never));
    let client = behind(limit.build().unwrap());
    let log = Log::start();
    let start = tokio::time::Instant::now();
    assert_eq!(get(&client, "/plain").await.status(), 200);
    assert_eq!(start.elapsed().as_secs(), 1);
    assert!(log.text().contains("the limiter did not answer in time"));

    let limit = RateLimit::builder(Quota::per_hour(1)).fail_closed();
    let limit = limit.patience(Duration::from_secs(5));
    let client = behind(limit.limiter(scripted(Answer::Never)).build().unwrap());
    let start = tokio::time::Instant::now();
    assert_eq!(get(&client, "/plain").await.status(), 503);
    assert_eq!(start.elapsed().as_secs(), 5);
}

#[tokio::test]
async fn filters_that_share_a_limiter_count_together_under_one_name() {
    let limiter = Arc::new(LocalLimiter::new());
    let named = |name: &str| {
        let builder = RateLimit::builder(Quota::per_day(2)).name(name);
        builder.limiter(Arc::clone(&limiter)).build().unwrap()
    };
    let (one, same, other) = (named("a"), named("a"), named("b"));
    let (one, same, other) = (behind(one), behind(same), behind(other));
    assert_eq!(get(&one, "/plain").await.status(), 200);
    assert_eq!(get(&same, "/plain").await.status(), 200);
    assert_eq!(get(&one, "/plain").await.status(), 429);
    assert_eq!(get(&other, "/plain").await.status(), 200);
    assert_eq!(limiter.keys(), 2);
}

#[tokio::test]
async fn however_many_clients_there_are_the_local_limiter_stays_small() {
    let limiter = LocalLimiter::new().with_capacity(1600);
    let daily = Quota::per_day(2);
    for number in 0..20_000 {
        let decision = limiter.check(&format!("client {number}"), daily).await;
        assert!(decision.unwrap().allowed);
        assert!(number % 1000 != 0 || limiter.keys() <= 1600);
    }
}

#[tokio::test]
async fn clients_that_have_their_quota_back_are_forgotten() {
    let clock = Clock::new();
    let limiter = clock.limiter();
    for number in 0..10_000 {
        let key = format!("client {number}");
        assert!(
            limiter
                .check(&key, Quota::per_second(1))
                .await
                .unwrap()
                .allowed
        );
        clock.advance(Duration::from_secs(1));
    }
    assert!(limiter.keys() <= 16 * 64, "{}", limiter.keys());
}

#[tokio::test]
async fn of_requests_at_once_no_more_than_the_quota_get_through() {
    let limiter = Arc::new(LocalLimiter::new());
    let threads = (0..4).map(|_| {
        let limiter = Arc::clone(&limiter);
        tokio::task::spawn_blocking(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .build()
                .unwrap();
            runtime.block_on(async {
                let mut allowed = 0;
                for _ in 0..500 {
                    let decision = limiter.check("ada", Quota::per_day(100)).await;
                    allowed += usize::from(decision.unwrap().allowed);
                }
                allowed
            })
        })
    });
    let mut allowed = 0;
    for thread in threads.collect::<Vec<_>>() {
        allowed += thread.await.unwrap();
    }
    assert_eq!(allowed, 100);
}
