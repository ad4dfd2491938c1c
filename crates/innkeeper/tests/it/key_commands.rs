//! The operator's commands for customers and keys, as processes.

use innkeeper_service::testing::TestDatabase;
use serde_json::{Value, json};
use tokio::process::Command;

use crate::support::{Process, answer, complaint, innkeeper, run, text};

const PEPPERS: &str = "1:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";

fn hosting(arguments: &[&str], database: &TestDatabase) -> Command {
    let mut command = innkeeper(&["hosting"]);
    command
        .args(arguments)
        .env("DATABASE_URL", database.url())
        .env("HOSTING_KEY_PEPPERS", PEPPERS);
    command
}

async fn asked(arguments: &[&str], database: &TestDatabase) -> String {
    answer(&mut hosting(arguments, database)).await
}

async fn listed(arguments: &[&str], database: &TestDatabase) -> Value {
    serde_json::from_str(&asked(arguments, database).await).unwrap()
}

/// Creates a key of a customer, and returns its text.
async fn create(database: &TestDatabase, more: &[&str]) -> String {
    let fixed = ["key", "create", "--customer", "north", "--name", "CI"];
    let arguments = [&fixed, more].concat();
    asked(&arguments, database).await.trim().to_owned()
}

/// Returns the status and the code of the error when a key is presented.
async fn present(url: &str, key: &str) -> (u16, Option<String>) {
    let request = reqwest::Client::new().get(format!("{url}/v1/hosting/key"));
    let answer = request.header("x-api-key", key).send().await.unwrap();
    let status = answer.status().as_u16();
    let body: Value = answer.json().await.unwrap();
    (status, body["code"].as_str().map(str::to_owned))
}

#[tokio::test]
async fn customers_are_added_listed_and_removed() {
    let database = TestDatabase::empty().await.unwrap();
    let id = asked(&["customer", "add", "North Ltd"], &database).await;
    assert!(id.starts_with("cus_") && id.len() == 31, "{id}");
    let add = ["customer", "add", "South", "--id", "south", "--json"];
    let south = listed(&add, &database).await;
    assert_eq!(
        (&south["id"], &south["name"]),
        (&json!("south"), &json!("South"))
    );
    let table = asked(&["customer", "list"], &database).await;
    assert!(table.starts_with("ID  "), "{table}");
    assert!(table.contains("0         0     North Ltd"), "{table}");
    asked(&["customer", "remove", id.trim()], &database).await;
    let left = listed(&["customer", "list", "--json"], &database).await;
    assert_eq!(left.as_array().map(Vec::len), Some(1));
    assert_eq!(
        (&left[0]["machines"], &left[0]["keys"]),
        (&json!(0), &json!(0))
    );
    let said = complaint(&mut hosting(&["customer", "remove", "nobody"], &database)).await;
    assert_eq!(said, "innkeeper: customer nobody does not exist\n");
    let mut wrong = hosting(&["customer", "add", "x", "--id", "-x"], &database);
    let output = run(&mut wrong).await;
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
}

#[tokio::test]
async fn a_key_is_shown_once_and_its_rights_at_any_time() {
    let database = TestDatabase::empty().await.unwrap();
    asked(&["customer", "add", "North", "--id", "north"], &database).await;
    let key = create(
        &database,
        &[
            "--scope",
            "game:power",
            "--scope",
            "game:read",
            "--network",
            "192.0.2.0/24",
            "--network",
            "2001:db8::/32",
            "--expires",
            "90d",
        ],
    );
    let key = key.await;
    assert!(key.starts_with("ink_live_") && key.len() == 59, "{key}");
    let id = &key[9..21];
    let shown = listed(&["key", "show", id, "--json"], &database).await;
    assert_eq!(shown["scopes"], json!(["game:read", "game:power"]));
    assert_eq!(shown["networks"], json!(["192.0.2.0/24", "2001:db8::/32"]));
    assert_eq!(
        (&shown["machines"], &shown["state"]),
        (&Value::Null, &json!("active"))
    );
    assert_eq!(
        (&shown["customer"], &shown["name"]),
        (&json!("north"), &json!("CI"))
    );
    let secret = &key[21..53];
    for arguments in [
        &["key", "show", id][..],
        &["key", "show", id, "--json"],
        &["key", "list"],
        &["key", "list", "--json"],
        &["key", "list", "--customer", "north"],
    ] {
        let said = asked(arguments, &database).await;
        assert!(said.contains(id) && !said.contains(secret), "{said}");
    }
    let lines = asked(&["key", "show", id], &database).await;
    assert!(
        lines.contains("scopes     game:read, game:power\n"),
        "{lines}"
    );
    assert!(lines.contains("machines   all\n"), "{lines}");
    let table = asked(&["key", "list"], &database).await;
    assert!(
        table.starts_with("ID            STATE    EXPIRES"),
        "{table}"
    );
}

#[tokio::test]
async fn a_key_is_created_with_json_for_programs() {
    let database = TestDatabase::empty().await.unwrap();
    asked(&["customer", "add", "North", "--id", "north"], &database).await;
    let document = [
        "key",
        "create",
        "--customer",
        "north",
        "--name",
        "x",
        "--scope",
        "*",
        "--json",
    ];
    let document = listed(&document, &database).await;
    let text = document["key"].as_str().unwrap();
    assert_eq!(Some(&text[9..21]), document["id"].as_str());
}

#[tokio::test]
async fn arguments_that_make_no_sense_are_refused() {
    let database = TestDatabase::empty().await.unwrap();
    asked(&["customer", "add", "North", "--id", "north"], &database).await;
    let fixed = ["key", "create", "--customer", "north", "--name", "CI"];
    for wrong in [
        &[][..],
        &["--scope", "everything"],
        &["--scope", "*", "--network", "192.0.2.0/33"],
        &["--scope", "*", "--expires", "tomorrow"],
    ] {
        let output = run(&mut hosting(&[&fixed, wrong].concat(), &database)).await;
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
    for (wrong, message) in [
        (
            &["--network", "192.0.2.7/24"][..],
            "did you mean 192.0.2.0/24?",
        ),
        (&["--machine", "mc-1"], "customer north has no machine mc-1"),
        (
            &["--expires", "2020-01-01T00:00:00Z"],
            "would have expired already",
        ),
        (&["--expires", "0s"], "would have expired already"),
    ] {
        let arguments = [&fixed[..], &["--scope", "*"], wrong].concat();
        let said = complaint(&mut hosting(&arguments, &database)).await;
        assert!(said.contains(message), "{said}");
    }
    for command in ["show", "revoke", "rotate"] {
        let mut unknown = hosting(&["key", command, "000000000000"], &database);
        let said = complaint(&mut unknown).await;
        assert_eq!(
            said, "innkeeper: key 000000000000 does not exist\n",
            "{command}"
        );
    }
    let mut foreign = hosting(&["key", "list", "--customer", "nobody"], &database);
    let said = complaint(&mut foreign).await;
    assert_eq!(said, "innkeeper: customer nobody does not exist\n");
    let arguments = [&fixed[..], &["--scope", "*"]].concat();
    let mut unpeppered = hosting(&arguments, &database);
    let said = complaint(unpeppered.env_remove("HOSTING_KEY_PEPPERS")).await;
    assert!(said.contains("HOSTING_KEY_PEPPERS is not set"), "{said}");
    let mut weak = hosting(&arguments, &database);
    let said = complaint(weak.env("HOSTING_KEY_PEPPERS", "1:c2hvcnQ=")).await;
    assert!(
        said.contains("HOSTING_KEY_PEPPERS: expected numbered secrets"),
        "{said}"
    );
    assert!(!said.contains("c2hvcnQ"), "{said}");
}

#[tokio::test]
async fn a_running_server_follows_and_logs_no_secret() {
    let database = TestDatabase::empty().await.unwrap();
    asked(&["customer", "add", "North", "--id", "north"], &database).await;
    let mut command = hosting(&["serve"], &database);
    command
        .env("HOSTING_PORT", "0")
        .env("HOSTING_HOST", "127.0.0.1")
        .env("HOSTING_LOG_LEVEL", "trace")
        .env("HOSTING_RATE_LIMIT_CONTROL", "100000")
        .env("HOSTING_RATE_LIMIT_PUBLIC", "100000");
    let mut server = Process::start(&mut command);
    let mut log = String::new();
    let url = loop {
        let line = server.error_line().await;
        log.push_str(&line);
        if let Some((_, address)) = line.trim().rsplit_once("address=") {
            break format!("http://{address}");
        }
    };
    let old = create(&database, &["--scope", "*"]).await;
    // The schema is checked in the first moments.
    while present(&url, &old).await.0 == 503 {}
    assert_eq!(present(&url, &old).await, (200, None));
    let rotate = ["key", "rotate", &old[9..21], "--overlap", "0s"];
    let new = asked(&rotate, &database).await.trim().to_owned();
    assert_eq!(present(&url, &new).await, (200, None));
    // The server notices within five seconds.
    while present(&url, &old).await.0 == 200 {}
    assert_eq!(
        present(&url, &old).await,
        (401, Some("key_expired".to_owned()))
    );
    let said = asked(&["key", "revoke", &new[9..21]], &database).await;
    assert_eq!(said, format!("Key {} is revoked.\n", &new[9..21]));
    while present(&url, &new).await.0 == 200 {}
    assert_eq!(
        present(&url, &new).await,
        (401, Some("key_revoked".to_owned()))
    );
    let in_url = format!("{url}/v1/hosting/key?api_key={new}");
    assert_eq!(reqwest::get(in_url).await.unwrap().status(), 400);
    server.signal(rustix::process::Signal::TERM);
    let (status, rest) = server.ended().await;
    assert_eq!(status.code(), Some(0), "{rest}");
    log.push_str(&rest);
    for secret in [&old[21..53], &new[21..53], "MDEyMzQ1Njc4OWFi"] {
        assert!(!log.contains(secret), "{log}");
    }
}
