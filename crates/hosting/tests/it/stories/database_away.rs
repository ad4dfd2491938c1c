//! The database is unavailable: the page stays up, and no observation is lost.

use innkeeper_service::testing::TestDatabase;
use tokio_postgres::{Client, NoTls};

use crate::support::{Site, TcpService, article};

/// An administrator, who can make a database unavailable.
struct Administrator {
    client: Client,
    database: String,
}

impl Administrator {
    async fn of(database: &TestDatabase) -> Self {
        let url = TestDatabase::administration().await.unwrap();
        let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
        tokio::spawn(connection);
        Self {
            client,
            database: database.url().rsplit('/').next().unwrap().to_owned(),
        }
    }

    async fn take_away(&self) {
        let name = &self.database;
        let refuse = format!("alter database {name} allow_connections false");
        self.client.batch_execute(&refuse).await.unwrap();
        let end = "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1";
        self.client.execute(end, &[name]).await.unwrap();
    }

    async fn bring_back(&self) {
        let allow = format!("alter database {} allow_connections true", self.database);
        self.client.batch_execute(&allow).await.unwrap();
    }
}

const FEEDBACK: &str = r#"{"path":"/kb/backups","helpful":true}"#;

#[tokio::test(flavor = "multi_thread")]
async fn everything_but_feedback_goes_on_and_what_was_seen_is_written_later() {
    let mut service = TcpService::start().await;
    let database = TestDatabase::empty().await.unwrap();
    let (toml, text) = (
        service.status_toml(),
        article("Backups", "2026-01-01", "Text"),
    );
    let files = [("status.toml", toml.as_str()), ("kb/backups.md", &text)];
    let site = Site::with_database(&files, &database).await;
    site.pass(30).await;
    assert_eq!(site.post("/v1/kb/feedback", FEEDBACK).await.status, 202);
    let administrator = Administrator::of(&database).await;
    administrator.take_away().await;
    service.stop().await;
    for _ in 0..4 {
        site.pass(30).await;
    }
    let status = site.get("/v1/status").await;
    assert_eq!(status.status, 200);
    assert_eq!(site.component("data").await["status"], "major_outage");
    assert_eq!(
        site.component("door").await["status"],
        "major_outage",
        "it still probes"
    );
    for target in [
        "/v1/kb/list",
        "/v1/plans",
        "/v1/heo-status.js",
        "/v1/statuspage/api/v2/summary.json",
    ] {
        assert_eq!(site.get(target).await.status, 200, "{target}");
    }
    let refused = site.post("/v1/kb/feedback", FEEDBACK).await;
    refused.refused(
        503,
        "feedback cannot be stored at the moment; try again later",
    );

    administrator.bring_back().await;
    service.restart().await;
    for _ in 0..3 {
        site.pass(30).await;
    }
    assert_eq!(site.component("data").await["status"], "operational");
    assert_eq!(site.component("door").await["status"], "operational");
    assert_eq!(site.post("/v1/kb/feedback", FEEDBACK).await.status, 200);
    let (client, connection) = tokio_postgres::connect(database.url(), NoTls)
        .await
        .unwrap();
    tokio::spawn(connection);
    let count = "select count(*), count(*) filter (where failed) from hosting.checks where component = 'door'";
    let row = client.query_one(count, &[]).await.unwrap();
    let (all, failed): (i64, i64) = (row.get(0), row.get(1));
    assert!(all >= 9, "{all}");
    assert_eq!(failed, 4, "the rounds of the time in between");
    site.pass(61).await;
    let uptime = site.component("door").await["uptime"].clone();
    assert!(uptime["d1"].as_f64().unwrap() < 90.0, "{uptime}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_starts_without_its_database() {
    let service = TcpService::start().await;
    let database = TestDatabase::empty().await.unwrap();
    let administrator = Administrator::of(&database).await;
    administrator.take_away().await;
    let (toml, text) = (
        service.status_toml(),
        article("Backups", "2026-01-01", "Text"),
    );
    let files = [("status.toml", toml.as_str()), ("kb/backups.md", &text)];
    let site = Site::with_database(&files, &database).await;
    assert_eq!(site.component("data").await["status"], "major_outage");
    assert_eq!(site.component("door").await["status"], "operational");
    assert_eq!(site.post("/v1/kb/feedback", FEEDBACK).await.status, 503);
    administrator.bring_back().await;
    site.pass(1).await;
    assert_eq!(site.component("data").await["status"], "operational");
    assert_eq!(site.post("/v1/kb/feedback", FEEDBACK).await.status, 202);
}
