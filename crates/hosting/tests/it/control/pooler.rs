//! Behind a PgBouncer in transaction mode, whose sessions a client of another schema uses too.

use innkeeper_hosting::testing::MemoryHost;
use innkeeper_service::testing::{TestDatabase, TestPooler};

use super::bench::{ACTIONS, Bench, GAME, POWER, VPS};

#[tokio::test(flavor = "multi_thread")]
async fn machines_are_switched_on_and_off_in_the_right_schema() {
    let database = TestDatabase::empty().await.unwrap();
    let pooler = TestPooler::start(database.url()).await.unwrap();
    let tables = ["machines", "customers", "api_keys", "actions", "leases"];
    let pooler = pooler.with_neighbour(&tables).await.unwrap();
    let host = MemoryHost::default();
    let bench = Bench::behind(&host, database, pooler.url()).await;
    bench.vps("web").await;
    for id in ["a", "b", "c", "d"] {
        bench.game(id).await;
    }
    let wait = [("prefer", "wait=30")];
    for command in ["start", "restart", "stop"] {
        let switched = ["a", "b", "c", "d"].map(async |id| {
            let path = format!("{POWER}/{id}/{command}");
            let answer = bench.post_with(&path, &wait, "").await;
            assert_eq!(answer.status, 200, "{path}: {}", answer.text());
            assert_eq!(answer.json()["action"]["result"], "done", "{path}");
        });
        futures_util::future::join_all(switched).await;
    }
    assert_eq!(bench.state(&format!("{GAME}/a")).await, "stopped");
    let path = format!("{VPS}/web/start");
    let started = bench.post_with(&path, &wait, "").await;
    assert_eq!(started.json()["server"]["state"], "running");
    let actions = bench.get(&format!("{ACTIONS}?status=success")).await;
    assert_eq!(actions.json()["items"].as_array().unwrap().len(), 13);
    let count = "select count(*) from neighbour.machines";
    let row = bench.sql.query_one(count, &[]).await.unwrap();
    assert_eq!(row.get::<_, i64>(0), 0);
}
