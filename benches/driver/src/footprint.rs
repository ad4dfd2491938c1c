//! Sizes of the servers' binaries without symbols and debug information.

use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::Plan;
use crate::server::Server;

/// Returns the stripped size of each server in bytes.
pub(crate) fn sizes(plan: &Plan) -> Result<Vec<(Server, u64)>> {
    plan.servers
        .iter()
        .map(|&server| Ok((server, stripped_size(plan, server)?)))
        .collect()
}

fn stripped_size(plan: &Plan, server: Server) -> Result<u64> {
    let copy = plan.places.output.join(format!("bench-{server}.stripped"));
    let binary = server.binary(&plan.places);
    let status = Command::new("strip")
        .arg("-o")
        .arg(&copy)
        .arg(binary)
        .status();
    ensure!(
        status.context("running strip")?.success(),
        "strip failed for {server}"
    );
    Ok(copy.metadata()?.len())
}
