//! Instructions per request, counted by callgrind, without those of the kernel.
//!
//! Sixteen connections are written to in a burst, then all are read. The counters are dumped
//! before and after the requests of a case, so that the start of the server is excluded.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::Plan;
use crate::cases::{Case, Site};
use crate::results::Results;
use crate::server::{Running, Server};
use crate::wire::Connection;

const CONNECTIONS: usize = 16;
const REQUESTS: usize = 2048;
const WARM_UP: usize = 256;

/// Counts every case on both servers; the profiles are kept.
pub(crate) fn count(plan: &Plan, site: &Site, results: &mut Results) -> Result<()> {
    for server in Server::ALL {
        let profiles = plan.places.empty(&format!("callgrind/{server}"))?;
        let out = profiles.join("profile");
        let mut running = site.start(&plan.places, server, Some(&out))?;
        if server == Server::Innkeeper {
            running.wait_for("/v1/blog/list")?;
        }
        let mut dumps = 0;
        for case in plan.cases(site) {
            let mut connections: Vec<Connection> = (0..CONNECTIONS)
                .map(|_| Connection::open(running.address))
                .collect::<Result<_>>()?;
            send(&mut connections, &running, case, WARM_UP)?;
            put_aside(&running)?;
            send(&mut connections, &running, case, REQUESTS)?;
            put_aside(&running)?;
            dumps += 2;
            let total = total(&profiles, dumps)?;
            results.count(case, server, total / REQUESTS as u64);
        }
        running.process.stop()?;
        eprintln!("counted {server}");
    }
    Ok(())
}

/// Makes callgrind dump and reset its counters.
fn put_aside(running: &Running) -> Result<()> {
    let status = Command::new("callgrind_control")
        .arg("--dump")
        .arg(running.process.id().to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .context("running callgrind_control")?;
    ensure!(status.success(), "callgrind_control ended with {status}");
    Ok(())
}

/// Returns the total of the profile with this number.
fn total(profiles: &Path, number: usize) -> Result<u64> {
    let path = profiles.join(format!("profile.{number}"));
    let profile = fs::read_to_string(&path).with_context(|| format!("no {}", path.display()))?;
    let total = profile
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix("totals: "));
    let total = total.context("the profile has no total")?;
    total.trim().parse().context("the profile's total")
}

/// Sends the request of a case this many times, on open connections.
fn send(
    connections: &mut [Connection],
    running: &Running,
    case: &Case,
    times: usize,
) -> Result<()> {
    let request = case.request(running)?;
    for _ in 0..times / CONNECTIONS {
        for connection in &mut *connections {
            connection.send(&request)?;
        }
        for connection in &mut *connections {
            let answer = connection.receive()?;
            ensure!(answer.status == case.status, "{}", answer.status);
        }
    }
    Ok(())
}
