//! Connections behind a PgBouncer in transaction mode, which gives each transaction another session.

use std::time::Duration;

use innkeeper_service::database::{Database, DatabaseOptions, Pooler};
use innkeeper_service::testing::{TestDatabase, TestPooler, eventually};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_postgres::NoTls;

use crate::support::connect;

/// Returns a database with a table of two schemas and a pooler whose sessions have the wrong one.
async fn pooled() -> (TestDatabase, TestPooler) {
    let database = TestDatabase::empty().await.unwrap();
    let (client, connection) = tokio_postgres::connect(database.url(), NoTls)
        .await
        .unwrap();
    tokio::spawn(connection);
    let schema = "create schema inn; create type inn.mood as enum ('calm', 'busy');
        create table inn.guests (name text not null, mood inn.mood not null default 'calm')";
    client.batch_execute(schema).await.unwrap();
    let pooler = TestPooler::start(database.url()).await.unwrap();
    let pooler = pooler.with_neighbour(&["guests"]).await.unwrap();
    (database, pooler)
}

fn database(pooler: &TestPooler, setting: Pooler) -> Database {
    Database::new(DatabaseOptions {
        pooler: setting,
        ..DatabaseOptions::new(pooler.url(), "inn")
    })
    .unwrap()
}

/// Uses one statement of each kind, and returns the number of guests.
async fn check_in(database: &Database, name: &str) -> i64 {
    let shared = database.shared().await.unwrap();
    let insert = shared
        .prepare_cached("insert into guests (name) values ($1)")
        .await
        .unwrap();
    shared.execute(&insert, &[&name]).await.unwrap();
    let mut pooled = database.connection().await.unwrap();
    let transaction = pooled.transaction().await.unwrap();
    let count = transaction
        .prepare_cached("select count(*), min(mood) from guests")
        .await
        .unwrap();
    let row = transaction.query_one(&count, &[]).await.unwrap();
    transaction.commit().await.unwrap();
    row.get(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn statements_run_in_their_own_schema_whoever_had_the_session() {
    let (_server, pooler) = pooled().await;
    for (index, setting) in [Pooler::Auto, Pooler::Transaction].into_iter().enumerate() {
        // Two replicas, whose statements have the same names.
        let replicas = [database(&pooler, setting), database(&pooler, setting)];
        let mut tasks = Vec::new();
        for replica in &replicas {
            for _ in 0..8 {
                let replica = replica.clone();
                tasks.push(tokio::spawn(async move {
                    for _ in 0..20 {
                        check_in(&replica, "Ada").await;
                    }
                }));
            }
        }
        for task in tasks {
            task.await.unwrap();
        }
        let before = i64::try_from(index * 321).unwrap();
        assert_eq!(check_in(&replicas[0], "Bob").await, before + 321);
    }
}

/// Each shared connection executes one statement at a time behind a pooler.
#[tokio::test]
async fn statements_of_four_requests_are_executed_at_once() {
    let server = TestDatabase::empty().await.unwrap();
    let pooler = TestPooler::start(server.url()).await.unwrap();
    let outside = connect(server.url()).await;
    for setting in [Pooler::Auto, Pooler::Transaction] {
        outside
            .batch_execute("begin; select pg_advisory_xact_lock(7)")
            .await
            .unwrap();
        let database = database(&pooler, setting);
        // What is noticed is known from the first connection on.
        database.ping().await.unwrap();
        let mut requests = JoinSet::new();
        for _ in 0..4 {
            let database = database.clone();
            requests.spawn(async move {
                let shared = database.shared().await.unwrap();
                let lock = "select pg_advisory_xact_lock_shared(7)";
                shared.query_one(lock, &[]).await.unwrap();
            });
        }
        eventually("four statements wait for the lock", async || {
            let waiting =
                "select count(*) from pg_locks where locktype = 'advisory' and not granted";
            let row = outside.query_one(waiting, &[]).await.unwrap();
            row.get::<_, i64>(0) == 4
        })
        .await;
        outside.batch_execute("commit").await.unwrap();
        requests.join_all().await;
        assert_eq!(database.usage().shared, 8);
    }
}

#[tokio::test]
async fn nothing_is_left_in_the_session() {
    let (server, pooler) = pooled().await;
    check_in(&database(&pooler, Pooler::Auto), "Ada").await;
    let (client, connection) = tokio_postgres::connect(pooler.url(), NoTls).await.unwrap();
    tokio::spawn(connection);
    for _ in 0..8 {
        let query = "select count(*) || current_setting('search_path') from pg_prepared_statements";
        let rows = client.simple_query(query).await.unwrap();
        let found = rows.iter().find_map(|message| match message {
            tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0),
            _ => None,
        });
        assert_eq!(found, Some("0neighbour"));
    }
    drop(server);
}

#[tokio::test]
async fn without_a_pooler_statements_keep_their_names() {
    let server = TestDatabase::empty().await.unwrap();
    let options = DatabaseOptions::new(server.url(), "inn");
    let connection = Database::new(options).unwrap().connection().await.unwrap();
    let count = "select count(*) from pg_prepared_statements";
    for _ in 0..2 {
        let statement = connection.prepare_cached(count).await.unwrap();
        let row = connection.query_one(&statement, &[]).await.unwrap();
        assert_eq!(row.get::<_, i64>(0), 1);
    }
    let path = connection.query_one("show search_path", &[]).await.unwrap();
    assert_eq!(path.get::<_, String>(0), "\"inn\"");
}

/// A session that somebody has cleared looks like one behind a pooler that hides itself.
#[tokio::test]
async fn a_lost_statement_is_noticed() {
    let server = TestDatabase::empty().await.unwrap();
    let mut options = DatabaseOptions::new(server.url(), "public");
    options.shared = 1;
    let database = Database::new(options).unwrap();
    let sql = "select count(*) from pg_prepared_statements";
    let shared = database.shared().await.unwrap();
    let statement = shared.prepare_cached(sql).await.unwrap();
    let pooled = database.connection().await.unwrap();
    let in_pool = pooled.prepare_cached(sql).await.unwrap();
    pooled.query_one(&in_pool, &[]).await.unwrap();
    drop(pooled);
    shared.batch_execute("deallocate all").await.unwrap();
    let error = shared.query_one(&statement, &[]).await.unwrap_err();
    assert!(innkeeper_service::database::is_lost(&error), "{error}");

    // From now on no statement is kept, on connections of either kind.
    let shared = database.shared().await.unwrap();
    let pooled = database.connection().await.unwrap();
    for _ in 0..2 {
        let statement = shared.prepare_cached(sql).await.unwrap();
        let row = shared.query_one(&statement, &[]).await.unwrap();
        assert_eq!(row.get::<_, i64>(0), 0);
        let statement = pooled.prepare_cached(sql).await.unwrap();
        let row = pooled.query_one(&statement, &[]).await.unwrap();
        assert_eq!(row.get::<_, i64>(0), 0);
    }
}

/// Passes connections on to a port. What clients send arrives in pieces, as on a slow network.
async fn slow_network(port: u16) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let server = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
            let (mut from_client, mut to_client) = client.into_split();
            let (mut from_server, mut to_server) = server.into_split();
            tokio::spawn(async move { tokio::io::copy(&mut from_server, &mut to_client).await });
            tokio::spawn(async move {
                let mut piece = [0; 700];
                loop {
                    let length = from_client.read(&mut piece).await.unwrap_or(0);
                    let sent = piece.get(..length).unwrap_or_default();
                    if sent.is_empty() || to_server.write_all(sent).await.is_err() {
                        break;
                    }
                    tokio::time::sleep(Duration::from_millis(2)).await;
                }
            });
        }
    });
    address.port()
}

/// The pooler gives a session to another client when it has passed on all answers, even in the middle of the
/// next statement.
#[tokio::test(flavor = "multi_thread")]
async fn statements_that_many_requests_send_on_one_connection_arrive_whole() {
    let (_server, pooler) = pooled().await;
    let config: tokio_postgres::Config = pooler.url().parse().unwrap();
    let port = config.get_ports()[0];
    let slow = slow_network(port).await;
    let url = pooler
        .url()
        .replace(&format!(":{port}/"), &format!(":{slow}/"));
    let database = Database::new(DatabaseOptions::new(&url, "inn")).unwrap();
    let requests: Vec<_> = (0..40)
        .map(|number| {
            let database = database.clone();
            tokio::spawn(async move {
                let name = format!("{number} {}", "x".repeat(1500));
                let shared = database.shared().await.unwrap();
                let select = shared.prepare_cached("select $1::text").await.unwrap();
                let row = shared.query_one(&select, &[&name]).await.unwrap();
                assert_eq!(row.get::<_, String>(0), name);
            })
        })
        .collect();
    for request in requests {
        request.await.unwrap();
    }
}
