//! The time from a power request to its 202, over that of one bare commit on the same PostgreSQL.
//!
//! Both take turns. The next request waits until the action of the last one has ended, so that the work of
//! actions is not measured.

use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use innkeeper_service::cluster::Cluster;
use serde_json::Value;
use tokio_postgres::{Client, NoTls, Statement};

use crate::Plan;
use crate::game_host::{Engine, GameHost, HostPlan};
use crate::many::at;
use crate::results::Results;
use crate::wire::{Connection, get, post};

const MACHINES: usize = 20;
/// How long an action may take.
const ACTION_TIMEOUT: Duration = Duration::from_secs(30);

pub(crate) async fn measure(plan: &Plan, cluster: &Cluster, results: &mut Results) -> Result<()> {
    let host = HostPlan {
        name: "power",
        engine: Engine::Memory,
        machines: MACHINES,
        keys: 1,
    };
    let folder = plan.places.empty("power")?;
    let host = host.start(&plan.places, cluster, &folder).await?;
    let bare = BareCommit::open(&cluster.url("power")).await?;
    let mut requests = PowerRequests::open(&host)?;
    let (mut posts, mut commits) = (Vec::new(), Vec::new());
    for command in ["stop", "start"].iter().cycle().take(plan.power_rounds()) {
        for machine in &host.facts.machines {
            commits.push(bare.time().await?);
            posts.push(requests.time(machine, command)?);
        }
    }
    posts.sort_unstable();
    commits.sort_unstable();
    results.note("power: POST to 202, median", "ms", at(&posts, 50));
    results.note("power: POST to 202, p99", "ms", at(&posts, 99));
    results.note("power: bare commit, median", "ms", at(&commits, 50));
    results.note("power: bare commit, p99", "ms", at(&commits, 99));
    let over = at(&posts, 50) - at(&commits, 50);
    results.figure(
        "power: POST to 202 over a bare commit, median",
        "ms",
        over,
        5.0,
    );
    host.process.stop()
}

/// Inserts rows, each in a transaction of its own.
struct BareCommit {
    client: Client,
    insert: Statement,
}

impl BareCommit {
    async fn open(url: &str) -> Result<Self> {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
        tokio::spawn(connection);
        let create =
            "create table bare_commits (id bigserial primary key, at timestamptz not null)";
        client.batch_execute(create).await?;
        let insert = "insert into bare_commits (at) values (now())";
        let insert = client.prepare(insert).await?;
        Ok(Self { client, insert })
    }

    async fn time(&self) -> Result<Duration> {
        let start = Instant::now();
        self.client.execute(&self.insert, &[]).await?;
        Ok(start.elapsed())
    }
}

/// Power requests on one connection.
struct PowerRequests {
    connection: Connection,
    authorization: String,
}

impl PowerRequests {
    fn open(host: &GameHost) -> Result<Self> {
        Ok(Self {
            connection: Connection::open(host.address)?,
            authorization: format!("authorization: Bearer {}\r\n", host.key()?),
        })
    }

    /// Sends a request, returns the time to its 202, and waits for the end of its action.
    fn time(&mut self, machine: &str, command: &str) -> Result<Duration> {
        let target = format!("/v1/hosting/game/power/{machine}/{command}");
        let request = post(&target, &self.authorization);
        let start = Instant::now();
        let answer = self.connection.ask(&request)?;
        let time = start.elapsed();
        let text = String::from_utf8_lossy(&answer.body);
        ensure!(answer.status == 202, "{target}: {} {text}", answer.status);
        let answer: Value = serde_json::from_slice(&answer.body)?;
        let action = answer.pointer("/action/id").and_then(Value::as_str);
        self.wait_for(action.context("an answer without an action")?)?;
        Ok(time)
    }

    fn wait_for(&mut self, action: &str) -> Result<()> {
        let request = get(
            &format!("/v1/hosting/actions/{action}"),
            &self.authorization,
        );
        let start = Instant::now();
        while start.elapsed() < ACTION_TIMEOUT {
            let answer = self.connection.ask(&request)?;
            ensure!(answer.status == 200, "{action}: {}", answer.status);
            let answer: Value = serde_json::from_slice(&answer.body)?;
            match answer.pointer("/status").and_then(Value::as_str) {
                Some("queued" | "running") => sleep(Duration::from_millis(2)),
                Some("success") => return Ok(()),
                status => bail!("{action}: {status:?} {answer}"),
            }
        }
        bail!("{action} does not end")
    }
}
