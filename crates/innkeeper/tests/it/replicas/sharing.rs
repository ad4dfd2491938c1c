//! State that replicas share: keys, sessions and limits.

use std::time::{Duration, Instant};

use innkeeper_service::testing::{TestDatabase, TestRedis};
use serde_json::json;

use super::proxy::{Proxy, Upstreams};
use super::{Replica, answered, client, sign_up};
use crate::support::folder;

/// The interval after which one more call is allowed; see `RATE_LIMIT_VERIFY`.
const REFILL: Duration = Duration::from_secs(10);

#[tokio::test]
async fn a_token_of_one_replica_is_good_at_the_other() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    // Both create the keys in the database at the same time.
    let (one, other) = tokio::join!(
        Replica::auth(folder.path(), database.url(), &[]),
        Replica::auth(folder.path(), database.url(), &[]),
    );
    let client = client();

    let session = sign_up(&client, &one.url(""), "ada@example.com").await;

    let token = session["access_token"].as_str().unwrap();
    let asked = client.get(other.url("/user")).bearer_auth(token).send();
    let user = answered(asked.await.unwrap()).await;
    assert_eq!(user["email"], "ada@example.com");
    let body = json!({ "refresh_token": session["refresh_token"] });
    let refresh = other.url("/token?grant_type=refresh_token");
    let refreshed = client.post(refresh).json(&body).send().await.unwrap();
    let session = answered(refreshed).await;
    let token = session["access_token"].as_str().unwrap();
    let left = client.post(one.url("/logout")).bearer_auth(token).send();
    assert_eq!(left.await.unwrap().status(), 204);
    let asked = client.get(other.url("/user")).bearer_auth(token).send();
    assert_eq!(asked.await.unwrap().status(), 403);
    one.process.stop().await;
    other.process.stop().await;
}

#[tokio::test]
async fn replicas_behind_a_proxy_count_the_calls_of_a_client_together() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let redis = TestRedis::start().await.unwrap();
    let url = redis.url();
    // A slow response counts as a failure of the store; the load of this machine must not matter.
    let auth = [
        ("AUTH_REDIS_URL", url.as_str()),
        ("AUTH_REDIS_TIMEOUT", "60s"),
        ("AUTH_RATE_LIMIT_VERIFY", "30"),
    ];
    let hosting = [
        ("HOSTING_REDIS_URL", url.as_str()),
        ("HOSTING_REDIS_TIMEOUT", "60s"),
        ("HOSTING_RATE_LIMIT_CONTENT", "6"),
    ];
    let one = Replica::auth(folder.path(), database.url(), &auth).await;
    let other = Replica::auth(folder.path(), database.url(), &auth).await;
    let first = Replica::hosting(folder.path(), database.url(), &hosting).await;
    let second = Replica::hosting(folder.path(), database.url(), &hosting).await;
    let proxy = Proxy::start(&Upstreams {
        auth: vec![one.address.clone(), other.address.clone()],
        hosting: vec![first.address.clone(), second.address.clone()],
    })
    .await;
    let client = client();

    let start = Instant::now();
    let mut allowed = 0;
    for _ in 0..60 {
        let body = json!({ "type": "signup", "email": "ada@example.com", "token": "123456" });
        let verify = format!("{}/verify", proxy.auth_url());
        let status = client
            .post(verify)
            .json(&body)
            .send()
            .await
            .unwrap()
            .status();
        allowed += u64::from(status != 429);
    }
    let given_back = start.elapsed().as_secs() / REFILL.as_secs() + 1;
    assert!((30..=30 + given_back).contains(&allowed), "{allowed} of 30");

    let start = Instant::now();
    let mut allowed = 0;
    for _ in 0..12 {
        let list = format!("{}/v1/kb/list", proxy.hosting_url());
        let status = client.get(list).send().await.unwrap().status();
        allowed += u64::from(status != 429);
    }
    let given_back = start.elapsed().as_secs() / REFILL.as_secs() + 1;
    assert!((6..=6 + given_back).contains(&allowed), "{allowed} of 6");

    // Another client has a quota of its own.
    let list = client.get(format!("{}/v1/kb/list", proxy.hosting_url()));
    let answer = list.header("X-Forwarded-For", "192.0.2.7").send().await;
    assert_eq!(answer.unwrap().status(), 200);
    proxy.stop().await;
    for replica in [one, other, first, second] {
        replica.process.stop().await;
    }
}
