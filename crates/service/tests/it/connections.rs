//! Pooled and shared connections.

use std::time::Duration;

use innkeeper_service::database::{Database, DatabaseOptions, constraint};
use innkeeper_service::testing::{HeldPort, TestDatabase, eventually};
use tokio::task::JoinSet;

use crate::support::{
    Folder, backend, connect, count, database, options, terminate, until_clients_are,
};

#[tokio::test]
async fn names_without_a_schema_mean_ours_on_every_kind_of_connection() {
    let test = TestDatabase::empty().await.unwrap();
    let schema = "Tenant \"One\"; drop";
    connect(test.url())
        .await
        .batch_execute("create schema \"Tenant \"\"One\"\"; drop\"")
        .await
        .unwrap();
    let database = Database::new(DatabaseOptions::new(test.url(), schema)).unwrap();
    let sql = "select current_schema()::text";
    let pooled = database.connection().await.unwrap();
    let shared = database.shared().await.unwrap();
    let once = database.connect_once().await.unwrap();
    let found: [String; 3] = [
        pooled.query_one(sql, &[]).await.unwrap().get(0),
        shared.query_one(sql, &[]).await.unwrap().get(0),
        once.query_one(sql, &[]).await.unwrap().get(0),
    ];
    assert_eq!(found, [schema, schema, schema]);
    assert_eq!(database.schema(), schema);
    database.ping().await.unwrap();
}

#[tokio::test]
async fn a_database_that_is_away_is_told_from_a_statement_that_fails() {
    let test = TestDatabase::empty().await.unwrap();
    let port = test
        .url()
        .rsplit_once(':')
        .unwrap()
        .1
        .split_once('/')
        .unwrap()
        .0;
    let closed = HeldPort::take().unwrap();
    let away = [
        format!("postgres://me:secret@{}/app", closed.address()),
        format!("postgres://postgres:wrong@127.0.0.1:{port}/postgres"),
        format!("{}_missing", test.url()),
        format!("{}?sslmode=require", test.url()),
        "postgres:///app?host=/nowhere&user=me".to_owned(),
    ];
    for url in away {
        let database = Database::new(DatabaseOptions::new(url.clone(), "auth")).unwrap();
        let errors = [
            database.connection().await.map(drop).unwrap_err(),
            database.shared().await.map(drop).unwrap_err(),
            database.connect_once().await.map(drop).unwrap_err(),
            database.ping().await.unwrap_err(),
        ];
        for error in errors {
            assert!(error.is_unavailable(), "{url}: {error}");
            let shown = format!("{error} {error:?}");
            assert!(
                !shown.contains("secret") && !shown.contains("wrong"),
                "{shown}"
            );
        }
    }
    let database = Database::new(DatabaseOptions::new(test.url(), "public")).unwrap();
    let connection = database.shared().await.unwrap();
    let error = connection
        .batch_execute("select nonsense")
        .await
        .unwrap_err();
    let error = innkeeper_service::database::DatabaseError::from(error);
    assert!(!error.is_unavailable(), "{error}");
}

#[tokio::test]
async fn a_violated_constraint_is_named() {
    let (_test, database, _) = database("constraint").await;
    let connection = database.connection().await.unwrap();
    connection
        .batch_execute("create table t (a int constraint once unique); insert into t values (1)")
        .await
        .unwrap();
    let error = connection
        .execute("insert into t values (1)", &[])
        .await
        .unwrap_err();
    assert_eq!(constraint(&error), Some("once"));
    let error = connection.execute("select 1 / 0", &[]).await.unwrap_err();
    assert_eq!(constraint(&error), None);
}

#[tokio::test]
async fn a_pooled_connection_is_used_again_and_replaced_when_lost() {
    let (_test, database, outside) = database("pooled").await;
    let first = backend(&database.connection().await.unwrap())
        .await
        .unwrap();
    let again = backend(&database.connection().await.unwrap())
        .await
        .unwrap();
    assert_eq!(again, first);

    terminate(&outside, "pooled").await;
    eventually("a new connection answers", async || {
        match backend(&database.connection().await.unwrap()).await {
            Ok(pid) => pid != first,
            Err(error) => {
                let error = innkeeper_service::database::DatabaseError::from(error);
                assert!(error.is_unavailable(), "{error}");
                false
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_statement_cut_off_by_the_server_is_unavailable() {
    let (_test, database, outside) = database("cut").await;
    let connection = database.connection().await.unwrap();
    let running = tokio::spawn(async move {
        let error = connection
            .batch_execute("select pg_sleep(60)")
            .await
            .unwrap_err();
        innkeeper_service::database::DatabaseError::from(error)
    });
    eventually("the statement runs", async || {
        let row = outside
            .query_one(
                "select count(*) from pg_stat_activity
                 where datname = current_database() and application_name = 'cut' and state = 'active'",
                &[],
            )
            .await
            .unwrap();
        row.get::<_, i64>(0) == 1
    })
    .await;
    terminate(&outside, "cut").await;
    let error = running.await.unwrap();
    assert!(error.is_unavailable(), "{error}");
}

#[tokio::test]
async fn shared_connections_are_few_and_come_back_when_lost() {
    let (test, _, outside) = database("observer").await;
    let mut options = options(test.url(), "shared");
    options.shared = 3;
    let database = Database::new(options).unwrap();
    for _ in 0..2 {
        let mut users = JoinSet::new();
        for number in 0..100_i64 {
            let database = database.clone();
            users.spawn(async move {
                let connection = database.shared().await.unwrap();
                let statement = connection.prepare_cached("select $1::int8").await.unwrap();
                let row = connection.query_one(&statement, &[&number]).await.unwrap();
                assert_eq!(row.get::<_, i64>(0), number);
            });
        }
        while let Some(user) = users.join_next().await {
            user.unwrap();
        }
        assert_eq!(count(&outside, "shared").await, 3);

        let held = database.shared().await.unwrap();
        terminate(&outside, "shared").await;
        eventually("the loss is noticed", async || held.is_closed()).await;
        eventually("every slot is connected again", async || {
            database.ping().await.is_ok()
                && database.ping().await.is_ok()
                && database.ping().await.is_ok()
        })
        .await;
    }
}

#[tokio::test]
async fn idle_connections_are_closed() {
    let test = TestDatabase::empty().await.unwrap();
    let outside = connect(test.url()).await;
    let mut options = options(test.url(), "idle");
    options.max_idle_time = Duration::from_millis(50);
    let database = Database::new(options).unwrap();
    let held = database.connection().await.unwrap();
    drop(database.connection().await.unwrap());
    eventually("only the borrowed one is left", async || {
        count(&outside, "idle").await == 1
    })
    .await;
    backend(&held).await.unwrap();
}

#[tokio::test]
async fn no_more_connections_stay_idle_than_may() {
    let test = TestDatabase::empty().await.unwrap();
    let outside = connect(test.url()).await;
    let mut options = options(test.url(), "few");
    options.max_idle = 2;
    let database = Database::new(options).unwrap();
    let mut all = Vec::new();
    for _ in 0..5 {
        all.push(database.connection().await.unwrap());
    }
    let last = backend(&all[4]).await.unwrap();
    assert_eq!(count(&outside, "few").await, 5);
    drop(all);
    eventually("two are left", async || count(&outside, "few").await == 2).await;
    // The connection used last is still open.
    let again = database.connection().await.unwrap();
    assert_eq!(backend(&again).await.unwrap(), last);
}

#[tokio::test]
async fn connections_that_have_grown_old_are_replaced_however_much_they_are_used() {
    let test = TestDatabase::empty().await.unwrap();
    let mut options = options(test.url(), "old");
    options.max_lifetime = Some(Duration::from_millis(100));
    options.shared = 1;
    let database = Database::new(options).unwrap();
    let held = database.shared().await.unwrap();
    let pooled = async || {
        let connection = database.connection().await.unwrap();
        backend(&connection).await.unwrap()
    };
    let shared = async || {
        let connection = database.shared().await.unwrap();
        backend(&connection).await.unwrap()
    };
    let first = [pooled().await, backend(&held).await.unwrap()];
    eventually("both are others", async || {
        pooled().await != first[0] && shared().await != first[1]
    })
    .await;
    // A caller that holds an old connection can keep using it.
    assert_eq!(backend(&held).await.unwrap(), first[1]);
}

#[tokio::test]
async fn an_old_shared_connection_is_replaced_when_all_that_there_may_be_are_open() {
    let test = TestDatabase::empty().await.unwrap();
    let outside = connect(test.url()).await;
    let mut options = options(test.url(), "old");
    // Every connection is old when it is used again.
    options.max_lifetime = Some(Duration::ZERO);
    options.max_pool_size = 2;
    let database = Database::new(options).unwrap();
    let first = backend(&database.shared().await.unwrap()).await.unwrap();
    let pooled = database.connection().await.unwrap();
    let still = database.shared().await.unwrap();
    assert_eq!(backend(&still).await.unwrap(), first);
    assert_eq!(count(&outside, "old").await, 2);

    // One that nobody uses makes room.
    drop((pooled, still));
    let next = database.shared().await.unwrap();
    assert_ne!(backend(&next).await.unwrap(), first);
    let pooled = database.connection().await.unwrap();
    backend(&pooled).await.unwrap();
    eventually("the old ones are closed", async || {
        count(&outside, "old").await == 2
    })
    .await;
}

#[tokio::test]
async fn an_old_connection_serves_as_long_as_there_is_no_room_for_another() {
    let folder = Folder::new();
    let cluster = folder
        .start(&[
            ("max_connections", "4"),
            ("superuser_reserved_connections", "0"),
        ])
        .await;
    let url = cluster.url("postgres");
    let mut options = options(&url, "old");
    options.max_lifetime = Some(Duration::ZERO);
    options.shared = 1;
    let database = Database::new(options).unwrap();
    let held = database.shared().await.unwrap();
    let first = backend(&held).await.unwrap();
    until_clients_are(1, &held).await;
    let mut crowd = Vec::new();
    for _ in 0..3 {
        crowd.push(connect(&url).await);
    }
    let again = backend(&database.shared().await.unwrap()).await.unwrap();
    assert_eq!(again, first);
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn a_closed_database_lends_nothing() {
    let (_test, database, outside) = database("closed").await;
    drop(database.connection().await.unwrap());
    database.ping().await.unwrap();
    database.close();
    eventually("its connections are gone", async || {
        count(&outside, "closed").await == 0
    })
    .await;
    assert!(database.connection().await.unwrap_err().is_unavailable());
}

#[tokio::test]
async fn a_socket_serves_as_well_as_a_port() {
    let folder = Folder::new();
    let cluster = folder.start(&[]).await;
    let url = cluster.url("postgres");
    let (credentials, _) = url.split_once('@').unwrap();
    let socket = cluster.data_dir().display().to_string().replace('/', "%2F");
    let port = cluster.port();
    for url in [
        format!("{credentials}@{socket}:{port}/postgres"),
        format!("{credentials}@/postgres?host={socket}&port={port}&sslmode=verify-full"),
    ] {
        let database = Database::new(DatabaseOptions::new(url, "public")).unwrap();
        let connection = database.connection().await.unwrap();
        let row = connection
            .query_one("select inet_server_addr() is null", &[])
            .await
            .unwrap();
        assert!(row.get::<_, bool>(0));
    }
    cluster.stop().await.unwrap();
}
