//! The operator's commands for status and feedback, as processes.

use std::path::Path;

use innkeeper_service::testing::{TestDatabase, eventually};
use serde_json::{Value, json};
use tokio::process::Command;

use crate::support::{Process, answer, complaint, folder, innkeeper};

fn hosting(arguments: &[&str], database: &TestDatabase) -> Command {
    let mut command = innkeeper(&["hosting"]);
    command.args(arguments).env("DATABASE_URL", database.url());
    command
}

async fn asked(arguments: &[&str], database: &TestDatabase) -> String {
    answer(&mut hosting(arguments, database)).await
}

async fn listed(arguments: &[&str], database: &TestDatabase) -> Value {
    serde_json::from_str(&asked(arguments, database).await).unwrap()
}

async fn serve(database: &TestDatabase, content: Option<&Path>) -> (Process, String) {
    let mut command = hosting(&["serve"], database);
    command
        .env("HOSTING_PORT", "0")
        .env("HOSTING_HOST", "127.0.0.1")
        .env("HOSTING_RATE_LIMIT_FEEDBACK", "100000")
        .env("HOSTING_RATE_LIMIT_FEEDBACK_DAY", "100000")
        .env("HOSTING_RATE_LIMIT_PUBLIC", "100000");
    if let Some(content) = content {
        command.env("HOSTING_CONTENT_DIR", content);
    }
    let mut server = Process::start(&mut command);
    let line = server.error_line().await;
    let (_, address) = line.trim().rsplit_once("address=").unwrap();
    (server, format!("http://{address}"))
}

async fn status(url: &str) -> Value {
    let answer = reqwest::get(format!("{url}/v1/status")).await.unwrap();
    answer.json().await.unwrap()
}

#[tokio::test]
async fn migrate_makes_the_schema_once() {
    let database = TestDatabase::empty().await.unwrap();
    let first = asked(&["migrate"], &database).await;
    assert!(
        first.starts_with("Schema hosting: 6 migrations applied.\n"),
        "{first}"
    );
    let second = asked(&["migrate"], &database).await;
    assert_eq!(second, "Schema hosting is up to date.\n");
    let third = listed(&["migrate", "--json"], &database).await;
    assert_eq!(third, json!({ "schema": "hosting", "applied": [] }));
    let said = complaint(&mut innkeeper(&["hosting", "migrate"])).await;
    assert!(said.contains("DATABASE_URL is not set"), "{said}");
}

#[tokio::test]
async fn incidents_reach_the_page_of_a_running_server() {
    let database = TestDatabase::empty().await.unwrap();
    let (server, url) = serve(&database, None).await;
    let open = [
        "incident",
        "open",
        "Slow disks",
        "--on",
        "vps-fsn",
        "-m",
        "We look.",
    ];
    let id = asked(&open, &database).await.trim().to_owned();
    eventually("the incident is on the page", async || {
        status(&url).await["incidents"][0].is_object()
    })
    .await;
    let page = status(&url).await;
    assert_eq!(page["status"]["indicator"], "minor");
    assert_eq!(page["incidents"][0]["id"], json!(id));
    let update = [
        "incident",
        "update",
        &id,
        "-s",
        "monitoring",
        "-i",
        "major",
        "-m",
        "Better.",
    ];
    let said = asked(&update, &database).await;
    assert_eq!(said, format!("Incident {id} is monitoring.\n"));
    asked(&["incident", "close", &id], &database).await;
    let incidents = listed(&["incident", "list", "--json"], &database).await;
    assert_eq!(
        (&incidents[0]["status"], &incidents[0]["impact"]),
        (&json!("resolved"), &json!("major"))
    );
    let table = asked(&["incident", "list"], &database).await;
    assert!(table.contains("resolved       major"), "{table}");
    let wrong = ["incident", "open", "x", "--on", "roof"];
    let said = complaint(&mut hosting(&wrong, &database)).await;
    assert!(
        said.contains("component roof is not in status.toml"),
        "{said}"
    );
    server.stop().await;
}

#[tokio::test]
async fn maintenances_reach_the_page_of_a_running_server() {
    let database = TestDatabase::empty().await.unwrap();
    let (server, url) = serve(&database, None).await;
    let schedule = ["maintenance", "schedule", "New switches", "--for", "2h"];
    let id = asked(&schedule, &database).await.trim().to_owned();
    let indicator = async || status(&url).await["status"]["indicator"].take();
    eventually("the work begins", async || {
        indicator().await == "maintenance"
    })
    .await;
    asked(&["maintenance", "cancel", &id], &database).await;
    eventually("the work is off", async || indicator().await == "none").await;
    let works = listed(&["maintenance", "list", "--json"], &database).await;
    assert_eq!(works[0]["status"], "cancelled");
    let mut again = hosting(&["maintenance", "cancel", &id], &database);
    let said = complaint(&mut again).await;
    assert!(
        said.contains(&format!("maintenance {id} does not exist")),
        "{said}"
    );
    server.stop().await;
}

#[tokio::test]
async fn feedback_that_was_acknowledged_survives_a_kill() {
    let database = TestDatabase::empty().await.unwrap();
    let content = folder();
    let kb = content.path().join("kb");
    std::fs::create_dir(&kb).unwrap();
    for number in 0..40 {
        let text = format!("---\ntitle: Article {number}\n---\nText");
        std::fs::write(kb.join(format!("{number}.md")), text).unwrap();
    }
    let (server, url) = serve(&database, Some(content.path())).await;
    let client = reqwest::Client::new();
    let target = format!("{url}/v1/kb/feedback");
    let say = async |number: usize| {
        let body = json!({ "path": format!("/kb/{number}"), "helpful": true, "comment": "=1+1, \"good\"" });
        client
            .post(&target)
            .json(&body)
            .send()
            .await
            .ok()
            .map(|answer| answer.status().as_u16())
    };
    // The schema is created in the first moments.
    eventually("feedback is taken", async || say(0).await == Some(202)).await;
    let mut acknowledged = 1;
    for number in 1..20 {
        assert_eq!(say(number).await, Some(202));
        acknowledged += 1;
    }
    // The last requests are in flight when it is killed.
    let (late, ()) = tokio::join!(
        async {
            let mut late = 0;
            for number in 20..40 {
                late += usize::from(say(number).await == Some(202));
            }
            late
        },
        server.kill(),
    );
    acknowledged += late;
    let counts = listed(&["feedback", "--json"], &database).await;
    let counts = counts.as_array().unwrap();
    let stored = counts.len();
    assert!(stored >= acknowledged, "{stored} of {acknowledged}");
    assert!(
        counts.iter().all(|count| count["helpful"] == 1),
        "{counts:?}"
    );
    let csv = asked(&["feedback", "--csv"], &database).await;
    assert_eq!(csv.lines().count(), stored + 1);
    assert!(csv.contains("\"'=1+1, \"\"good\"\"\""), "{csv}");
    let table = asked(&["feedback"], &database).await;
    assert!(
        table.starts_with("HELPFUL  NOT HELPFUL  COMMENTS  LAST"),
        "{table}"
    );
}
