//! Waiting for a connection while the pool or the server is full.

use std::time::Duration;

use innkeeper_service::database::Database;
use innkeeper_service::testing::TestDatabase;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::support::{Folder, backend, connect, count, options, until_clients_are};

/// Long enough for several refusals by a full server.
const A_WHILE: Duration = Duration::from_millis(400);

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
    let mut pooled = tokio::spawn({
        let database = database.clone();
        async move {
            backend(&database.connection().await.unwrap())
                .await
                .unwrap()
        }
    });
    let mut shared = tokio::spawn({
        let database = database.clone();
        async move { backend(&database.shared().await.unwrap()).await.unwrap() }
    });
    let mut once = tokio::spawn({
        let database = database.clone();
        async move {
            backend(&database.connect_once().await.unwrap())
                .await
                .unwrap()
        }
    });
    assert!(timeout(A_WHILE, &mut pooled).await.is_err());
    assert!(timeout(A_WHILE, &mut shared).await.is_err());
    assert!(timeout(A_WHILE, &mut once).await.is_err());

    let mut impatient = options(&url, "impatient");
    impatient.max_wait = A_WHILE;
    let impatient = Database::new(impatient).unwrap();
    assert!(impatient.connection().await.unwrap_err().is_unavailable());
    assert!(impatient.shared().await.unwrap_err().is_unavailable());

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

    let mut limited = options(test.url(), "limited");
    limited.max_pool_size = 2;
    let limited = Database::new(limited).unwrap();
    let first = limited.connection().await.unwrap();
    let second = limited.connection().await.unwrap();
    let pid = backend(&second).await.unwrap();
    assert!(timeout(A_WHILE, limited.connection()).await.is_err());
    drop(second);
    let third = limited.connection().await.unwrap();
    assert_eq!(backend(&third).await.unwrap(), pid);
    assert_eq!(count(&outside, "limited").await, 2);
    backend(&first).await.unwrap();
}
