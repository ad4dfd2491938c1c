//! Waiting for a connection while the pool or the server is full.

use std::time::Duration;

use innkeeper_service::database::Database;
use innkeeper_service::testing::{TestDatabase, eventually};
use tokio::task::JoinSet;
use tokio_postgres::NoTls;

use crate::support::{Folder, backend, connect, count, options, until_clients_are};

/// Long enough for several refusals by a full server.
const A_WHILE: Duration = Duration::from_millis(400);

/// Connects and disconnects several times, one after the other. Meanwhile an earlier caller that does not wait would
/// be served.
async fn let_later_ones_connect(url: &str) {
    for _ in 0..4 {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
        let connection = tokio::spawn(connection);
        drop(client);
        connection.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_full_server_is_waited_for_until_there_is_room() {
    let folder = Folder::new();
    let cluster = folder
        .start(&[
            ("max_connections", "6"),
            ("superuser_reserved_connections", "0"),
        ])
        .await;
    let url = cluster.url("postgres");
    let database = Database::new(options(&url, "guest")).unwrap();

    let mut crowd = vec![connect(&url).await];
    until_clients_are(1, &crowd[0]).await;
    for _ in 1..6 {
        crowd.push(connect(&url).await);
    }
    let pooled = tokio::spawn({
        let database = database.clone();
        async move {
            backend(&database.connection().await.unwrap())
                .await
                .unwrap()
        }
    });
    let shared = tokio::spawn({
        let database = database.clone();
        async move { backend(&database.shared().await.unwrap()).await.unwrap() }
    });
    let once = tokio::spawn({
        let database = database.clone();
        async move {
            backend(&database.connect_once().await.unwrap())
                .await
                .unwrap()
        }
    });
    let mut impatient = options(&url, "impatient");
    impatient.max_wait = A_WHILE;
    let impatient = Database::new(impatient).unwrap();
    assert!(impatient.connection().await.unwrap_err().is_unavailable());
    assert!(impatient.shared().await.unwrap_err().is_unavailable());
    assert!(!pooled.is_finished() && !shared.is_finished() && !once.is_finished());

    crowd.truncate(2);
    pooled.await.unwrap();
    shared.await.unwrap();
    once.await.unwrap();
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn three_hundred_borrowers_share_what_a_small_server_has() {
    let folder = Folder::new();
    let cluster = folder
        .start(&[
            ("max_connections", "8"),
            ("superuser_reserved_connections", "0"),
        ])
        .await;
    let database = Database::new(options(&cluster.url("postgres"), "crowd")).unwrap();
    let mut borrowers = JoinSet::new();
    for _ in 0..300 {
        let database = database.clone();
        borrowers.spawn(async move {
            let mut connection = database.connection().await.unwrap();
            let transaction = connection.transaction().await.unwrap();
            transaction
                .batch_execute("select pg_sleep(0.002)")
                .await
                .unwrap();
            transaction.commit().await.unwrap();
        });
    }
    while let Some(borrower) = borrowers.join_next().await {
        borrower.unwrap();
    }
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn a_pool_grows_with_the_demand_unless_it_has_a_limit() {
    let test = TestDatabase::empty().await.unwrap();
    let outside = connect(test.url()).await;

    let growing = Database::new(options(test.url(), "growing")).unwrap();
    let mut held = Vec::new();
    for _ in 0..20 {
        held.push(growing.connection().await.unwrap());
    }
    assert_eq!(count(&outside, "growing").await, 20);

    // One of them is shared.
    let mut limited = options(test.url(), "limited");
    limited.max_pool_size = 3;
    let limited = Database::new(limited).unwrap();
    let first = limited.connection().await.unwrap();
    let second = limited.connection().await.unwrap();
    let pid = backend(&second).await.unwrap();
    let third = tokio::spawn({
        let limited = limited.clone();
        async move { limited.connection().await.unwrap() }
    });
    let one_waits = async || limited.usage().waiting == 1;
    eventually("the third one waits", one_waits).await;
    drop(second);
    let third = third.await.unwrap();
    assert_eq!(backend(&third).await.unwrap(), pid);
    assert_eq!(count(&outside, "limited").await, 2);
    assert_eq!(
        (limited.max_pooled(), growing.max_pooled()),
        (Some(2), None)
    );
    backend(&first).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_kinds_of_connections_share_one_limit() {
    let test = TestDatabase::empty().await.unwrap();
    let outside = connect(test.url()).await;
    let gate = connect(test.url()).await;
    for limit in [2, 3, 4, 7] {
        gate.execute("select pg_advisory_lock(7)", &[])
            .await
            .unwrap();
        let name = format!("limit {limit}");
        let mut options = options(test.url(), &name);
        options.max_pool_size = limit;
        let database = Database::new(options).unwrap();
        let mut users = JoinSet::new();
        for number in 0..60 {
            let database = database.clone();
            users.spawn(async move {
                if number % 2 == 0 {
                    let shared = database.shared().await.unwrap();
                    shared.batch_execute("select 1").await.unwrap();
                }
                let mut connection = database.connection().await.unwrap();
                let transaction = connection.transaction().await.unwrap();
                let wait = "select pg_advisory_xact_lock_shared(7)";
                transaction.batch_execute(wait).await.unwrap();
                transaction.commit().await.unwrap();
            });
        }
        let limit = i64::try_from(limit).unwrap();
        let all_are_used = async || count(&outside, &name).await == limit;
        eventually("as many are open as may be", all_are_used).await;
        let_later_ones_connect(test.url()).await;
        gate.execute("select pg_advisory_unlock(7)", &[])
            .await
            .unwrap();
        let mut most = 0;
        while !users.is_empty() {
            most = most.max(count(&outside, &name).await);
            while let Some(user) = users.try_join_next() {
                user.unwrap();
            }
        }
        assert_eq!(most, limit);
    }
}

#[tokio::test]
async fn a_connection_outside_of_the_pool_counts_too() {
    let test = TestDatabase::empty().await.unwrap();
    let outside = connect(test.url()).await;
    let mut options = options(test.url(), "limited");
    options.max_pool_size = 2;
    let database = Database::new(options).unwrap();
    database.ping().await.unwrap();
    let pooled = database.connection().await.unwrap();
    let refused = tokio::spawn({
        let database = database.clone();
        async move { database.connect_once().await.map(drop) }
    });
    let_later_ones_connect(test.url()).await;
    assert_eq!(count(&outside, "limited").await, 2);
    assert!(!refused.is_finished());
    refused.abort();

    // A connection that nobody uses makes room.
    drop(pooled);
    let once = database.connect_once().await.unwrap();
    let pooled = tokio::spawn({
        let database = database.clone();
        async move { database.connection().await.unwrap() }
    });
    let_later_ones_connect(test.url()).await;
    assert!(!pooled.is_finished());
    eventually("the pooled one is closed", async || {
        count(&outside, "limited").await == 2
    })
    .await;
    drop(once);
    let pooled = pooled.await.unwrap();
    backend(&pooled).await.unwrap();
}
