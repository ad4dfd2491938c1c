//! Two servers on one database: one runs the probes, both show the same status. With one Redis, they
//! share their rate limits.

use std::time::Duration;

use innkeeper_hosting::config::Config;
use innkeeper_rest::filter::Quota;
use innkeeper_service::limiter::RedisUrl;
use innkeeper_service::testing::{TestDatabase, TestRedis};
use tokio_postgres::NoTls;

use crate::support::{Site, TcpService};

#[tokio::test(flavor = "multi_thread")]
async fn one_replica_probes_and_another_takes_over() {
    let mut service = TcpService::start().await;
    let database = TestDatabase::empty().await.unwrap();
    let toml = service.status_toml();
    let files = [("status.toml", toml.as_str())];
    let first = Site::with_database(&files, &database).await;
    let second = Site::with_database(&files, &database).await;
    let (client, connection) = tokio_postgres::connect(database.url(), NoTls)
        .await
        .unwrap();
    tokio::spawn(connection);
    let rounds = async || {
        let count = "select count(*) from hosting.checks where component = 'door'";
        client.query_one(count, &[]).await.unwrap().get::<_, i64>(0)
    };
    service.stop().await;
    for round in 0..3 {
        let before = rounds().await;
        // The clocks advance one after the other; the leader goes first.
        first.pass(30).await;
        second.pass(30).await;
        assert_eq!(rounds().await, before + 1, "round {round}");
    }
    assert_eq!(first.component("door").await["status"], "major_outage");
    assert_eq!(second.component("door").await["status"], "major_outage");

    // The first server dies without releasing its lease. The second takes over when the lease expires.
    drop(first);
    second.pass(31).await;
    let before = rounds().await;
    second.pass(31).await;
    assert!(rounds().await > before);
    assert_eq!(second.component("door").await["status"], "major_outage");
    service.restart().await;
    second.pass(30).await;
    second.pass(30).await;
    assert_eq!(second.component("door").await["status"], "operational");
}

#[tokio::test]
async fn replicas_share_their_limits_and_go_on_without_redis() {
    let mut redis = TestRedis::start().await.unwrap();
    let shared = |config: &mut Config| {
        config.limits.public = Quota::per_hour(2);
        config.limits.redis_url = Some(RedisUrl::parse(&redis.url()).unwrap());
        config.limits.redis_timeout = Duration::from_mins(1);
    };
    let one = Site::start(&[], shared).await;
    let other = Site::start(&[], shared).await;
    let ask = async |site: &Site| site.get("/v1/plans").await.status;
    assert_eq!([ask(&one).await, ask(&other).await], [200, 200]);
    assert_eq!([ask(&one).await, ask(&other).await], [429, 429]);
    redis.kill().unwrap();
    for site in [&one, &other] {
        let told = [ask(site).await, ask(site).await, ask(site).await];
        assert_eq!(told, [200, 200, 429]);
    }
}
