//! `innkeeper auth compare`, between servers of our own.

use innkeeper_service::testing::{HeldPort, TestDatabase, eventually};
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;
use tokio::process::Command;

use crate::support::{Process, answer, folder, innkeeper, run, text};

const SECRET: &str = "a-secret-of-more-than-thirty-two-bytes";

/// A running auth server on a database of its own.
struct Server {
    process: Process,
    url: String,
    token: String,
    _folder: TempDir,
    _database: TestDatabase,
    _ports: [HeldPort; 2],
}

impl Server {
    async fn start(profile: &str) -> Self {
        let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
        // Nobody takes mails.
        let (port, mail_port) = (HeldPort::take().unwrap(), HeldPort::take().unwrap());
        let file = folder.path().join("auth.env");
        let settings = format!(
            "AUTH_PROFILE={profile}\n\
             AUTH_SITE_URL=http://localhost:3000\n\
             AUTH_API_EXTERNAL_URL=http://localhost:9999\n\
             AUTH_API_HOST=127.0.0.1\n\
             AUTH_PORT={}\n\
             AUTH_DB_DRIVER=postgres\n\
             AUTH_DATABASE_URL={}\n\
             AUTH_JWT_SECRET={SECRET}\n\
             AUTH_JWT_ALGORITHM=HS256\n\
             AUTH_JWT_DEFAULT_GROUP_NAME=authenticated\n\
             AUTH_SMTP_HOST=127.0.0.1\n\
             AUTH_SMTP_PORT={}\n\
             AUTH_SMTP_ADMIN_EMAIL=inn@example.com\n\
             AUTH_RATE_LIMIT_EMAIL_SENT=100000\n",
            port.number(),
            database.url(),
            mail_port.number()
        );
        fs::write(&file, settings).unwrap();
        let file = file.to_str().unwrap();
        let token = answer(&mut innkeeper(&["auth", "token", "-c", file])).await;
        let process = Process::start(&mut innkeeper(&["auth", "serve", "-c", file]));
        let url = format!("http://{}", port.address());
        let users = || {
            let users = reqwest::Client::new().get(format!("{url}/admin/users"));
            users.bearer_auth(token.trim()).send()
        };
        // The database is migrated while the server listens already.
        eventually("the server is ready", async || {
            users().await.is_ok_and(|answer| answer.status() == 200)
        })
        .await;
        Self {
            process,
            url,
            token: token.trim().to_owned(),
            _folder: folder,
            _database: database,
            _ports: [port, mail_port],
        }
    }

    async fn stop(self) {
        self.process.stop().await;
    }
}

/// Returns the command that compares a server with another or with a file.
fn compare(with: &Server, more: &[&str]) -> Command {
    let mut command = innkeeper(&["auth", "compare", "--with", &with.url]);
    command
        .args(more)
        .env("COMPARE_WITH_TOKEN", &with.token)
        .env("COMPARE_AGAINST_TOKEN", &with.token);
    command
}

/// Runs a command that cannot begin and returns what it says.
async fn refusal(command: &mut Command) -> String {
    let output = run(command).await;
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
    assert!(output.stdout.is_empty(), "{}", text(&output.stdout));
    text(&output.stderr)
}

#[tokio::test]
async fn two_servers_with_the_same_settings_do_not_differ_and_neither_does_a_recording() {
    let (one, two) = tokio::join!(Server::start("gotrue"), Server::start("gotrue"));
    let said = answer(&mut compare(&one, &["--against", &two.url])).await;
    assert!(
        said.ends_with(" cases: 0 differences, 0 more by design.\n"),
        "{said}"
    );

    let said = refusal(&mut compare(&one, &["--against", &two.url])).await;
    assert!(
        said.contains("has users") && said.contains("--scratch"),
        "{said}"
    );

    let folder = folder();
    let file = folder.path().join("answers.json");
    let file = file.to_str().unwrap();
    let only = ["--scratch", "--only", "logout."];
    let said = answer(compare(&one, &["--record", file]).args(only)).await;
    assert!(said.starts_with("Wrote ") && said.contains(file), "{said}");
    let recorded = fs::read_to_string(file).unwrap();
    for secret in [one.token.as_str(), one.url.as_str(), SECRET] {
        assert!(!recorded.contains(secret));
    }
    let mut again = compare(&two, &["--against", file, "--json"]);
    let said: Value = serde_json::from_str(&answer(again.args(only)).await).unwrap();
    assert_eq!(said["differences"], serde_json::json!([]));
    assert!(said["cases"].as_u64().unwrap() >= 20);

    refuses_files(&two, Path::new(file)).await;
    one.stop().await;
    two.stop().await;
}

/// Checks what is said of files that are not recordings of this script.
async fn refuses_files(server: &Server, file: &Path) {
    let against = |file: &str| compare(server, &["--against", file, "--scratch"]);
    let name = file.to_str().unwrap();
    let mut recording: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    recording["script"] = "0123".into();
    fs::write(file, recording.to_string()).unwrap();
    let said = refusal(&mut against(name)).await;
    assert!(said.contains("another version of the script"), "{said}");
    for (broken, reason) in [
        ("{", "EOF"),
        ("{}", "format"),
        ("{\"format\": 1}", "answers"),
        ("{\"format\": 1, \"answers\": {}}", "script"),
    ] {
        fs::write(file, broken).unwrap();
        let said = refusal(&mut against(name)).await;
        assert!(said.contains("is not a recording"), "{said}");
        assert!(said.contains(reason), "{said}");
    }
    let said = refusal(&mut against("nowhere.json")).await;
    assert!(
        said.starts_with("innkeeper: cannot read nowhere.json: "),
        "{said}"
    );
}

#[tokio::test]
async fn profiles_differ_in_known_places() {
    let (std, gotrue) = tokio::join!(Server::start("std"), Server::start("gotrue"));
    let only = [
        "--only",
        "meta.unknown_path",
        "--only",
        "signup.both_identifiers",
    ];
    let mut command = compare(&std, &["--against", &gotrue.url, "--json"]);
    let output = run(command.args(only)).await;
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let said = text(&output.stderr);
    assert!(
        said.contains("differences that are not by design"),
        "{said}"
    );
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let found = report["differences"].as_array().unwrap();
    let place = |case: &str, place: &str| {
        let mut found = found.iter();
        found.find(|row| row["case"] == case && row["place"] == place)
    };
    let text_of_404 = place("meta.unknown_path", "text").unwrap();
    assert_eq!(text_of_404["with"], Value::Null);
    assert_eq!(text_of_404["against"], "404 page not found\n");
    assert!(
        found.iter().all(|row| row["by_design"].is_null()),
        "{report}"
    );

    let mut table = compare(&std, &["--against", &gotrue.url, "--scratch"]);
    let output = run(table.args(only)).await;
    assert_eq!(output.status.code(), Some(1));
    let table = text(&output.stdout);
    assert!(table.starts_with("CASE "), "{table}");
    assert!(table.contains("meta.unknown_path "), "{table}");
    std.stop().await;
    gotrue.stop().await;
}

#[tokio::test]
async fn a_comparison_that_cannot_run_says_why() {
    let server = Server::start("gotrue").await;
    let url = server.url.as_str();
    let with = |with: &str, more: &[&str]| {
        let mut command = innkeeper(&["auth", "compare", "--with", with, "--against", url]);
        command.args(more);
        command
    };
    let token = [
        "--with-token",
        &server.token,
        "--against-token",
        &server.token,
    ];
    for (mut command, reason) in [
        (
            with("http://127.0.0.1:1", &token),
            "cannot reach http://127.0.0.1:1: ",
        ),
        (
            with(&format!("{url}/nowhere"), &token),
            "is not an auth server",
        ),
        (
            with("localhost", &token),
            "--with localhost is not the address",
        ),
        (
            with(url, &[]),
            "give --with-token, or set COMPARE_WITH_TOKEN",
        ),
        (
            with(url, &["--with-token", "x", "--against-token", "y"]),
            "refuses the token of --with-token",
        ),
        (
            with(
                url,
                &["--with-token", &server.token, "--against-token", "y"],
            ),
            "refuses the token of --against-token",
        ),
        (with(url, &["--only", "nothing"]), "begins with nothing"),
    ] {
        let said = refusal(&mut command).await;
        assert!(said.contains(reason), "{said}");
        assert!(!said.contains(&server.token), "{said}");
    }
    let listed = answer(&mut innkeeper(&[
        "auth", "compare", "--list", "--only", "logout.",
    ]))
    .await;
    assert!(
        listed.lines().all(|line| line.starts_with("logout.")),
        "{listed}"
    );
    server.stop().await;
}
