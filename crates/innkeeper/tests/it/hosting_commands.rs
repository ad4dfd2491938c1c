//! `innkeeper hosting …`, as processes.

use std::fs;
use std::path::Path;

use innkeeper_service::testing::eventually;
use rustix::process::Signal;
use serde_json::{Value, json};
use tokio::process::Command;

use crate::support::{Process, answer, complaint, folder, innkeeper, program, run, text};

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn hosting(arguments: &[&str], content: &Path) -> Command {
    let mut command = innkeeper(&["hosting"]);
    command.args(arguments).env("HOSTING_CONTENT_DIR", content);
    command
        .env("HOSTING_PORT", "0")
        .env("HOSTING_HOST", "127.0.0.1");
    command
}

/// Returns the URL in a line such as `… listening address=127.0.0.1:40123`.
fn url(line: &str) -> String {
    let (_, address) = line.trim().rsplit_once("address=").unwrap();
    format!("http://{address}")
}

async fn titles(url: &str) -> Vec<String> {
    let list = reqwest::get(format!("{url}/v1/kb/list")).await.unwrap();
    let list: Value = list.json().await.unwrap();
    let items = list["items"].as_array().unwrap().iter();
    items
        .map(|item| item["title"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn serve_raises_the_limit_of_open_files() {
    let script = "ulimit -S -n 256 && exec \"$0\" hosting serve";
    let binary = env!("CARGO_BIN_EXE_innkeeper");
    let mut command = program(Path::new("/bin/sh"), &["-c", script, binary]);
    command.env("HOSTING_PORT", "0");
    let mut server = Process::start(command.env("HOSTING_HOST", "127.0.0.1"));
    url(&server.error_line().await);
    let limits = fs::read_to_string(format!("/proc/{}/limits", server.pid())).unwrap();
    let line = limits
        .lines()
        .find(|line| line.starts_with("Max open files"));
    let mut words = line.unwrap().split_whitespace().skip(3);
    let (soft, hard) = (words.next().unwrap(), words.next().unwrap());
    let expected = hard.parse().map_or(65_536, |hard: u64| hard.min(65_536));
    assert_eq!(soft, expected.to_string(), "{line:?}");
    server.stop().await;
}

#[tokio::test]
async fn serve_shows_new_files_and_loads_all_on_sighup() {
    show_new_files("2").await;
}

#[tokio::test]
async fn serve_shows_new_files_on_one_thread_too() {
    show_new_files("1").await;
}

async fn show_new_files(threads: &str) {
    let content = folder();
    write(content.path(), "kb/a.md", "---\ntitle: A\n---\n");
    let mut watched = hosting(&["serve"], content.path());
    watched.env("TOKIO_WORKER_THREADS", threads);
    // Polling must not reach a rate limit.
    let mut server = Process::start(watched.env("HOSTING_RATE_LIMIT_CONTENT", "100000"));
    let url = url(&server.error_line().await);
    assert_eq!(titles(&url).await, ["A"]);
    write(content.path(), "kb/b.md", "---\ntitle: B\n---\n");
    let has_new_file = async || titles(&url).await.len() == 2;
    eventually("the new file is shown", has_new_file).await;
    // The log names the file and line of each error.
    write(
        content.path(),
        "kb/bad.md",
        "---\ntitle: Bad\ndate: never\n---\n",
    );
    while !server.error_line().await.contains("kb/bad.md:3: `date`") {}
    assert_eq!(titles(&url).await, ["A", "B"]);
    fs::remove_file(content.path().join("kb/bad.md")).unwrap();
    server.stop().await;

    let mut unwatched = hosting(&["serve"], content.path());
    unwatched.env("HOSTING_RATE_LIMIT_CONTENT", "100000");
    unwatched.env("TOKIO_WORKER_THREADS", threads);
    let mut server = Process::start(unwatched.env("HOSTING_CONTENT_WATCH", "false"));
    let url = self::url(&server.error_line().await);
    assert_eq!(titles(&url).await, ["A", "B"]);
    write(content.path(), "kb/c.md", "---\ntitle: C\n---\n");
    assert_eq!(titles(&url).await, ["A", "B"]);
    server.signal(Signal::HUP);
    let is_loaded = async || titles(&url).await.len() == 3;
    eventually("the file is loaded", is_loaded).await;
    server.stop().await;
}

#[tokio::test]
async fn serve_shows_demo_content_when_no_folder_is_named() {
    let mut command = innkeeper(&["hosting", "serve"]);
    let mut server = Process::start(
        command
            .env("HOSTING_PORT", "0")
            .env("HOSTING_HOST", "127.0.0.1"),
    );
    let url = url(&server.error_line().await);
    assert!(titles(&url).await.len() >= 3);
    server.stop().await;
}

#[tokio::test]
async fn the_openapi_document_is_printed_without_a_server() {
    let printed = answer(&mut innkeeper(&["openapi", "hosting"])).await;
    let document: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(document["openapi"], "3.1.0");
    assert!(document["paths"]["/v1/kb/feedback"]["post"].is_object());
}

#[tokio::test]
async fn check_reports_file_and_line_and_fails() {
    let content = folder();
    write(content.path(), "kb/good.md", "---\ntitle: Good\n---\n");
    let place = content.path().to_str().unwrap().to_owned();
    let fine = answer(&mut innkeeper(&["hosting", "content", "check", &place])).await;
    assert_eq!(fine, "1 articles, 0 plans\n");
    write(
        content.path(),
        "blog/bad.md",
        "---\ntitle: Bad\ndate: never\n---\n",
    );
    let output = run(&mut innkeeper(&["hosting", "content", "check", &place])).await;
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        text(&output.stdout),
        "blog/bad.md:3: `date`: expected a day such as 2026-11-15, found `never` (not shown)\n1 articles, 0 plans\n"
    );
    assert_eq!(text(&output.stderr), "innkeeper: found one problem\n");
    let output = run(&mut innkeeper(&[
        "hosting", "content", "check", &place, "--json",
    ]))
    .await;
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["problems"][0]["line"], json!(3));
}

#[tokio::test]
async fn all_faults_of_the_settings_are_reported_before_it_listens() {
    let mut command = hosting(&["serve"], Path::new("/no/such/folder"));
    let said = complaint(command.env("HOSTING_CORS_ORIGINS", "inn.example")).await;
    assert!(said.contains("2 settings are wrong:"), "{said}");
    assert!(
        said.contains("HOSTING_CONTENT_DIR: /no/such/folder is not a folder"),
        "{said}"
    );
    let mut command = innkeeper(&["hosting", "content", "check", "/no/such/folder"]);
    let said = complaint(&mut command).await;
    assert!(said.contains("/no/such/folder cannot be read"), "{said}");
}

#[tokio::test]
async fn settings_makes_every_check_of_a_start_and_shows_what_is_set() {
    let content = folder();
    write(content.path(), "kb/a.md", "---\ntitle: A\n---\n");
    let path = content.path().to_str().unwrap();
    let mut command = hosting(&["settings"], content.path());
    let shown = answer(command.env("HOSTING_REDIS_URL", "redis://:hunter2@127.0.0.1:1")).await;
    assert!(
        shown.contains(&format!("HOSTING_CONTENT_DIR  {path}\n")),
        "{shown}"
    );
    assert!(!shown.contains("hunter2"), "{shown}");
    let mut command = hosting(&["settings", "--json"], content.path());
    let document: Value = serde_json::from_str(&answer(&mut command).await).unwrap();
    let settings = document["settings"].as_array().unwrap();
    let port = json!({ "name": "HOSTING_PORT", "value": "0", "secret": false });
    assert!(settings.contains(&port), "{document}");

    let nowhere = content.path().join("nowhere").display().to_string();
    let file = content.path().join("kb/a.md").display().to_string();
    for (name, value, reason) in [
        ("HOSTING_CONTENT_DIR", nowhere.as_str(), "nowhere"),
        ("HOSTING_HOST", "192.0.2.1", "cannot listen on 192.0.2.1"),
        (
            "HOSTING_LOG_FILE",
            &format!("{nowhere}/log"),
            "cannot write the log file",
        ),
        ("HOSTING_MACHINES_DIR", &file, "MACHINES_DIR"),
        (
            "HOSTING_METRICS_HOST",
            "192.0.2.1",
            "cannot listen for metrics",
        ),
    ] {
        let mut command = hosting(&["settings"], content.path());
        command
            .env("HOSTING_DATABASE_URL", "postgres://127.0.0.1:1/x")
            .env("HOSTING_METRICS_ENABLED", "true")
            .env(name, value);
        let said = complaint(&mut command).await;
        assert!(said.contains(reason), "{name}: {said}");
    }
}
