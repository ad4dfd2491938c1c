//! `innkeeper auth takeover` and `innkeeper auth migrate` on a database of GoTrue, as processes.

use std::fs;
use std::path::Path;

use innkeeper_service::testing::TestDatabase;
use serde_json::{Value, json};
use tokio::process::Command;
use tokio_postgres::{Client, NoTls};

use crate::named_tests;
use crate::support::{answer, folder, innkeeper, run, text};

/// The settings of a GoTrue with a short secret, as it accepts it.
const SETTINGS: &str = "\
GOTRUE_SITE_URL=http://localhost:3000
API_EXTERNAL_URL=http://localhost:9999
GOTRUE_API_HOST=localhost
GOTRUE_DB_DRIVER=postgres
GOTRUE_JWT_SECRET=short
GOTRUE_NO_SUCH_THING=1
";

/// Returns a command whose settings have GoTrue's prefix alone.
fn command(arguments: &[&str]) -> Command {
    let mut command = innkeeper(arguments);
    command.env_remove("AUTH_JWT_ALGORITHM");
    command
}

/// Creates a database as GoTrue leaves it after this many of its migrations, with one user.
async fn of_gotrue(count: usize) -> (TestDatabase, Client) {
    let database = TestDatabase::empty().await.unwrap();
    let (client, connection) = tokio_postgres::connect(database.url(), NoTls)
        .await
        .unwrap();
    tokio::spawn(connection);
    let prepare = "create schema auth;
        set search_path to auth;
        set client_min_messages to warning;
        create table schema_migrations (version varchar(255) primary key)";
    client.batch_execute(prepare).await.unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../auth/migrations/upstream");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    for path in files.iter().take(count) {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let version = name.split_once('_').unwrap().0;
        let sql = fs::read_to_string(path).unwrap();
        client.batch_execute(&sql).await.unwrap();
        let record = "insert into schema_migrations values ($1)";
        client.execute(record, &[&version]).await.unwrap();
    }
    let user = "insert into users (id, email, encrypted_password)
        values (gen_random_uuid(), 'ada@example.com', '$2a$10$abcdefghijklmnopqrstuu')";
    client.batch_execute(user).await.unwrap();
    (database, client)
}

async fn tables(client: &Client) -> i64 {
    let sql = "select count(*) from pg_tables where schemaname = 'auth'";
    client.query_one(sql, &[]).await.unwrap().get(0)
}

fn settings(folder: &Path, url: &str) -> String {
    let path = folder.join("gotrue.env");
    fs::write(&path, format!("{SETTINGS}DATABASE_URL={url}\n")).unwrap();
    path.to_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_database_of_gotrue_is_checked_migrated_and_finished() {
    let (database, client) = of_gotrue(61).await;
    let folder = folder();
    let file = settings(folder.path(), database.url());
    let before = tables(&client).await;
    let check = ["auth", "takeover", "check", "--env-file", &file];
    let told = answer(&mut command(&check)).await;
    for part in [
        "GoTrue's version  20250925093508 (known: 20260625000000)\n",
        "Migrations        9 of GoTrue's history, ",
        "Users            1: 1 bcrypt\n",
        "New sessions     version 1, which the GoTrue of this schema reads",
        "Profile: gotrue (implied",
        "  GOTRUE_JWT_SECRET\n",
        "This server does not know these settings:\n  GOTRUE_NO_SUCH_THING\n",
        "GOTRUE_JWT_SECRET: is shorter than 32 bytes",
        "The database can be taken over. Nothing was changed.\n",
    ] {
        assert!(told.contains(part), "{part} is missing:\n{told}");
    }
    assert!(
        !told.contains(database.url()) && !told.contains("short\n"),
        "{told}"
    );
    assert_eq!(tables(&client).await, before);

    let printed = answer(command(&check).arg("--json")).await;
    let document: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(document["can_be_taken_over"], json!(true));
    assert_eq!(document["counts"]["passwords"], json!({ "bcrypt": 1 }));
    assert_eq!(
        document["settings"]["unknown"],
        json!(["GOTRUE_NO_SUCH_THING"])
    );
    assert_eq!(document["takeover"], Value::Null);

    let migrate = ["auth", "migrate", "-c", &file];
    let told = answer(&mut command(&migrate)).await;
    assert!(
        told.contains("  20251007112900_add_session_refresh_token_columns\n"),
        "{told}"
    );
    let told = answer(&mut command(&["auth", "takeover", "check", database.url()])).await;
    assert!(told.contains(", not finished\n"), "{told}");

    let finish = ["auth", "takeover", "finish", "-c", &file];
    let told = answer(&mut command(&finish)).await;
    assert!(
        told.starts_with("The take-over is finished since "),
        "{told}"
    );
    assert!(told.contains("cannot refresh them any more"), "{told}");
    let printed = answer(command(&finish).arg("--json")).await;
    let document: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(document["found_version"], "20250925093508");
}

#[tokio::test]
async fn what_cannot_be_taken_over_is_told_and_left_alone() {
    let (database, client) = of_gotrue(70).await;
    let folder = folder();
    let file = settings(folder.path(), database.url());
    client
        .batch_execute(
            "insert into schema_migrations values ('20261101000000');
            alter table users drop column is_anonymous",
        )
        .await
        .unwrap();
    let before = tables(&client).await;
    let check = ["auth", "takeover", "check", database.url()];
    let output = run(&mut command(&check)).await;
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stdout);
    assert!(told.contains("  users.is_anonymous is missing\n"), "{told}");
    assert!(told.contains("--accept-newer"), "{told}");
    assert_eq!(
        text(&output.stderr),
        "innkeeper: 2 reasons against taking over this database\n"
    );
    let output = run(command(&check).args(["--accept-newer", "--json"])).await;
    assert_eq!(output.status.code(), Some(1));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        document["refusals"],
        json!(["users.is_anonymous is missing"])
    );

    for more in [&[][..], &["--accept-newer"]] {
        let output = run(command(&["auth", "migrate", "-c", &file]).args(more)).await;
        assert_eq!(output.status.code(), Some(1));
    }
    assert_eq!(tables(&client).await, before);
    client
        .batch_execute("alter table users add column is_anonymous boolean not null default false")
        .await
        .unwrap();
    let output = run(&mut command(&["auth", "migrate", "-c", &file])).await;
    assert!(text(&output.stderr).contains("`innkeeper auth migrate --accept-newer`"));
    answer(&mut command(&[
        "auth",
        "migrate",
        "-c",
        &file,
        "--accept-newer",
    ]))
    .await;
    answer(&mut command(&["auth", "migrate", "-c", &file])).await;
}

#[tokio::test]
async fn a_check_that_cannot_run_says_why() {
    let folder = folder();
    let nowhere = folder.path().join("none.env");
    let empty = folder.path().join("empty.env");
    fs::write(&empty, "").unwrap();
    let database = TestDatabase::empty().await.unwrap();
    let closed = "postgres://127.0.0.1:1/none";
    for (arguments, code, reason) in [
        (["--env-file", nowhere.to_str().unwrap()], 2, "cannot read "),
        (
            ["--env-file", empty.to_str().unwrap()],
            2,
            "has no DATABASE_URL",
        ),
        ([closed, "--json"], 2, "innkeeper: "),
        ([database.url(), "--json"], 1, "one reason against"),
    ] {
        let output = run(command(&["auth", "takeover", "check"]).args(arguments)).await;
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{told}");
        assert!(told.contains(reason), "{told}");
    }
}

/// The guide has a table of requests, each with the test that shows that it is met.
#[test]
fn every_test_that_the_guide_names_exists() {
    let page = named_tests::root().join("docs/auth/coming-from-gotrue.md");
    let page = fs::read_to_string(page).unwrap();
    let names: Vec<_> = page
        .split('`')
        .filter(|text| text.starts_with("auth::"))
        .map(|text| named_tests::parse_test_name(text).unwrap())
        .collect();
    assert!(names.len() >= 12, "{names:?}");
    for name in names {
        assert!(name.exists(), "{name}");
    }
}
