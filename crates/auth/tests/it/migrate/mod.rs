//! The schema: created from scratch, taken over from any version, and migrated by several at once.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a helper of a test may fail like the test"
)]

mod catalog;
mod previous_api;
mod previous_release;
mod refusals;
mod rules;
mod scale;
mod takeover;

use std::fs;
use std::path::Path;

use innkeeper_auth::migrate::{MigrateError, migrate};
use innkeeper_service::testing::TestDatabase;
use tokio_postgres::{Client, NoTls};

use self::catalog::catalog;

/// Creates an empty database and connects to it.
async fn empty() -> (TestDatabase, Client) {
    let database = TestDatabase::empty().await.unwrap();
    let client = connect(database.url()).await;
    (database, client)
}

async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

/// Returns the version and the SQL of each upstream migration, in order.
pub(crate) fn history() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations/upstream");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
        .iter()
        .map(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap();
            let version = name.split_once('_').unwrap().0.to_owned();
            (version, fs::read_to_string(path).unwrap())
        })
        .collect()
}

#[tokio::test]
async fn a_new_schema_is_the_one_on_record() {
    let (_database, mut client) = empty().await;
    let report = migrate(&mut client, "auth").await.unwrap();
    assert_eq!(report.upstream.len(), 70);
    assert_eq!(report.len(), 70 + report.own.len());
    let found = catalog(&client, "auth").await;
    let expected: Vec<&str> = include_str!("schema.txt").lines().collect();
    for line in &found {
        assert!(expected.contains(&line.as_str()), "not on record: {line}");
    }
    for line in expected {
        assert!(found.iter().any(|found| found == line), "missing: {line}");
    }
}

#[tokio::test]
async fn a_second_run_finds_nothing_to_do() {
    let (_database, mut client) = empty().await;
    migrate(&mut client, "auth").await.unwrap();
    let before = catalog(&client, "auth").await;
    assert!(migrate(&mut client, "auth").await.unwrap().is_empty());
    assert_eq!(catalog(&client, "auth").await, before);
}

#[tokio::test]
async fn four_replicas_on_an_empty_database_apply_each_file_once() {
    let (database, client) = empty().await;
    let mut replicas = tokio::task::JoinSet::new();
    for _ in 0..4 {
        let mut client = connect(database.url()).await;
        replicas.spawn(async move { migrate(&mut client, "auth").await.unwrap() });
    }
    let mut applied = Vec::new();
    while let Some(report) = replicas.join_next().await {
        let report = report.unwrap();
        applied.extend(report.upstream);
        applied.extend(report.own);
    }
    applied.sort_unstable();
    let all = applied.len();
    applied.dedup();
    assert_eq!(applied.len(), all);
    let rows = client
        .query("select version from auth.schema_migrations", &[])
        .await
        .unwrap();
    assert_eq!(rows.len(), 70);
}

#[tokio::test]
async fn a_replica_that_waits_can_be_recognised() {
    let (database, mut first) = empty().await;
    let observer = connect(database.url()).await;
    let held = first.transaction().await.unwrap();
    held.execute(
        "select pg_advisory_xact_lock(x'696e6e6b'::int, hashtext('auth'))",
        &[],
    )
    .await
    .unwrap();
    let mut second = connect(database.url()).await;
    let waiting = tokio::spawn(async move { migrate(&mut second, "auth").await.unwrap() });
    let sql = "select count(*) from pg_stat_activity
        where datname = current_database()
            and application_name = 'auth_migrations'
            and wait_event = 'advisory'";
    while observer.query_one(sql, &[]).await.unwrap().get::<_, i64>(0) == 0 {
        assert!(!waiting.is_finished());
    }
    held.rollback().await.unwrap();
    assert!(!waiting.await.unwrap().is_empty());
}

#[tokio::test]
async fn any_name_is_a_schema_and_two_do_not_touch() {
    let (_database, mut client) = empty().await;
    for schema in ["Tenant \"One\"; drop schema auth", "auth", "select"] {
        assert_eq!(
            migrate(&mut client, schema).await.unwrap().upstream.len(),
            70
        );
    }
    assert_eq!(
        catalog(&client, "select").await,
        catalog(&client, "auth").await
    );
    let error = migrate(&mut client, "pg_toast").await.unwrap_err();
    assert!(matches!(error, MigrateError::SchemaName(_)));
}

#[tokio::test]
async fn a_file_that_fails_is_named_and_the_next_run_goes_on_from_there() {
    let (_database, mut client) = empty().await;
    client
        .batch_execute("create schema auth; create table auth.sessions (wrong int)")
        .await
        .unwrap();
    let error = migrate(&mut client, "auth").await.unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("migration 20220811173540_add_sessions_table failed: "),
        "{error}"
    );
    client
        .batch_execute("drop table auth.sessions")
        .await
        .unwrap();
    let report = migrate(&mut client, "auth").await.unwrap();
    assert_eq!(
        report.upstream.first(),
        Some(&"20220811173540_add_sessions_table")
    );
    assert!(migrate(&mut client, "auth").await.unwrap().is_empty());
}

#[tokio::test]
async fn a_role_without_rights_on_the_database_needs_only_its_schema() {
    let (database, client) = empty().await;
    let role = database
        .url()
        .rsplit_once('/')
        .unwrap()
        .1
        .replace("test", "role");
    client
        .batch_execute(&format!("create role {role} login password 'x'"))
        .await
        .unwrap();
    let (_, address) = database.url().split_once('@').unwrap();
    let mut limited = connect(&format!("postgres://{role}:x@{address}")).await;
    let error = migrate(&mut limited, "auth").await.unwrap_err();
    assert!(
        matches!(error, MigrateError::CreateSchema { .. }),
        "{error}"
    );
    assert!(error.to_string().contains("permission denied"), "{error}");

    client
        .batch_execute(&format!("create schema auth authorization {role}"))
        .await
        .unwrap();
    assert_eq!(
        migrate(&mut limited, "auth").await.unwrap().upstream.len(),
        70
    );
    // The role postgres exists here and is not the owner, so it was granted access.
    let row = client
        .query_one(
            "select relacl::text from pg_class where oid = 'auth.users'::regclass",
            &[],
        )
        .await
        .unwrap();
    assert!(row.get::<_, &str>(0).contains("postgres=r*/"));
}
