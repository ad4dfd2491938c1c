//! The time of a check of a key that was read from the database a moment ago.

use anyhow::{Context, Result, ensure};
use innkeeper_service::cluster::Cluster;

use crate::Plan;
use crate::game_host::{Engine, HostPlan};
use crate::results::Results;

const CHECKS: u32 = 100_000;

pub(crate) async fn measure(plan: &Plan, cluster: &Cluster, results: &mut Results) -> Result<()> {
    let host = HostPlan {
        name: "key",
        engine: Engine::Memory,
        machines: 0,
        keys: 0,
    };
    let folder = plan.places.empty("key")?;
    let mut command = host.command(&plan.places, cluster, &folder).await?;
    command
        .arg("--ready")
        .arg(folder.join("ready.json"))
        .arg(format!("--check-keys={CHECKS}"));
    let done = command.output().context("running the check of keys")?;
    let said = String::from_utf8_lossy(&done.stderr);
    ensure!(done.status.success(), "the check of keys: {said}");
    let nanos = String::from_utf8_lossy(&done.stdout);
    let nanos: u32 = nanos.trim().parse().context("the time of a check")?;
    results.figure(
        "key: check, cached, median",
        "us",
        f64::from(nanos) / 1e3,
        20.0,
    );
    Ok(())
}
