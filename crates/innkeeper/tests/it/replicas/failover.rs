//! Failover: the primary is gone, and its standby takes over.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Instant;

use innkeeper_service::cluster::{Cluster, ClusterOptions};
use innkeeper_service::testing::{HeldPort, eventually};
use reqwest::StatusCode;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tokio::process::Command;
use tokio_postgres::{Client, NoTls};

use super::{Replica, client, sign_up};
use crate::support::{answer, folder, start_on_a_held_port};

const DATABASE: &str = "inn";

#[tokio::test]
async fn a_promoted_standby_serves_what_was_acknowledged_before() {
    let folder = folder();
    let (mut primary, _port) = start(&folder.path().join("one")).await;
    primary.ensure_database(DATABASE).await.unwrap();
    let (standby, _other_port) = follow(
        &primary,
        &folder.path().join("one"),
        &folder.path().join("two"),
    )
    .await;
    // A response then means that both have the data.
    let admin = connect(&primary).await;
    let both = "alter system set synchronous_standby_names = '*'";
    admin.batch_execute(both).await.unwrap();
    admin
        .batch_execute("select pg_reload_conf()")
        .await
        .unwrap();
    until_both_have_it(&admin).await;
    let url = both_hosts(&primary, &standby);
    let auth = Replica::auth(folder.path(), &url, &[]).await;
    let hosting = Replica::hosting(folder.path(), &url, &[]).await;
    let client = client();
    sign_up(&client, &auth.url(""), "ada@example.com").await;

    let first = i32::try_from(primary.pid().unwrap()).unwrap();
    kill_process(Pid::from_raw(first).unwrap(), Signal::KILL).unwrap();
    primary.ended().await;
    // Content and status need no database.
    let list = client.get(hosting.url("/v1/kb/list")).send().await.unwrap();
    assert_eq!(list.status(), StatusCode::OK);
    let new = connect(&standby).await;
    new.batch_execute("select pg_promote()").await.unwrap();
    new.batch_execute("create table written (it int)")
        .await
        .unwrap();
    let back = Instant::now();

    let body = json!({ "email": "ada@example.com", "password": "correct-horse-9" });
    let sign_in = client
        .post(auth.url("/token?grant_type=password"))
        .json(&body);
    until_answered("a sign-in", back, async || {
        let answer = sign_in.try_clone().unwrap().send().await.unwrap();
        answer.status() == StatusCode::OK
    })
    .await;
    let opinion = json!({ "path": "/kb/vps/restore-a-backup", "helpful": true });
    let feedback = client.post(hosting.url("/v1/kb/feedback")).json(&opinion);
    until_answered("feedback", back, async || {
        let answer = feedback.try_clone().unwrap().send().await.unwrap();
        let status = answer.status();
        // Only unavailability is expected; any other error is a bug.
        let is_known = status.is_success() || status == StatusCode::SERVICE_UNAVAILABLE;
        assert!(is_known, "{status} {}", answer.text().await.unwrap());
        status.is_success()
    })
    .await;
    sign_up(&client, &auth.url(""), "grace@example.com").await;
    auth.process.stop().await;
    hosting.process.stop().await;
    drop((admin, new));
    standby.stop().await.unwrap();
}

/// Waits until the primary replicates synchronously to its standby.
async fn until_both_have_it(admin: &Client) {
    let synchronous = "select from pg_stat_replication where sync_state = 'sync'";
    eventually("the standby follows", async || {
        !admin.query(synchronous, &[]).await.unwrap().is_empty()
    })
    .await;
}

/// Waits until a request succeeds, and prints how long it took.
#[expect(clippy::print_stdout, reason = "it prints figures")]
async fn until_answered(what: &str, back: Instant, ask: impl AsyncFnMut() -> bool) {
    eventually(format!("{what} is served again"), ask).await;
    let millis = back.elapsed().as_millis();
    println!("{what} was served {millis} ms after the new primary answered");
}

/// Starts a cluster in a folder. A kill is not a power failure: data handed to the system is safe.
async fn start(folder: &Path) -> (Cluster, HeldPort) {
    let mut options = ClusterOptions::new(folder);
    options.settings = vec![("fsync".to_owned(), "off".to_owned())];
    start_on_a_held_port(&mut options).await
}

/// Starts a standby that follows the primary.
async fn follow(primary: &Cluster, original: &Path, copy: &Path) -> (Cluster, HeldPort) {
    fs::create_dir(copy).unwrap();
    fs::copy(original.join("password"), copy.join("password")).unwrap();
    answer(
        Command::new("pg_basebackup")
            .args([
                "--write-recovery-conf",
                "--checkpoint=fast",
                "--no-sync",
                "-d",
            ])
            .arg(primary.url("postgres"))
            .arg("-D")
            .arg(copy.join("data")),
    )
    .await;
    let owner = fs::metadata(original).unwrap();
    let owner = format!("{}:{}", owner.uid(), owner.gid());
    answer(Command::new("chown").args(["-R", &owner]).arg(copy)).await;
    start(copy).await
}

/// Returns a URL that names both hosts and selects the one that accepts writes.
fn both_hosts(primary: &Cluster, standby: &Cluster) -> String {
    let url = primary.url(DATABASE);
    let port = format!(":{}", primary.port());
    let ports = format!("{port},127.0.0.1:{}", standby.port());
    format!(
        "{}?target_session_attrs=read-write",
        url.replacen(&port, &ports, 1)
    )
}

async fn connect(cluster: &Cluster) -> Client {
    let url = cluster.url("postgres");
    let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}
