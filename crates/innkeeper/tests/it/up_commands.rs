//! Commands that find a running `innkeeper up` by themselves: operators' tasks, `status`, `logs`, `open`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use innkeeper_service::testing::TestDatabase;
use serde_json::{Value, json};
use tokio::process::Command;

use crate::support::{Process, Up, answer, complaint, folder, innkeeper, run, text};

/// Returns a command that is run in a folder.
fn command_in(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = innkeeper(arguments);
    command.current_dir(folder);
    command
}

#[tokio::test]
async fn operators_act_on_the_up_of_the_folder_unless_settings_name_another_server() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let up = Up::on(&database, &folder.path().join(".innkeeper")).await;
    let here = |arguments: &[&str]| command_in(folder.path(), arguments);

    for arguments in [
        &["auth", "user", "list"][..],
        &["auth", "settings"],
        &["auth", "mail", "list"],
        &["hosting", "incident", "list"],
        &["hosting", "settings"],
        &["hosting", "customer", "list"],
    ] {
        let output = run(&mut here(arguments)).await;
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {said}");
        assert!(
            said.starts_with("Using the `innkeeper up` in .innkeeper.\n"),
            "{arguments:?}: {said}"
        );
    }
    // A bare DATABASE_URL is that of any program.
    answer(here(&["auth", "user", "list"]).env("DATABASE_URL", "postgres://127.0.0.1:1/x")).await;

    // A server of its own is not confused with it.
    let said =
        complaint(here(&["auth", "user", "list"]).env("AUTH_JWT_SECRET", "x".repeat(40))).await;
    assert!(said.contains("AUTH_DATABASE_URL: is required"), "{said}");
    let output = run(here(&["hosting", "settings"]).env("HOSTING_CONTENT_DIR", "site")).await;
    assert!(!text(&output.stderr).contains("Using"), "{output:?}");
    // A server is started with its own settings, never with those of a running one.
    let said = complaint(&mut here(&["auth", "serve"])).await;
    assert!(said.contains("AUTH_JWT_SECRET: is required"), "{said}");

    // One that was killed leaves its file behind.
    up.process.kill().await;
    assert!(folder.path().join(".innkeeper/up.json").exists());
    let said = complaint(&mut here(&["auth", "user", "list"])).await;
    assert_eq!(
        said,
        "innkeeper: the settings name no auth server, and no `innkeeper up` runs in .innkeeper; start it, or pass \
         a settings file with -c\n"
    );
}

#[tokio::test]
async fn status_shows_where_everything_is_and_what_does_not_respond() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let status = |more: &[&str]| {
        let mut command = command_in(folder.path(), &["status"]);
        command.args(more);
        command
    };
    let said = complaint(&mut status(&[])).await;
    assert!(
        said.contains("no `innkeeper up` runs in .innkeeper"),
        "{said}"
    );
    let output = run(&mut status(&["--json"])).await;
    assert_eq!(output.status.code(), Some(1));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        document,
        json!({ "running": false, "data_dir": ".innkeeper" })
    );

    let up = Up::on(&database, &folder.path().join(".innkeeper")).await;
    let shown = answer(&mut status(&[])).await;
    let line = |name: &str, address: &str| format!("{name:<12}ok     {address}\n");
    for line in [
        line("auth", &up.url),
        line("hosting", &up.hosting_url),
        line("start page", &up.portal_url),
        format!("process {}, since 20", up.process.pid()),
    ] {
        assert!(shown.contains(&line), "{line}: {shown}");
    }
    let document: Value = serde_json::from_str(&answer(&mut status(&["--json"])).await).unwrap();
    assert_eq!(document["running"], true);
    assert_eq!(document["pid"], up.process.pid());
    let secret = up.document()["service_role_token"].to_string();
    assert!(!document.to_string().contains(&secret), "{document}");

    // The file leads elsewhere now.
    let changed = fs::read_to_string(up.data.join("up.json")).unwrap();
    fs::write(
        up.data.join("up.json"),
        changed.replace(&up.hosting_url, "http://127.0.0.1:1/v1"),
    )
    .unwrap();
    let output = run(&mut status(&[])).await;
    assert_eq!(output.status.code(), Some(1));
    let shown = text(&output.stdout);
    assert!(shown.contains("no connection"), "{shown}");
    assert_eq!(
        text(&output.stderr),
        "innkeeper: one part does not respond\n"
    );
    up.process.stop().await;
}

#[tokio::test]
async fn the_log_is_shown_and_followed_through_a_rotation() {
    let folder = folder();
    let data = folder.path().join(".innkeeper");
    let said = complaint(&mut command_in(folder.path(), &["logs"])).await;
    assert!(
        said.contains("there is no log at .innkeeper/innkeeper.log"),
        "{said}"
    );

    fs::create_dir(&data).unwrap();
    let log = data.join("innkeeper.log");
    fs::write(&log, "one\ntwo\nthree\n").unwrap();
    let shown = answer(&mut command_in(folder.path(), &["logs", "-n", "2"])).await;
    assert_eq!(shown, "two\nthree\n");

    let mut following = Process::start(&mut command_in(folder.path(), &["logs", "-n", "1", "-f"]));
    assert_eq!(following.line().await, "three");
    fs::write(&log, "one\ntwo\nthree\nfour\n").unwrap();
    // The file is emptied and written anew, so all of it may come again.
    while following.line().await != "four" {}
    fs::rename(&log, data.join("innkeeper.log.1")).unwrap();
    fs::write(&log, "five\n").unwrap();
    while following.line().await != "five" {}
    following.kill().await;
}

#[tokio::test]
async fn the_log_of_a_running_up_is_that_of_its_settings() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let data = folder.path().join(".innkeeper");
    let mut command = Up::command(&data);
    command
        .env("DATABASE_URL", database.url())
        .env("AUTH_LOG_FILE", folder.path().join("elsewhere.log"));
    let up = Up::from(&mut command, &data).await;
    let shown = answer(&mut command_in(folder.path(), &["logs"])).await;
    assert!(shown.contains("starting"), "{shown}");
    up.process.stop().await;
}

#[tokio::test]
async fn pages_are_opened_in_the_browser_of_the_user() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let browser = folder.path().join("browser");
    fs::write(&browser, "#!/bin/sh\necho \"$1\" >> opened\n").unwrap();
    fs::set_permissions(&browser, fs::Permissions::from_mode(0o755)).unwrap();
    let open = |more: &[&str]| {
        let mut command = command_in(folder.path(), &["open"]);
        command.args(more).env("BROWSER", &browser);
        command
    };
    let said = complaint(&mut open(&[])).await;
    assert!(said.contains("no `innkeeper up` runs"), "{said}");

    let up = Up::on(&database, &folder.path().join(".innkeeper")).await;
    let mailbox = format!("{}/mailbox\n", up.portal_url);
    let docs = format!("{}/docs\n", up.hosting_url);
    assert_eq!(answer(&mut open(&["docs", "--print"])).await, docs);
    assert_eq!(answer(&mut open(&[])).await, format!("{}\n", up.portal_url));
    assert_eq!(answer(&mut open(&["mailbox"])).await, mailbox);
    let opened = fs::read_to_string(folder.path().join("opened")).unwrap();
    assert_eq!(opened, format!("{}\n{mailbox}", up.portal_url));
    let said = complaint(open(&[]).env("BROWSER", "/nowhere/browser")).await;
    assert!(
        said.contains(&format!("open {} yourself", up.portal_url)),
        "{said}"
    );
    up.process.stop().await;
}
