//! Processor time per request and throughput under load.
//!
//! Every round restarts all servers and gives each case to each of them in turn, beginning
//! with another one every time, so that other load on the machine affects all alike.

use std::cell::Cell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::{JoinSet, LocalSet};
use tokio::time::{Instant, sleep};

use crate::Plan;
use crate::cases::Case;
use crate::process::{Pinning, Running};
use crate::results::Results;
use crate::server::Server;
use crate::wire::Answer;

const CONNECTIONS: usize = 64;
const WARM_UP: Duration = Duration::from_millis(50);
const WINDOW: Duration = Duration::from_millis(400);

/// Resident memory of a server in KiB.
#[derive(Debug)]
pub(crate) struct Memory {
    pub(crate) server: Server,
    /// After the start.
    pub(crate) idle: u64,
    /// After a round, with all connections closed.
    pub(crate) loaded: u64,
}

/// Fills in the load columns; returns the memory of the last round.
pub(crate) fn measure(plan: &Plan, rounds: usize, results: &mut Results) -> Result<Vec<Memory>> {
    let pinning = Pinning::find()?;
    let how = if pinning.is_pinned() {
        "one processor each"
    } else {
        "sharing one processor"
    };
    let busy = std::fs::read_to_string("/proc/loadavg").context("reading the load average")?;
    println!("\n{rounds} rounds, {CONNECTIONS} connections, server and load {how}");
    println!(
        "load average before: {}",
        busy.split(' ').next().unwrap_or_default()
    );
    let mut memory = Vec::new();
    for round in 0..rounds {
        memory = run_round(plan, &pinning, round, results)?;
        eprintln!("round {} of {rounds}", round + 1);
    }
    pinning.release()?;
    println!(
        "{} windows were discarded: a server answered nothing",
        results.discarded
    );
    ensure!(
        results.has_load(),
        "a server answered nothing in every window of a case"
    );
    Ok(memory)
}

fn run_round(
    plan: &Plan,
    pinning: &Pinning,
    round: usize,
    results: &mut Results,
) -> Result<Vec<Memory>> {
    let mut running = Vec::new();
    for &server in &plan.servers {
        let process = pinning.start(&plan.places, server)?;
        let idle = process.resident()?;
        running.push((process, idle));
    }
    for (number, case) in plan.cases.iter().enumerate() {
        let in_turn = running
            .iter()
            .cycle()
            .skip((round + number) % running.len());
        for (process, _) in in_turn.take(running.len()) {
            let sample = drive(process, case)
                .with_context(|| format!("{}, {}", process.server, case.name))?;
            let Some(sample) = sample else {
                results.discarded += 1;
                continue;
            };
            let cell = results.cell(&case.name, process.server);
            cell.cpu_us.push(sample.cpu_us);
            cell.per_s.push(sample.per_s);
        }
    }
    let mut memory = Vec::new();
    for (process, idle) in running {
        memory.push(Memory {
            server: process.server,
            idle,
            loaded: process.resident()?,
        });
        process.stop()?;
    }
    Ok(memory)
}

struct Sample {
    cpu_us: f64,
    per_s: f64,
}

/// Returns `None` if the server sent no response in the window: on a busy machine a process may not run for
/// that long.
fn drive(process: &Running, case: &Case) -> Result<Option<Sample>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let length = Answer::fetch(process.address, &case.request)?.length * case.depth;
    LocalSet::new().block_on(&runtime, async {
        let batch: Rc<[u8]> = case.batch().into();
        let answered = Rc::new(Cell::new(0_u32));
        let mut connections = JoinSet::new();
        for _ in 0..CONNECTIONS {
            let (batch, answered) = (Rc::clone(&batch), Rc::clone(&answered));
            connections.spawn_local(converse(
                process.address,
                batch,
                (length, case.status),
                answered,
            ));
        }
        sleep(WARM_UP).await;
        let (before, cpu_before, start) = (answered.get(), process.cpu_time()?, Instant::now());
        sleep(WINDOW).await;
        let (after, cpu_after, elapsed) = (answered.get(), process.cpu_time()?, start.elapsed());
        if let Some(ended) = connections.try_join_next() {
            ended.context("a connection's task panicked")??;
        }
        if after == before {
            return Ok(None);
        }
        let requests = f64::from(after - before) * f64::from(u32::try_from(case.depth)?);
        let cpu = cpu_after.saturating_sub(cpu_before);
        Ok(Some(Sample {
            cpu_us: cpu.as_secs_f64() * 1e6 / requests,
            per_s: requests / elapsed.as_secs_f64(),
        }))
    })
}

/// Sends one batch after the other, each after the responses to the last, until it is dropped.
async fn converse(
    address: SocketAddr,
    batch: Rc<[u8]>,
    (length, status): (usize, &'static str),
    answered: Rc<Cell<u32>>,
) -> Result<()> {
    let mut stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let mut answers = vec![0; length];
    loop {
        stream.write_all(&batch).await?;
        stream.read_exact(&mut answers).await?;
        ensure!(
            answers.starts_with(status.as_bytes()),
            "an answer is not {status}"
        );
        answered.set(answered.get() + 1);
    }
}
