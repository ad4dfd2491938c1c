//! Schemas that are refused before anything is changed, and migrations that are interrupted or must wait.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use innkeeper_auth::migrate::{
    MigrateError, NewerSchema, SchemaProblem, examine, migrate, migrate_with,
};
use innkeeper_service::testing::TestDatabase;
use tokio::sync::mpsc;
use tokio_postgres::Client;

use super::takeover::{WIDE, apply, record};
use super::{catalog, connect, empty};
use crate::support::eventually;

/// Creates a schema of GoTrue with this many migrations.
async fn of_gotrue(count: usize) -> (TestDatabase, Client) {
    let (database, client) = empty().await;
    apply(&client, WIDE, count).await;
    (database, client)
}

/// Expects that a schema is refused with this reason, and is as before.
async fn assert_refused(client: &mut Client, reason: &str) {
    let before = catalog(client, "auth").await;
    let error = migrate(client, "auth").await.unwrap_err();
    assert!(matches!(error, MigrateError::Refused(_)), "{error}");
    assert!(error.to_string().contains(reason), "{error}");
    assert_eq!(catalog(client, "auth").await, before);
}

#[tokio::test]
async fn a_schema_without_a_needed_column_is_refused_and_left_as_it_is() {
    for (count, change, reason) in [
        (
            70,
            "alter table users drop column is_anonymous",
            "users.is_anonymous is missing",
        ),
        (
            61,
            "alter table identities drop column provider_id",
            "identities.provider_id is missing",
        ),
        (
            45,
            "drop table refresh_tokens",
            "refresh_tokens.token is missing",
        ),
        (
            70,
            "alter table sessions alter column refreshed_at type timestamptz",
            "sessions.refreshed_at has type timestamptz instead of timestamp",
        ),
        (
            70,
            "alter table users add column tenant int not null",
            "users.tenant is not GoTrue's, not null and without a default",
        ),
    ] {
        let (_database, mut client) = of_gotrue(count).await;
        client.batch_execute(change).await.unwrap();
        assert_refused(&mut client, reason).await;
    }
}

#[tokio::test]
async fn a_newer_schema_is_refused_until_it_is_accepted() {
    let (_database, mut client) = of_gotrue(70).await;
    record(&client, "20261101000000").await;
    assert_refused(&mut client, "--accept-newer").await;
    let accept = async |client: &mut Client| {
        migrate_with(client, "auth", NewerSchema::Accept, &mut |_| {}).await
    };
    let report = accept(&mut client).await.unwrap();
    assert!(report.upstream.is_empty() && !report.own.is_empty());
    // Servers start from now on, until the schema becomes newer again.
    assert!(migrate(&mut client, "auth").await.unwrap().is_empty());
    record(&client, "20261201000000").await;
    assert_refused(&mut client, "20261201000000").await;
    accept(&mut client).await.unwrap();
    migrate(&mut client, "auth").await.unwrap();
}

#[tokio::test]
async fn a_newer_schema_that_lacks_a_column_is_refused_all_the_same() {
    let (_database, mut client) = of_gotrue(70).await;
    record(&client, "20261101000000").await;
    client
        .batch_execute("alter table users drop column email")
        .await
        .unwrap();
    let before = catalog(&client, "auth").await;
    let refused = migrate_with(&mut client, "auth", NewerSchema::Accept, &mut |_| {}).await;
    assert!(matches!(refused, Err(MigrateError::Refused(_))));
    assert_eq!(catalog(&client, "auth").await, before);
}

/// Frameworks record their own migrations in a table of the same name.
#[tokio::test]
async fn a_history_of_another_program_is_not_taken_for_a_newer_gotrue() {
    for bookkeeping in [
        "create table schema_migrations (version varchar not null primary key);
         insert into schema_migrations values ('20240101120000'), ('20270101120000')",
        "create table schema_migrations (version bigint primary key, dirty boolean not null);
         insert into schema_migrations values (20270101120000, false)",
    ] {
        let (_database, mut client) = empty().await;
        client
            .batch_execute(&format!(
                "create schema auth; set search_path to auth; {bookkeeping}; create table users (id bigint)"
            ))
            .await
            .unwrap();
        let reason =
            "schema_migrations has none of the versions with which GoTrue's history begins";
        assert_refused(&mut client, reason).await;
        let error = migrate_with(&mut client, "auth", NewerSchema::Accept, &mut |_| {}).await;
        let error = error.unwrap_err().to_string();
        assert!(
            error.contains("DB_NAMESPACE") && !error.contains("--accept-newer"),
            "{error}"
        );
        let report = examine(&client, "auth").await.unwrap();
        assert_eq!((report.version, report.newer), (None, vec![]));
        assert_eq!(report.problems, [SchemaProblem::OtherHistory]);
    }
}

/// Migrates, and drops the connection when the migration with this number begins. Returns whether it came so far.
async fn killed_at(url: &str, number: usize) -> bool {
    let mut client = connect(url).await;
    let (send, mut reached) = mpsc::unbounded_channel();
    let mut on_step = move |step: innkeeper_auth::migrate::MigrationStep| {
        if step.number == number {
            send.send(()).unwrap();
        }
    };
    let work = migrate_with(&mut client, "auth", NewerSchema::Refuse, &mut on_step);
    tokio::select! {
        biased;
        Some(()) = reached.recv() => true,
        done = work => {
            done.unwrap();
            false
        }
    }
}

#[tokio::test]
async fn a_take_over_that_is_killed_at_every_step_goes_on_where_it_was() {
    let (_fresh, mut fresh) = empty().await;
    let all = migrate(&mut fresh, "auth").await.unwrap().len();
    let expected = catalog(&fresh, "auth").await;
    let (database, client) = of_gotrue(30).await;
    client
        .batch_execute("insert into users (id, email) values (gen_random_uuid(), 'a@example.com')")
        .await
        .unwrap();
    // Each run applies one migration and ends in the middle of the next.
    let mut kills = 1;
    assert!(killed_at(database.url(), 1).await);
    while killed_at(database.url(), 2).await {
        kills += 1;
    }
    assert_eq!(kills, all - 30);
    assert_eq!(catalog(&client, "auth").await, expected);
    let row = client
        .query_one(
            "select (select email::text from auth.users), (select found_version from auth.innkeeper_takeover)",
            &[],
        )
        .await
        .unwrap();
    assert_eq!(row.get::<_, &str>(0), "a@example.com");
    // The first run has noted what it found.
    assert_eq!(row.get::<_, &str>(1), "20221215195800");
}

#[tokio::test]
async fn a_new_schema_whose_first_migration_was_killed_is_not_taken_for_one_of_gotrue() {
    let (database, client) = empty().await;
    assert!(killed_at(database.url(), 20).await);
    let mut again = connect(database.url()).await;
    migrate(&mut again, "auth").await.unwrap();
    let row = client
        .query_one("select count(*) from auth.innkeeper_takeover", &[])
        .await
        .unwrap();
    assert_eq!(row.get::<_, i64>(0), 0);
}

#[tokio::test]
async fn a_migration_that_must_wait_for_a_reader_does_not_make_others_wait() {
    let (database, reader) = of_gotrue(45).await;
    reader
        .batch_execute("begin; select count(*) from users")
        .await
        .unwrap();
    let mut migrating = connect(database.url()).await;
    let process = migrating.query_one("select pg_backend_pid()", &[]).await;
    let process: i32 = process.unwrap().get(0);
    let migration = tokio::spawn(async move { migrate(&mut migrating, "auth").await });
    let watcher = connect(database.url()).await;
    let mut attempts = BTreeSet::new();
    let watch = eventually("the migration waits for the second time", async || {
        let waiting = "select query_start::text from pg_stat_activity
            where pid = $1 and wait_event_type = 'Lock'";
        let row = watcher.query_opt(waiting, &[&process]).await.unwrap();
        attempts.extend(row.map(|row| row.get::<_, String>(0)));
        attempts.len() == 2
    });
    let mut watch = std::pin::pin!(watch);
    let other = connect(database.url()).await;
    // PostgreSQL measures it: on a busy machine an answer may be late for other reasons.
    other
        .batch_execute("set lock_timeout = '1s'")
        .await
        .unwrap();
    let mut is_over = false;
    while !is_over {
        let read = other.query("select count(*) from auth.users", &[]);
        let mut read = std::pin::pin!(read);
        let answered = tokio::select! {
            () = &mut watch, if !is_over => {
                is_over = true;
                read.await
            }
            answered = &mut read => answered,
        };
        answered.expect("an answer without a long wait for a lock");
        assert!(!migration.is_finished());
    }
    reader.batch_execute("commit").await.unwrap();
    let report = migration.await.unwrap().unwrap();
    assert_eq!(report.upstream.len(), 25);
}

/// The columns after each migration, and the version since which each is as it is at the end.
#[tokio::test]
async fn the_known_columns_are_those_of_the_history() {
    let (_database, client) = of_gotrue(0).await;
    let mut since: std::collections::BTreeMap<String, String> = std::collections::BTreeMap::new();
    for (version, sql) in super::history() {
        client.batch_execute(&sql).await.unwrap();
        let rows = client
            .query(
                "select c.relname || '.' || a.attname || ' '
                        || case when t.typname = 'varchar' then 'text' else t.typname end
                 from pg_attribute a
                 join pg_class c on c.oid = a.attrelid and c.relkind = 'r' and c.relname <> 'schema_migrations'
                 join pg_type t on t.oid = a.atttypid
                 where c.relnamespace = 'auth'::regnamespace and a.attnum > 0 and not a.attisdropped",
                &[],
            )
            .await
            .unwrap();
        let now: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
        since.retain(|column, _| now.contains(column));
        for column in now {
            since.entry(column).or_insert_with(|| version.clone());
        }
    }
    let mut lines = String::new();
    for (column, version) in &since {
        writeln!(lines, "{column} {version}").unwrap();
    }
    let path =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/store/migrate/columns.txt");
    if std::env::var_os("UPDATE_COLUMNS").is_some() {
        std::fs::write(&path, &lines).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap(), lines);
}
