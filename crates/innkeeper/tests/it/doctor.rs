//! `innkeeper doctor`, on healthy and broken installations.

use std::path::Path;

use innkeeper_service::testing::TestDatabase;
use serde_json::Value;
use tokio::process::Command;

use crate::support::{Up, answer, folder, innkeeper, run, text};

/// Returns the findings of a part, as `state: what`.
fn of(part: &str, document: &Value) -> Vec<String> {
    let findings = document["findings"].as_array().unwrap().iter();
    findings
        .filter(|finding| finding["part"] == part)
        .map(|finding| {
            let [state, what] = ["state", "what"].map(|key| finding[key].as_str().unwrap());
            format!("{state}: {what}")
        })
        .collect()
}

fn doctor(arguments: &[&str], folder: &Path) -> Command {
    let mut command = innkeeper(&["doctor"]);
    command.args(arguments).current_dir(folder);
    command
}

/// Returns valid settings of the auth server, with a mail server that does not exist.
fn settings(database: &str) -> String {
    format!(
        "AUTH_DB_DRIVER=postgres\nAUTH_DATABASE_URL={database}\nAUTH_SITE_URL=http://localhost\n\
         AUTH_API_EXTERNAL_URL=http://localhost:1\nAUTH_JWT_SECRET={}\nAUTH_SMTP_HOST=127.0.0.1\n\
         AUTH_SMTP_PORT=1\nAUTH_SMTP_ADMIN_EMAIL=inn@example.com\n\
         AUTH_REDIS_URL=redis://127.0.0.1:1\n",
        "s3cret-".repeat(6)
    )
}

#[tokio::test]
async fn a_running_inn_is_healthy_in_all_its_parts() {
    let database = TestDatabase::empty().await.unwrap();
    let folder = folder();
    let up = Up::on(&database, &folder.path().join("inn")).await;

    let said = answer(&mut doctor(&["--data-dir", "inn", "--json"], folder.path())).await;

    let document: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(document["problems"], 0, "{said}");
    let auth = of("auth", &document);
    assert!(
        auth[0].starts_with("ok: the settings are valid"),
        "{auth:?}"
    );
    assert!(
        auth.iter()
            .any(|line| line.starts_with("ok: the database responds: PostgreSQL "))
    );
    assert!(
        auth.contains(&"ok: the schema is up to date".to_owned()),
        "{auth:?}"
    );
    assert!(
        auth.iter()
            .any(|line| line.starts_with("ok: the mail server 127.0.0.1:")),
        "{auth:?}"
    );
    let hosting = of("hosting", &document);
    assert!(
        hosting
            .iter()
            .any(|line| line.starts_with("ok: the content is valid: ")),
        "{hosting:?}"
    );
    assert!(!of("machine", &document).is_empty());

    let said = answer(&mut doctor(&["--data-dir", "inn"], folder.path())).await;
    assert!(
        said.contains("\nauth\n  ok       the settings are valid"),
        "{said}"
    );
    up.process.stop().await;
}

#[tokio::test]
async fn each_part_that_is_away_is_named_with_what_to_do() {
    let database = TestDatabase::empty().await.unwrap();
    let folder = folder();
    std::fs::write(folder.path().join("auth.env"), settings(database.url())).unwrap();
    std::fs::write(
        folder.path().join("hosting.env"),
        "HOSTING_DATABASE_URL=postgres://127.0.0.1:1/none\n",
    )
    .unwrap();
    let arguments = [
        "--auth-config",
        "auth.env",
        "--hosting-config",
        "hosting.env",
        "--json",
    ];

    let output = run(&mut doctor(&arguments, folder.path())).await;

    assert_eq!(output.status.code(), Some(1));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let auth = of("auth", &document);
    assert!(
        auth.iter()
            .any(|line| line.starts_with("ok: the database responds")),
        "{auth:?}"
    );
    assert!(
        auth.iter()
            .any(|line| line.starts_with("warning: the schema is missing ")),
        "{auth:?}"
    );
    assert!(
        auth.iter()
            .any(|line| line.starts_with("problem: the mail server 127.0.0.1:1: "))
    );
    assert!(
        auth.iter()
            .any(|line| line.starts_with("problem: the Redis for shared rate limits: "))
    );
    let hosting = of("hosting", &document);
    assert!(
        hosting
            .iter()
            .any(|line| line.starts_with("problem: the database: ")),
        "{hosting:?}"
    );
    let all = document["findings"].as_array().unwrap();
    assert!(
        all.iter()
            .all(|finding| finding["state"] != "problem" || finding["advice"].is_string())
    );
    let problems = document["problems"].as_u64().unwrap();
    let end = format!("innkeeper: found {problems} problems\n");
    assert!(text(&output.stderr).ends_with(&end));
}

#[tokio::test]
async fn what_machines_need_is_named() {
    let folder = folder();
    let settings = format!(
        "HOSTING_DATABASE_URL=postgres://127.0.0.1:1/none\nHOSTING_MACHINES_DIR=/{}\n\
         HOSTING_QEMU_BINARY=/nowhere/qemu-system-x86_64\n",
        "a".repeat(60)
    );
    std::fs::write(folder.path().join("hosting.env"), settings).unwrap();
    let arguments = ["--hosting-config", "hosting.env", "--json"];
    let output = run(&mut doctor(&arguments, folder.path())).await;
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let hosting = of("hosting", &document);
    for (machines, problem) in [
        ("game servers", "set HOSTING_CONTAINER_STORE"),
        (
            "virtual private servers",
            "/nowhere/qemu-system-x86_64 is not installed",
        ),
    ] {
        let begin = format!("warning: {machines} cannot run on this host: ");
        let mut lines = hosting.iter();
        let is_named = lines.any(|line| line.starts_with(&begin) && line.contains(problem));
        assert!(is_named, "{hosting:?}");
    }

    std::fs::write(folder.path().join("hosting.env"), "").unwrap();
    let output = run(&mut doctor(&arguments, folder.path())).await;
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let hosting = of("hosting", &document);
    let none = "note: the settings name no folder for machines";
    assert!(
        hosting.iter().any(|line| line.starts_with(none)),
        "{hosting:?}"
    );
}

#[tokio::test]
async fn wrong_settings_are_listed_one_by_one() {
    let folder = folder();
    std::fs::write(
        folder.path().join("auth.env"),
        "AUTH_SITE_URL=here\nAUTH_PORT=many\n",
    )
    .unwrap();

    let output = run(&mut doctor(&["--auth-config", "auth.env"], folder.path())).await;

    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stdout);
    assert!(said.contains("problem  AUTH_SITE_URL: "), "{said}");
    assert!(said.contains("problem  AUTH_PORT: "), "{said}");
    assert!(
        said.contains("problem  AUTH_DATABASE_URL: is required"),
        "{said}"
    );
}

#[tokio::test]
async fn without_settings_the_machine_alone_is_looked_at() {
    let folder = folder();

    let said = answer(&mut doctor(&[], folder.path())).await;

    assert!(
        said.contains("note     no settings found for the auth server"),
        "{said}"
    );
    assert!(said.starts_with("machine\n"), "{said}");
}

#[tokio::test]
async fn an_inn_that_does_not_run_is_no_illness() {
    let folder = folder();
    std::fs::create_dir(folder.path().join(".innkeeper")).unwrap();

    let said = answer(&mut doctor(&[], folder.path())).await;

    assert!(said.contains("-> start it with `innkeeper up`"), "{said}");
}
