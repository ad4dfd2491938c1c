//! Requests per second, latency and processor time under load.
//!
//! In every round, each case is given to one server and immediately after to the other, in alternating
//! order, so that other load on the machine affects both alike.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::{JoinSet, LocalSet};
use tokio::time::{Instant, sleep};

use crate::Plan;
use crate::cases::{Case, Site};
use crate::process::Pinning;
use crate::results::{Results, Sample};
use crate::server::{Running, Server};
use crate::wire::Frame;

const CONNECTIONS: usize = 64;
/// How often the servers are started: the memory layout of a process affects its speed.
const STARTS: usize = 4;
const WARM_UP: Duration = Duration::from_millis(100);

pub(crate) fn measure(plan: &Plan, site: &Site, results: &mut Results) -> Result<()> {
    let pinning = Pinning::find()?;
    let mut running = Vec::new();
    println!(
        "\n{} rounds of {:?} each, {CONNECTIONS} connections, servers and load {}",
        plan.rounds,
        plan.window,
        pinning.told()
    );
    for round in 0..plan.rounds {
        let is_first = round % plan.rounds.div_ceil(STARTS) == 0;
        if is_first {
            stop(&mut running)?;
            running = start(plan, site, &pinning)?;
        }
        for (number, case) in plan.cases(site).enumerate() {
            let in_turn = running.iter().cycle().skip((round + number) % 2);
            let mut windows = Vec::with_capacity(running.len());
            for server in in_turn.take(running.len()) {
                let sample = drive(server, case, plan.window)
                    .with_context(|| format!("{}, {}", server.server, case.name))?;
                windows.push((server.server, sample));
            }
            results.add_round(case, &windows);
        }
        eprintln!("round {} of {}", round + 1, plan.rounds);
    }
    pinning.release()?;
    stop(&mut running)?;
    println!(
        "{} rounds of a case were discarded: a server answered nothing",
        results.discarded
    );
    for case in plan.cases(site) {
        ensure!(
            results.has_samples(case),
            "{}: no round was complete",
            case.name
        );
    }
    Ok(())
}

fn start(plan: &Plan, site: &Site, pinning: &Pinning) -> Result<Vec<Running>> {
    let start = |server| pinning.start(|| site.start(&plan.places, server, None));
    let mut running: Vec<Running> = Server::ALL.into_iter().map(start).collect::<Result<_>>()?;
    for server in &mut running {
        if server.server == Server::Innkeeper {
            server.wait_for("/v1/blog/list")?;
        }
    }
    Ok(running)
}

fn stop(running: &mut Vec<Running>) -> Result<()> {
    let mut running = running.drain(..);
    running.try_for_each(|server| server.process.stop())
}

/// Warms all connections up and then measures for the length of the window. Returns `None` if the server
/// sent no response in it: on a busy machine a process may not run for that long.
fn drive(server: &Running, case: &Case, window: Duration) -> Result<Option<Sample>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    LocalSet::new().block_on(&runtime, async {
        let times = Rc::new(RefCell::new(Vec::with_capacity(1 << 20)));
        let mut connections = JoinSet::new();
        let request: Rc<[u8]> = case.request(server)?.into();
        for _ in 0..CONNECTIONS {
            let stream = TcpStream::connect(server.address).await?;
            stream.set_nodelay(true)?;
            let (request, times) = (Rc::clone(&request), Rc::clone(&times));
            connections.spawn_local(converse(stream, request, case.status, times));
        }
        sleep(WARM_UP).await;
        let (cpu_before, start) = (server.process.cpu_time()?, Instant::now());
        times.borrow_mut().clear();
        sleep(window).await;
        let (cpu, elapsed) = (server.process.cpu_time()?, start.elapsed());
        let mut times = std::mem::take(&mut *times.borrow_mut());
        if let Some(ended) = connections.try_join_next() {
            ended.context("a connection's task panicked")??;
        }
        if times.is_empty() {
            return Ok(None);
        }
        times.sort_unstable();
        let requests = f64::from(u32::try_from(times.len())?);
        let cpu = cpu.saturating_sub(cpu_before);
        let slow = times.get(times.len() * 99 / 100).copied();
        Ok(Some(Sample {
            per_s: requests / elapsed.as_secs_f64(),
            p99_ms: slow.unwrap_or_default().as_secs_f64() * 1e3,
            cpu_us: cpu.as_secs_f64() * 1e6 / requests,
        }))
    })
}

/// Sends one request after the other, each after the last response, until it is dropped.
async fn converse(
    mut stream: TcpStream,
    request: Rc<[u8]>,
    status: u16,
    times: Rc<RefCell<Vec<Duration>>>,
) -> Result<()> {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let start = Instant::now();
        stream.write_all(&request).await?;
        let mut filled = 0;
        let mut frame: Option<Frame> = None;
        while frame.is_none_or(|frame| filled < frame.length()) {
            // A response that does not fit leaves no room, which reads as an end.
            let room = buffer.get_mut(filled..).unwrap_or_default();
            let count = stream.read(room).await?;
            ensure!(count > 0, "closed before the answer was complete");
            filled += count;
            if frame.is_none() {
                frame = Frame::find(buffer.get(..filled).unwrap_or_default())?;
            }
        }
        let end = frame.map(|frame| (frame.status, frame.length()));
        ensure!(end == Some((status, filled)), "another answer: {end:?}");
        times.borrow_mut().push(start.elapsed());
    }
}
