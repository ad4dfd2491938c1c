//! Instructions per request, counted by callgrind.
//!
//! Sixteen connections are written to in a burst, then all are read. Two runs differ only in the
//! number of requests, so that the difference of their totals excludes start-up and accepting.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::cases::Case;
use crate::process::Running;
use crate::results::Results;
use crate::server::Server;
use crate::wire::{Answer, connect};
use crate::{Places, Plan};

const CONNECTIONS: usize = 16;
const FEW: usize = 1024;
const MANY: usize = 4096;

/// Counts every case on every server; the profiles of the longer runs are kept.
pub(crate) fn count(plan: &Plan, results: &mut Results) -> Result<()> {
    let profiles = plan.places.output.join("callgrind");
    std::fs::create_dir_all(&profiles)?;
    for case in &plan.cases {
        for &server in &plan.servers {
            let out = profiles.join(format!("{server}-{}.out", case.name));
            let few = total(&plan.places, server, case, FEW, &out)?;
            let many = total(&plan.places, server, case, MANY, &out)?;
            let difference = many.checked_sub(few).context("more requests cost less")?;
            let per_request = difference / (MANY - FEW) as u64;
            results.cell(&case.name, server).instructions = Some(per_request);
        }
        eprintln!("counted {}", case.name);
    }
    println!("callgrind profiles are in {}", profiles.display());
    Ok(())
}

/// Returns all instructions of a server that serves `requests` requests.
fn total(places: &Places, server: Server, case: &Case, requests: usize, out: &Path) -> Result<u64> {
    let running = Running::start_under_callgrind(places, server, out)?;
    send(&running, case, requests).with_context(|| format!("{server}, {}", case.name))?;
    running.stop()?;
    let profile = std::fs::read_to_string(out).context("callgrind wrote no profile")?;
    let total = profile.lines().rev().find_map(|line| {
        line.strip_prefix("totals: ")
            .or_else(|| line.strip_prefix("summary: "))
    });
    total
        .context("the profile has no total")?
        .trim()
        .parse()
        .context("the profile's total")
}

fn send(server: &Running, case: &Case, requests: usize) -> Result<()> {
    let length = Answer::fetch(server.address, &case.request)?.length;
    let batch = case.batch();
    let mut answers = vec![0; length * case.depth];
    let mut connections: Vec<TcpStream> = (0..CONNECTIONS)
        .map(|_| connect(server.address))
        .collect::<Result<_>>()?;
    for _ in 0..requests / (CONNECTIONS * case.depth) {
        for connection in &mut connections {
            connection.write_all(&batch)?;
        }
        for connection in &mut connections {
            connection.read_exact(&mut answers)?;
            ensure!(
                answers.starts_with(b"HTTP/1.1 200 OK\r\n"),
                "an answer is not 200"
            );
        }
    }
    Ok(())
}
