//! The machines of `innkeeper up`: stopped when it ends, and started again by the next one.

use innkeeper_hosting::config::Config;
use innkeeper_hosting::{Hosting, OperateError};
use serde_json::{Value, json};
use uuid::Uuid;

use super::demo::{self, Demo};
use super::folder::DataFolder;
use crate::{output, progress};

/// The file with the machines that were on when `innkeeper up` ended.
const FILE: &str = "stopped.json";

/// Adds the demo and asks for the start of machines. What is missing to run machines is part of the result;
/// other errors are printed, because everything else works without machines.
pub(super) async fn prepare(
    folder: &DataFolder,
    config: &Config,
    hosting: &Hosting,
) -> Option<Demo> {
    let prepared = async {
        let demo = demo::prepare(folder, config, hosting).await?;
        start(folder, hosting, &demo.added).await?;
        anyhow::Ok(demo)
    };
    match progress::show("Preparing the machines", prepared).await {
        Ok(demo) => Some(demo),
        Err(error) => {
            output::tell(&format!("warning: machines are not available: {error:#}"));
            None
        }
    }
}

/// Asks for the start of the machines that are new, and of those that were on at the end of the last run.
/// Machines that a killed run left behind are still on.
async fn start(folder: &DataFolder, hosting: &Hosting, new: &[Uuid]) -> anyhow::Result<()> {
    let mut machines = stopped_machines(folder)?;
    machines.extend(new);
    for machine in machines {
        hosting.start_machine(machine).await?;
    }
    folder.remove_file(FILE)
}

/// Stops all machines that are on, and notes which they are. The server must be serving.
pub(super) async fn stop(folder: &DataFolder, hosting: &Hosting) {
    if let Err(error) = try_stop(folder, hosting).await {
        output::tell(&format!("warning: machines are still on: {error:#}"));
    }
}

async fn try_stop(folder: &DataFolder, hosting: &Hosting) -> anyhow::Result<()> {
    let ids = wanted_machines(hosting).await?;
    if ids.is_empty() {
        return Ok(());
    }
    // Before they stop: the next start begins where this one was ended.
    let document = json!(ids.iter().map(Uuid::to_string).collect::<Vec<_>>());
    folder.write(FILE, &format!("{document}\n"))?;
    progress::show("Stopping the machines", hosting.stop_machines(&ids)).await;
    let count = wanted_machines(hosting).await?.len();
    if count > 0 {
        output::tell(&format!(
            "{count} machines could not be stopped and are still on."
        ));
    }
    Ok(())
}

/// Returns the machines that should be on.
async fn wanted_machines(hosting: &Hosting) -> Result<Vec<Uuid>, OperateError> {
    let machines = hosting.machines().await?;
    let wanted = machines.iter().filter(|machine| machine.is_wanted);
    Ok(wanted.map(|machine| machine.machine_id).collect())
}

fn stopped_machines(folder: &DataFolder) -> anyhow::Result<Vec<Uuid>> {
    let document = folder.read_json(FILE)?.unwrap_or_default();
    let ids = document.as_array().into_iter().flatten();
    let ids = ids.filter_map(Value::as_str);
    Ok(ids.filter_map(|id| id.parse().ok()).collect())
}
