//! The time from the start of the process to its first responses, and its idle memory, with demo
//! content on a migrated database.

use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use innkeeper_service::cluster::Cluster;

use crate::Plan;
use crate::results::{Results, median};
use crate::server::{Server, Setup};

const STARTS: usize = 7;
/// The pause between the first response and the measurement of memory.
const SETTLE: Duration = Duration::from_secs(3);
const DATABASE: &str = "hosting";

pub(crate) async fn measure(plan: &Plan, cluster: &Cluster, results: &mut Results) -> Result<()> {
    cluster.ensure_database(DATABASE).await?;
    let url = cluster.url(DATABASE);
    migrate(plan, &url)?;
    let setup = Setup {
        places: &plan.places,
        folder: None,
        database: Some(&url),
        one_thread: false,
        callgrind: None,
    };
    let mut times = Vec::new();
    for _ in 0..STARTS {
        let start = Instant::now();
        let mut running = setup.start(Server::Innkeeper)?;
        running.wait_for("/v1/blog/list")?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
        running.process.stop()?;
    }
    let usual = median(times).unwrap_or_default();
    results.figure("start to first answer", "ms", usual, 150.0);
    let mut running = setup.start(Server::Innkeeper)?;
    running.wait_for("/v1/blog/list")?;
    sleep(SETTLE);
    let kib = u32::try_from(running.process.resident()? / 1024)?;
    results.figure("resident, idle", "MiB", f64::from(kib) / 1024.0, 30.0);
    running.process.stop()
}

fn migrate(plan: &Plan, url: &str) -> Result<()> {
    let done = Command::new(&plan.places.innkeeper)
        .args(["hosting", "migrate"])
        .env_clear()
        .current_dir(&plan.places.output)
        .env("HOSTING_DATABASE_URL", url)
        .output()
        .context("running innkeeper hosting migrate")?;
    let said = String::from_utf8_lossy(&done.stderr);
    ensure!(done.status.success(), "innkeeper hosting migrate: {said}");
    Ok(())
}
